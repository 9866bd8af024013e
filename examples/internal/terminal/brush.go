package terminal

import "fmt"

// Attribute is an attribute of text on a terminal: a parameter of SGR in ECMA-48.
type Attribute int

// Attributes.
const (
	Normal Attribute = 0
	Bold   Attribute = 1
	Faint  Attribute = 2
	Red    Attribute = 31
	Green  Attribute = 32
	Yellow Attribute = 33
	Blue   Attribute = 34
	Cyan   Attribute = 36
)

// Brush is what a terminal needs before and after a text with an attribute, and empty without colours. The codes of all
// brushes have the same length. Package tabwriter, which counts them as text, therefore aligns a column whose cells
// are all painted.
type Brush struct{ On, Off string }

// NewBrush returns a brush with an attribute, or without it if colour is false.
func NewBrush(colour bool, a Attribute) Brush {
	if !colour {
		return Brush{}
	}
	return Brush{On: fmt.Sprintf("\x1b[%02dm", a), Off: "\x1b[0m"}
}

// Append appends a text with the attribute of the brush.
func (b *Brush) Append(dst []byte, text string) []byte {
	return append(append(append(dst, b.On...), text...), b.Off...)
}

// Paint returns a text with the attribute of the brush.
func (b *Brush) Paint(text string) string { return b.On + text + b.Off }
