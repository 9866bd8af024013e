// Package terminal holds the common rules for the output of the example programs. Colours are for terminals
// only, control characters are escaped in text and in JSON, and columns count characters.
package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// File returns w as a file, or nil, and reports whether it is a terminal.
func File(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	return f, isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	_, ok := File(w)
	return ok
}

// Colourful reports whether w is a terminal with colours. NO_COLOR and TERM=dumb disable them.
func Colourful(w io.Writer) bool {
	return Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Paint returns a printer with attributes, or without them if colour is false. It overrides the
// default of the colour library, which depends on standard output.
func Paint(colour bool, attributes ...color.Attribute) *color.Color {
	c := color.New(attributes...)
	if colour {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c
}

// Brush is what a terminal needs before and after a text with an attribute, and empty without colours.
type Brush struct{ On, Off string }

// NewBrush returns a brush with an attribute, or without it if colour is false.
func NewBrush(colour bool, attribute color.Attribute) (b Brush) {
	b.On, b.Off, _ = strings.Cut(Paint(colour, attribute).Sprint("|"), "|")
	return b
}

// Append appends a text with the attribute of the brush.
func (b *Brush) Append(dst []byte, text string) []byte {
	return append(append(append(dst, b.On...), text...), b.Off...)
}
