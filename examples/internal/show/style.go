package show

import (
	"strings"

	"github.com/fatih/color"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport/recording"
)

// style colours text, or leaves it unchanged.
type style struct{ dim, name, toServer, toClient, bad, note, value paint }

// paint is what a terminal needs before and after a text in a colour.
type paint struct{ on, off string }

func (p *paint) append(dst []byte, text string) []byte {
	return append(append(append(dst, p.on...), text...), p.off...)
}

func newStyle(colour bool) style {
	brush := func(attributes ...color.Attribute) (p paint) {
		p.on, p.off, _ = strings.Cut(terminal.Paint(colour, attributes...).Sprint("|"), "|")
		return p
	}
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
		return s.toClient.append(dst, "<-")
	}
	return s.toServer.append(dst, "->")
}
