package terminal

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a writer that escapes the invisible characters of JSON and passes it on to w.
// JSON allows most of them in strings, but terminals execute some. Each Write must have whole
// characters.
func JSON(w io.Writer) io.Writer { return escaper{w, true} }

// escaper escapes invisible characters, except those of ASCII, as in JSON or as in Go strings.
type escaper struct {
	w    io.Writer
	json bool
}

func (e escaper) Write(text []byte) (int, error) {
	if _, err := e.w.Write(e.escape(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// escape does not escape white space, which may stand between values.
func (e escaper) escape(text []byte) []byte {
	if bytes.IndexFunc(text, invisible) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !invisible(r):
			b.WriteRune(r)
		case r > 0xFFFF && !e.json:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

func invisible(r rune) bool { return r >= 0x7F && r != utf8.RuneError && !Visible(r) }
