package main

import "github.com/bcwire/bcwire/examples/internal/terminal"

// style colours text, or leaves it unchanged.
type style struct{ normal, dim, name, bad, good terminal.Brush }

func newStyle(colour bool) style {
	brush := func(a terminal.Attribute) terminal.Brush { return terminal.NewBrush(colour, a) }
	return style{
		normal: brush(terminal.Normal),
		dim:    brush(terminal.Faint),
		name:   brush(terminal.Bold),
		bad:    brush(terminal.Yellow),
		good:   brush(terminal.Green),
	}
}
