package show

import (
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport/recording"
)

// style colours text, or leaves it unchanged.
type style struct{ dim, name, toServer, toClient, bad, note, value terminal.Brush }

func newStyle(colour bool) style {
	brush := func(a terminal.Attribute) terminal.Brush { return terminal.NewBrush(colour, a) }
	return style{
		dim:      brush(terminal.Faint),
		name:     brush(terminal.Bold),
		toServer: brush(terminal.Cyan),
		toClient: brush(terminal.Green),
		bad:      brush(terminal.Red),
		note:     brush(terminal.Yellow),
		value:    brush(terminal.Blue),
	}
}

// appendArrow appends an arrow from the sender to the receiver, with the client on the left.
func (s *style) appendArrow(dst []byte, d recording.Direction) []byte {
	if d == recording.ToClient {
		return s.toClient.Append(dst, "<-")
	}
	return s.toServer.Append(dst, "->")
}
