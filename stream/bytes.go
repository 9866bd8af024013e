package stream

import (
	"io"
	"math"
)

// String8 is the primitive for a text after its length in one byte. The bytes are not
// copied. A text of more than 255 bytes does not encode: [ErrTooLong].
func (c *Codec) String8(p *Text) {
	n := uint8(len(*p))
	c.Uint8(&n)
	c.string(p, int(n), math.MaxUint8)
}

// String16 is the primitive for a text after its length in two bytes. The bytes are not
// copied. A text of more than 65,535 bytes does not encode:
// [ErrTooLong].
func (c *Codec) String16(p *Text) {
	n := uint16(len(*p))
	c.Uint16(&n)
	c.string(p, int(n), math.MaxUint16)
}

// String32 is the primitive for a text after its length in four bytes, which the scripts
// write with WriteCString. The bytes are not copied.
//
// Evidence: documented, by the engine's code on both sides. Older documents give
// WriteCString a length of two bytes, which is wrong.
func (c *Codec) String32(p *Text) {
	n := uint32(len(*p))
	c.Uint32(&n)
	c.string(p, int(min(n, failed)), maxLen)
}

// WString32 is the primitive for a text in UTF-16 after the number of its 16-bit units in
// four bytes. The bytes are not copied. A text with half a unit does not encode:
// [ErrRange].
//
// Evidence: documented, by the engine's code on both sides.
func (c *Codec) WString32(p *UTF16) {
	units := uint32(len(*p) / 2)
	c.Uint32(&units)
	if c.encoding && len(*p)%2 != 0 {
		c.Fail(ErrRange)
		return
	}
	c.bytes((*[]byte)(p), int(min(uint64(units)*2, failed)))
	Show(c, *p)
}

// PeekUint8 returns the byte that lies a number of bytes ahead in a payload being decoded,
// without moving the cursor. It returns 0 past the end.
func (c *Codec) PeekUint8(ahead int) uint8 { return uint8(c.peek(ahead, 1)) }

// PeekUint16 is [Codec.PeekUint8] for a number of two bytes.
func (c *Codec) PeekUint16(ahead int) uint16 { return uint16(c.peek(ahead, 2)) }

// PeekUint32 is [Codec.PeekUint8] for a number of four bytes.
func (c *Codec) PeekUint32(ahead int) uint32 { return c.peek(ahead, 4) }

func (c *Codec) peek(ahead, size int) (v uint32) {
	if ahead < 0 || ahead > c.Remaining()-size {
		return 0
	}
	i := int(c.off) + ahead
	for shift, b := range c.buf[i : i+size] {
		v |= uint32(b) << (8 * shift)
	}
	return v
}

// Peek returns the next n bytes of a payload being decoded, without moving on: nil if
// there are fewer.
func (c *Codec) Peek(n int) []byte {
	if n <= 0 || n > c.Remaining() {
		return nil
	}
	i := int(c.off)
	return c.buf[i : i+n : i+n]
}

// string is the rest of a text whose length is n on the wire, and at most most.
func (c *Codec) string(p *Text, n, most int) {
	if c.encoding && n != len(*p) {
		c.tooLong(len(*p), most, "bytes")
	}
	c.bytes((*[]byte)(p), n)
	Show(c, *p)
}

// Bytes is the primitive for a number of bytes that the layout fixes, such as those of
// an array: it copies as many as p has.
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

// Slice is the primitive for n bytes, a number that the layout fixes. The bytes are not
// copied. Any other number does not encode: [ErrRange].
func (c *Codec) Slice(p *[]byte, n int) {
	if c.encoding && n != len(*p) {
		c.Fail(ErrRange)
		return
	}
	c.bytes(p, n)
}

// bytes reads n bytes, without copying them, or writes all of *p. No bytes are nil.
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
	*p = nil
	switch i := int(c.off); {
	case n > c.Remaining():
		c.Fail(io.ErrUnexpectedEOF)
	case n > 0:
		*p = c.buf[i : i+n : i+n]
		c.off += uint32(n)
	}
}
