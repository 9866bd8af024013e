package main

import (
	"github.com/fatih/color"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// style colours text, or leaves it unchanged.
type style struct{ dim, name, bad, good *color.Color }

func newStyle(colour bool) style {
	paint := func(attributes ...color.Attribute) *color.Color { return terminal.Paint(colour, attributes...) }
	return style{
		dim:  paint(color.Faint),
		name: paint(color.Bold),
		bad:  paint(color.FgYellow),
		good: paint(color.FgGreen),
	}
}
