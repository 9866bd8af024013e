package transport

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is the text of a system message as on the wire: UTF-16, little-endian, with its
// terminating NUL. Peers send it without one, too, or with half a character at the end. The
// texts of packages stream and gamespy are other types: those are in Windows-1252.
type Text []byte

// NewText returns a string as text, with the NUL. It fails with [ErrText] for a string with
// a NUL of its own, where peers would take it to end, and for one that is not UTF-8.
func NewText(s string) (Text, error) {
	if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
		return nil, ErrText
	}
	var t Text
	for _, u := range utf16.Encode([]rune(s)) {
		t = le.AppendUint16(t, u)
	}
	return append(t, 0, 0), nil
}

// String returns the text up to its NUL, or to the last whole character.
func (t Text) String() string {
	units := make([]uint16, 0, len(t)/2)
	for ; len(t) >= 2; t = t[2:] {
		u := le.Uint16(t)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}
