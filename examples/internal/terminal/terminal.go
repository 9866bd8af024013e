// Package terminal holds the common rules for the output of the example programs. Colours are for terminals
// only, control characters are escaped in text and in JSON, and columns count characters.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// File returns w as a file, or nil, and reports whether it is a terminal that executes escape codes.
func File(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	return f, term.IsTerminal(int(f.Fd())) && enableCodes(f)
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	_, ok := File(w)
	return ok
}

// Columns returns the number of columns of a terminal, or 0 if w is none.
func Columns(w io.Writer) int {
	if f, ok := File(w); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// Colourful reports whether w is a terminal with colours. NO_COLOR and TERM=dumb disable them.
func Colourful(w io.Writer) bool {
	return Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
