package terminal

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a writer that passes JSON on to w with every character escaped that is not to
// be seen. JSON allows most of them in strings, but U+009B begins a command of terminals, and
// U+202E turns a line around. What one Write takes must hold whole characters.
func JSON(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

func (e escaper) Write(text []byte) (int, error) {
	if _, err := e.w.Write(escape(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// escape leaves white space, which may stand between the values.
func escape(text []byte) []byte {
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

func hidden(r rune) bool { return r >= 0x7F && r != utf8.RuneError && !unicode.IsPrint(r) }
