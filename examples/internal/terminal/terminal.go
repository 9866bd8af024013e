// Package terminal says what the example programs may print: colours and pictures that
// move are for terminals alone.
package terminal

import (
	"io"
	"os"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// File returns the file that w is, and whether it is a terminal.
func File(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	return f, isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

// Is says whether w is a terminal.
func Is(w io.Writer) bool {
	_, ok := File(w)
	return ok
}

// Colourful says whether colours are wanted on w.
func Colourful(w io.Writer) bool {
	return Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Paint returns what prints with attributes, or as it is. Each says it by itself: the
// colour library's own guess is about standard output.
func Paint(colour bool, attributes ...color.Attribute) *color.Color {
	c := color.New(attributes...)
	if colour {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c
}
