package stream

import (
	"io"
	"math"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// String8 decodes or encodes a text that is preceded by its length in one byte. The decoded
// text aliases the payload. Encoding more than 255 bytes fails with [ErrTooLong].
func (c *Codec) String8(p *Text) {
	n := uint8(len(*p))
	c.Uint8(&n)
	c.string(p, int(n), math.MaxUint8, kindText8)
}

// String16 is [Codec.String8] with a length of two bytes, for at most 65,535 bytes.
func (c *Codec) String16(p *Text) {
	n := uint16(len(*p))
	c.Uint16(&n)
	c.string(p, int(n), math.MaxUint16, kindText16)
}

// String32 is [Codec.String8] with a length of four bytes. The game's Python scripts write
// such a text with the engine's function WriteCString.
//
// Evidence: documented, from the engine's code that writes and reads it. Some other descriptions of the
// protocol wrongly give WriteCString a length of two bytes.
func (c *Codec) String32(p *Text) {
	n := uint32(len(*p))
	c.Uint32(&n)
	c.string(p, int(min(n, failed)), maxLen, kindText32)
}

// WString32 decodes or encodes a UTF-16 text after the number of its 16-bit units, a uint32. The
// decoded text aliases the payload. Encoding an odd number of bytes fails with [ErrRange].
//
// Evidence: documented, from the engine's code that writes and reads it.
func (c *Codec) WString32(p *UTF16) {
	units := uint32(len(*p) / 2)
	c.Uint32(&units)
	if c.encoding && len(*p)%2 != 0 {
		c.wrongSize(len(*p), even)
		return
	}
	c.bytes((*[]byte)(p), int(min(uint64(units)*2, failed)))
	c.kind = kindUTF16
}

// string carries the bytes of a text whose length on the wire is n and at most most.
func (c *Codec) string(p *Text, n, most int, k kind) {
	if c.encoding && n != len(*p) {
		c.tooLong(len(*p), most, "bytes")
	}
	c.bytes((*[]byte)(p), n)
	c.kind = k
}

// Bytes decodes or encodes an array of len(p) bytes. It copies them.
func (c *Codec) Bytes(p []byte) {
	var b []byte
	if c.encoding {
		b = p
	}
	c.bytes(&b, len(p))
	if !c.encoding {
		clear(p[copy(p, b):])
	}
}

// Slice decodes or encodes n bytes. The decoded bytes alias the payload. Encoding fails with
// [ErrRange] if *p does not have n bytes.
func (c *Codec) Slice(p *[]byte, n int) {
	if c.encoding && n != len(*p) {
		c.wrongSize(len(*p), n)
		return
	}
	c.bytes(p, n)
}

// bytes decodes n bytes without copying them, or encodes all of *p. It decodes no bytes as
// nil.
func (c *Codec) bytes(p *[]byte, n int) {
	c.kind = kindBytes
	if c.encoding {
		i := int(c.off)
		switch {
		case len(*p) > maxLen-i:
			c.tooLong(i+len(*p), maxLen, "bytes")
			return
		case i < len(c.buf):
			copy(c.buf[i:], *p)
		}
		c.off += uint32(len(*p))
		return
	}
	switch i := int(c.off); {
	case n > c.Remaining():
		*p = nil
		c.Fail(io.ErrUnexpectedEOF)
	case n > 0:
		*p = c.buf[i : i+n : i+n]
		c.off += uint32(n)
	default:
		*p = nil
	}
}

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
