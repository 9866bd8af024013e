package stream

// Bits describes a bit group (see [Codec.Bool]) whose bools belong partly to the walked fields and
// partly to the tail of [Codec.Rest].
type Bits struct {
	Byte uint8 // byte on the wire: count in bits 5 to 7, bools in bits 0 to 4
	Read uint8 // number of bools of this byte in the walked fields
}

const (
	groupSize  = 5 // bools in a full group
	groupCount = 5 // lowest bit of the count
)

// Bool decodes or encodes a packed bool. Up to five bools of a payload share one byte, the
// bit group, which stands at the position of the first bool:
//
//	bit    7..5   4..0
//	field  count  bools, the first in bit 0
//
// A bool joins the group even if other fields stand between, so encoding a bool may change
// an earlier byte. The sixth bool begins a new group.
//
// Decoding a malformed byte fails with [ErrBadBitGroup]. If [Codec].Tolerant is set, decoding
// accepts such a byte, as the game does. It reads a count of 0 as 1, and a count above 5 as
// 5. The walk may read fewer bools than the count. If the walk reads more, a new group begins.
func (c *Codec) Bool(p *bool) {
	c.kind = kindBool
	if c.used == 0 {
		c.mark = c.off
		c.off++
	}
	if c.encoding {
		c.group = withBool(c.group, c.used, *p)
		if i := int(c.mark); i < len(c.buf) {
			c.buf[i] = c.group
		}
	} else {
		if c.left == 0 && !c.takeGroup() {
			*p = false
			return
		}
		c.left--
		*p = c.group>>c.used&1 != 0
	}
	if c.trace != nil {
		c.trace.bool(c)
	}
	if c.used++; c.used == groupSize {
		c.used = 0 // full: the next bool begins a new group
	}
}

// CloseBits ends the open bit group; see [Codec.Bool]. The next bool begins a new group, even if the
// byte has room. The game never does this, but OpenBC does in blocks of subsystems. Decoding fails
// with [ErrBadBitGroup] if the group has more bools.
func (c *Codec) CloseBits() {
	if c.left != 0 && !c.Tolerant {
		c.failGroup()
		return
	}
	c.used, c.left = 0, 0
}

// withBool returns the byte of a group with v added.
func withBool(group, used uint8, v bool) uint8 {
	if used == 0 {
		group = 0
	}
	if v {
		group |= 1 << used
	}
	return group + 1<<groupCount
}

// takeGroup reads the byte of a new group and reports whether it is valid.
func (c *Codec) takeGroup() bool {
	if c.used > 0 { // all announced bools are read, but the group is not full
		if !c.Tolerant {
			c.failGroup()
			return false
		}
		c.mark, c.used = c.off, 0
		c.off++
	}
	if int(c.mark) >= len(c.buf) {
		return false
	}
	b := c.buf[c.mark]
	c.group, c.left = b, b>>groupCount
	if c.Tolerant {
		c.left = min(max(c.left, 1), groupSize)
		c.group = c.left<<groupCount | b&(1<<c.left-1)
	} else if !validGroup(b) {
		c.failGroup()
		return false
	}
	return true
}

// validGroup reports whether an encoder can write b.
func validGroup(b uint8) bool {
	count := b >> groupCount
	return count >= 1 && count <= groupSize && b&(1<<groupCount-1)>>count == 0
}

func (c *Codec) failGroup() {
	c.failAt(c.mark, ErrBadBitGroup)
}

// Rest decodes or encodes an opaque tail: all bytes up to the end of the payload. It must
// be the last field of a walk. The decoded bytes alias the payload.
//
// Bools of the tail may share a bit group that began before the tail. If bits is not nil,
// decoding stores this group in *bits, or the zero Bits if there is none. Encoding writes
// the byte of *bits, and fails with [ErrBadBitGroup] if the bools before the tail differ
// from it. If bits is nil, all bools of the group must stand before the tail.
//
// If [Codec].Tolerant is set, two things differ. The stored byte has a count of 1 to 5, and no
// bits beyond the count. If the bools before the tail use up the group, *bits is the zero Bits.
func (c *Codec) Rest(p *[]byte, bits *Bits) {
	if bits != nil {
		c.restBits(bits)
	}
	c.bytes(p, c.Remaining())
}

// PeekRest returns the bytes and bits that [Codec.Rest] would decode. It returns nothing when encoding
// and after an error.
func (c *Codec) PeekRest() (tail []byte, bits Bits) {
	if n := c.Remaining(); n > 0 {
		tail = c.buf[c.off:len(c.buf):len(c.buf)]
	}
	if !c.encoding {
		bits = c.openBits()
	}
	return tail, bits
}

// openBits returns the bit group that a decoded tail shares.
func (c *Codec) openBits() Bits {
	if c.used == 0 || c.Tolerant && c.left == 0 {
		return Bits{}
	}
	return Bits{Byte: c.group, Read: c.used}
}

func (c *Codec) restBits(bits *Bits) {
	switch {
	case !c.encoding:
		if *bits = c.openBits(); bits.Read != 0 {
			c.left = 0
		}
	case *bits == Bits{}:
	case c.used == 0:
		c.Fail(ErrBadBitGroup)
	case c.used != bits.Read, !validGroup(bits.Byte), bits.Byte>>groupCount < bits.Read,
		(c.group^bits.Byte)&(1<<c.used-1) != 0:
		c.failGroup()
	case int(c.mark) < len(c.buf):
		c.buf[c.mark] = bits.Byte
	}
}
