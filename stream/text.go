package stream

import "slices"

// Text is a text on the wire: one byte per character, in Windows-1252, without a terminator.
// It may contain a NUL, where the game stops displaying it.
//
// Convert a string with [NewText] or [Lossy]. The Go conversion Text(s) is correct only for ASCII.
type Text []byte

// String returns the text in UTF-8. The five bytes that Windows-1252 leaves undefined become the
// control characters with the same number, so that different texts stay different.
func (t Text) String() string {
	for i, b := range t {
		if b >= 0x80 {
			return t.convert(i)
		}
	}
	return string(t)
}

func (t Text) convert(ascii int) string {
	runes := make([]rune, 0, len(t))
	for _, b := range t[:ascii] {
		runes = append(runes, rune(b))
	}
	for _, b := range t[ascii:] {
		r := rune(b)
		if b >= 0x80 && b < 0xA0 {
			r = windows1252[b-0x80]
		}
		runes = append(runes, r)
	}
	return string(runes)
}

// windows1252 holds the characters 0x80 to 0x9F, which differ from Latin-1.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

// NewText converts a string to a text. It returns an error wrapping [ErrText] if a
// character is not in Windows-1252.
func NewText(s string) (Text, error) {
	t := make(Text, 0, len(s))
	for i, r := range s {
		b, ok := encode(r)
		if !ok {
			return nil, badText(s, i)
		}
		t = append(t, b)
	}
	return t, nil
}

// Lossy converts a string to a text and replaces characters that are not in Windows-1252 with
// question marks. Use it for chat. Use [NewText] for paths and for names that must be unique.
func Lossy(s string) Text {
	t := make(Text, 0, len(s))
	for _, r := range s {
		b, ok := encode(r)
		if !ok {
			b = '?'
		}
		t = append(t, b)
	}
	return t
}

// encode returns the code of a character in Windows-1252.
func encode(r rune) (code byte, ok bool) {
	if r < 0x80 || r >= 0xA0 && r <= 0xFF {
		return byte(r), true
	}
	i := slices.Index(windows1252[:], r)
	return byte(0x80 + i), i >= 0
}
