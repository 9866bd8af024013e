package show

import (
	"io"
	"os"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"github.com/bcwire/bcwire/examples/internal/recording"
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

// Colourful says whether colours are wanted on w.
func Colourful(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// IsTerminal says whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// arrow points from the sender to the receiver; the client is on the left.
func (s style) arrow(d recording.Direction) string {
	if d == recording.ToClient {
		return s.toClient.Sprint("<-")
	}
	return s.toServer.Sprint("->")
}
