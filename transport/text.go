package transport

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is the text of a system message as on the wire: UTF-16, little-endian, with its
// terminating NUL. Peers also send it without a NUL, or with half a character at the end.
// [NewText] converts a string. The texts of packages stream and gamespy are other types, in
// Windows-1252.
//
// A nil Text is encoded as the stock game sends an empty text: 00 00, its NUL alone. Every
// other Text is encoded as it is. Decode never returns nil: a text with no bytes at all is
// empty but not nil, so that it is re-encoded byte-exactly.
type Text []byte

// append appends the wire form to dst.
func (t Text) append(dst []byte) []byte {
	if t == nil {
		return append(dst, 0, 0)
	}
	return append(dst, t...)
}

// NewText returns a string as text, with the NUL. It returns [ErrText] for a string that
// holds a NUL, where peers would end it, and for one that is not UTF-8.
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

// String returns the text up to its NUL, or to the last complete character.
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
