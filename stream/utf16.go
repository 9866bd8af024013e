package stream

import (
	"unicode/utf16"
	"unicode/utf8"
)

// UTF16 is a text in UTF-16 on the wire: little-endian units without terminator. Most texts
// of the game have the type [Text].
type UTF16 []byte

// NewUTF16 converts a string to UTF-16. It returns an error wrapping [ErrText] if the
// string is not valid UTF-8.
func NewUTF16(s string) (UTF16, error) {
	if !utf8.ValidString(s) {
		return nil, badText(s, invalidByte(s))
	}
	t := make(UTF16, 0, 2*len(s))
	for _, u := range utf16.Encode([]rune(s)) {
		t = le.AppendUint16(t, u)
	}
	return t, nil
}

// invalidByte returns the offset of the first byte that is not UTF-8.
func invalidByte(s string) int {
	for i, r := range s {
		if _, n := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(s)
}

// String returns the text in UTF-8. An unpaired surrogate becomes U+FFFD. An odd byte at
// the end is omitted.
func (t UTF16) String() string {
	units := make([]uint16, 0, len(t)/2)
	for ; len(t) >= 2; t = t[2:] {
		units = append(units, le.Uint16(t))
	}
	return string(utf16.Decode(units))
}
