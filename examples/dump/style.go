package main

import (
	"io"
	"os"

	"github.com/fatih/color"
)

// style colours text, or leaves it as it is.
type style struct{ dim, name, toServer, toClient, bad, note, value *color.Color }

func newStyle(colour bool) style {
	paint := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		// Each says it by itself: the library's own guess is about standard output.
		if colour {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
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

// colourful says whether colours are wanted on w.
func colourful(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// arrow points from the sender to the receiver; the client is on the left.
func (s style) arrow(d direction) string {
	if d == s2c {
		return s.toClient.Sprint("<-")
	}
	return s.toServer.Sprint("->")
}
