package main

import (
	"io"
	"os"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
)

// style colours text, or leaves it as it is.
type style struct{ dim, name, bad, good *color.Color }

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
		dim:  paint(color.Faint),
		name: paint(color.Bold),
		bad:  paint(color.FgYellow),
		good: paint(color.FgGreen),
	}
}

// terminal returns the file that w is, if it is a terminal.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	return f, isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

// colourful says whether colours are wanted on w.
func colourful(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
