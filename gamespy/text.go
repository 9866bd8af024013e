package gamespy

import (
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// Text is a text as on the wire: single bytes in Windows-1252. [NewText] converts a string,
// and Text(stream.Lossy(s)) with question marks for what has no code. The Go conversion
// Text(s) is right for a constant of ASCII only.
type Text string

// String returns the text in UTF-8, and nothing else: [NewText] returns the same bytes
// again. Control characters are among it if they are in the text, and the five bytes that
// Windows-1252 leaves undefined become the control characters of the same number. A
// terminal acts on them: print the text of a stranger with %q, or replace what
// [unicode.IsPrint] does not know.
func (t Text) String() string {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return stream.Text(t).String()
		}
	}
	return string(t)
}

// NewText returns a string as text. It returns [ErrText] if a character of the string is not
// in Windows-1252.
func NewText(s string) (Text, error) {
	t, err := stream.NewText(s)
	if err != nil {
		return "", ErrText
	}
	return Text(t), nil
}

// Clean returns the text without the backslashes and control bytes (below 0x20) in it,
// ready to be sent. There is no escaping: a backslash would begin another pair.
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

// is says whether the text is the key, apart from the case of ASCII letters.
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
