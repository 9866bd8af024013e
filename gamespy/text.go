package gamespy

import (
	"slices"
	"strings"
)

// Text is a text as on the wire: single bytes in Windows-1252. Constants of ASCII need no
// conversion; [NewText] converts others.
type Text string

// String returns the text in UTF-8, and nothing else: [NewText] returns the same bytes
// again. Control characters are among it if they are in the text, and the five bytes that
// Windows-1252 leaves undefined become the control characters of the same number. A
// terminal acts on them: print the text of a stranger with %q, or replace what
// [unicode.IsPrint] does not know.
func (t Text) String() string {
	ascii := true
	for i := range len(t) {
		ascii = ascii && t[i] < 0x80
	}
	if ascii {
		return string(t)
	}
	runes := make([]rune, len(t))
	for i := range len(t) {
		runes[i] = rune(t[i])
		if t[i] >= 0x80 && t[i] < 0xA0 {
			runes[i] = windows1252[t[i]-0x80]
		}
	}
	return string(runes)
}

// windows1252 holds what differs from Latin-1.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

// NewText returns a string as text, and [ErrText] if a character of it is not in
// Windows-1252.
func NewText(s string) (Text, error) {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		switch i := slices.Index(windows1252[:], r); {
		case i >= 0:
			b = append(b, byte(0x80+i))
		case r < 0x80 || r >= 0xA0 && r <= 0xFF:
			b = append(b, byte(r))
		default:
			return "", ErrText
		}
	}
	return Text(b), nil
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
