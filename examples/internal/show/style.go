package show

import (
	"github.com/fatih/color"

	"github.com/bcwire/bcwire/examples/internal/recording"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// style colours text, or leaves it as it is.
type style struct{ dim, name, toServer, toClient, bad, note, value *color.Color }

func newStyle(colour bool) style {
	paint := func(attributes ...color.Attribute) *color.Color { return terminal.Paint(colour, attributes...) }
	return style{
		dim:      paint(color.Faint),
		name:     paint(color.Bold),
		toServer: paint(color.FgCyan),
		toClient: paint(color.FgGreen),
		bad:      paint(color.FgRed),
		note:     paint(color.FgYellow),
		value:    paint(color.FgBlue),
	}
}

// arrow points from the sender to the receiver; the client is on the left.
func (s style) arrow(d recording.Direction) string {
	if d == recording.ToClient {
		return s.toClient.Sprint("<-")
	}
	return s.toServer.Sprint("->")
}
