package gamespy

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// Text is a text on the wire: one byte a character in Windows-1252. Use [NewText] to
// convert a string, or Text(stream.Lossy(s)) to replace other characters by question marks.
// The Go conversion Text(s) is correct only for ASCII.
type Text string

// String returns the text in UTF-8; [NewText] reverses it. It keeps control characters. The five
// bytes that Windows-1252 leaves undefined become the control characters with the same number.
// Print received text with %q, or replace characters that [unicode.IsPrint] rejects.
func (t Text) String() string {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return stream.Text(t).String()
		}
	}
	return string(t)
}

// NewText converts a string. The error wraps [ErrText] if a character is not in Windows-1252.
func NewText(s string) (Text, error) {
	t, err := stream.NewText(s)
	if err != nil {
		for i, r := range s {
			if _, err := stream.NewText(string(r)); err != nil {
				return "", fmt.Errorf("%w: %q at offset %d", ErrText, r, i)
			}
		}
	}
	return Text(t), nil
}

// Clean removes bytes below 0x20, and backslashes, which would begin a pair.
func (t Text) Clean() Text {
	if strings.IndexFunc(string(t), unclean) < 0 {
		return t
	}
	b := make([]byte, 0, len(t))
	for i := range len(t) {
		if !unclean(rune(t[i])) {
			b = append(b, t[i])
		}
	}
	return Text(b)
}

func unclean(r rune) bool { return r == '\\' || r < ' ' }

// is reports whether the text equals the key, ignoring the case of ASCII letters.
func (t Text) is(key string) bool {
	if len(t) != len(key) {
		return false
	}
	for i := range len(key) {
		if lower(t[i]) != lower(key[i]) {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}
