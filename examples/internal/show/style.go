package show

import (
	"github.com/fatih/color"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport/recording"
)

// style colours text, or leaves it unchanged.
type style struct{ dim, name, toServer, toClient, bad, note, value terminal.Brush }

func newStyle(colour bool) style {
	brush := func(attribute color.Attribute) terminal.Brush { return terminal.NewBrush(colour, attribute) }
	return style{
		dim:      brush(color.Faint),
		name:     brush(color.Bold),
		toServer: brush(color.FgCyan),
		toClient: brush(color.FgGreen),
		bad:      brush(color.FgRed),
		note:     brush(color.FgYellow),
		value:    brush(color.FgBlue),
	}
}

// appendArrow appends an arrow from the sender to the receiver, with the client on the left.
func (s *style) appendArrow(dst []byte, d recording.Direction) []byte {
	if d == recording.ToClient {
		return s.toClient.Append(dst, "<-")
	}
	return s.toServer.Append(dst, "->")
}
