package stream

import (
	"io"
	"math"
)

// String8 decodes or encodes a text that is preceded by its length in one byte. The decoded
// text aliases the payload. Encoding more than 255 bytes fails with [ErrTooLong].
func (c *Codec) String8(p *Text) {
	n := uint8(len(*p))
	c.Uint8(&n)
	c.string(p, int(n), math.MaxUint8)
}

// String16 is [Codec.String8] with a length of two bytes, for at most 65,535 bytes.
func (c *Codec) String16(p *Text) {
	n := uint16(len(*p))
	c.Uint16(&n)
	c.string(p, int(n), math.MaxUint16)
}

// String32 is [Codec.String8] with a length of four bytes. The game's Python scripts write
// such a text with the engine's function WriteCString.
//
// Evidence: documented, from the engine's code that writes and reads it. Some other descriptions of the
// protocol wrongly give WriteCString a length of two bytes.
func (c *Codec) String32(p *Text) {
	n := uint32(len(*p))
	c.Uint32(&n)
	c.string(p, int(min(n, failed)), maxLen)
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
	Show(c, *p)
}

// PeekUint8 returns the byte at Offset() + ahead, without reading it. It returns 0 past the end and
// when encoding.
func (c *Codec) PeekUint8(ahead int) uint8 { return uint8(c.peek(ahead, 1)) }

// PeekUint16 is [Codec.PeekUint8] for two bytes.
func (c *Codec) PeekUint16(ahead int) uint16 { return uint16(c.peek(ahead, 2)) }

// PeekUint32 is [Codec.PeekUint8] for four bytes.
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

// Peek returns the next n bytes without reading them. They alias the payload. Peek returns
// nil if fewer bytes are left, and when encoding.
func (c *Codec) Peek(n int) []byte {
	if n <= 0 || n > c.Remaining() {
		return nil
	}
	i := int(c.off)
	return c.buf[i : i+n : i+n]
}

// string carries the bytes of a text whose length on the wire is n and at most most.
func (c *Codec) string(p *Text, n, most int) {
	if c.encoding && n != len(*p) {
		c.tooLong(len(*p), most, "bytes")
	}
	c.bytes((*[]byte)(p), n)
	Show(c, *p)
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
	*p = nil
	switch i := int(c.off); {
	case n > c.Remaining():
		c.Fail(io.ErrUnexpectedEOF)
	case n > 0:
		*p = c.buf[i : i+n : i+n]
		c.off += uint32(n)
	}
}
