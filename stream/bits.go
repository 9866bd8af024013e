package stream

// Bits is the byte of a bit group that was open where a payload's opaque tail begins:
// the tail may hold more of its bools. See [Codec.Rest].
type Bits struct {
	Byte uint8 // the whole byte as on the wire: count in bits 5 to 7, all bools below
	Read uint8 // how many of its bools belong to the fields before the tail
}

const (
	groupSize  = 5 // bools in a full group
	groupCount = 5 // bit of the byte where the count begins
)

// Bool is the primitive for a packed bool. Up to five bools of a payload share a byte,
// the bit group, which stands where the first of them was written:
//
//	bit    7..5   4..0
//	field  count  bools, the first in bit 0
//
// A group takes bools until it holds five or the payload ends, whatever else is written
// in between: the byte of a field may change when a later one is encoded.
//
// Decoding fails with [ErrBadBitGroup] for a byte that no encoder writes. A
// [Codec.Tolerant] Codec takes a count of 0 for 1 and one above 5 for 5, ignores bools
// beyond the count and those that nobody reads, and begins a new group when the count is
// used up, as the game does.
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
		c.used = 0 // full: the next bool opens another
	}
}

// withBool returns the byte of a group with another bool.
func withBool(group, used uint8, v bool) uint8 {
	if used == 0 {
		group = 0
	}
	if v {
		group |= 1 << used
	}
	return group + 1<<groupCount
}

// takeGroup reads the byte of the group that was just opened, and says whether it is one.
func (c *Codec) takeGroup() bool {
	if c.used > 0 { // the count is used up and the group not full
		if !c.tolerant {
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
	if c.tolerant {
		c.left = min(max(c.left, 1), groupSize)
		c.group = c.left<<groupCount | b&(1<<c.left-1)
	} else if !validGroup(b) {
		c.failGroup()
		return false
	}
	return true
}

// validGroup says whether an encoder writes b.
func validGroup(b uint8) bool {
	count := b >> groupCount
	return count >= 1 && count <= groupSize && b&(1<<groupCount-1)>>count == 0
}

func (c *Codec) failGroup() {
	c.failAt(c.mark, ErrBadBitGroup)
}

// Rest is the primitive for an opaque tail, all bytes up to the end of the payload. The
// bytes are not copied.
//
// Bools of the tail may be in a bit group that began before it. With open not nil
// decoding stores that group there, and encoding writes its byte as it was read instead
// of one made from the bools before the tail; it is zero if no group was open. Encoding
// fails with [ErrBadBitGroup] if those bools have changed since. With open nil the tail
// holds no bools, and the group must be complete. Nothing follows a tail in a walk.
//
// A [Codec.Tolerant] Codec stores the group as it has read it, in the byte of an encoder,
// and none if its count is used up: the next bool of the tail has a byte of its own.
func (c *Codec) Rest(p *[]byte, open *Bits) {
	c.kind = kindBytes
	if open != nil {
		c.restBits(open)
	}
	c.bytes(p, c.Remaining())
}

func (c *Codec) restBits(open *Bits) {
	switch {
	case !c.encoding:
		*open = Bits{}
		if c.used != 0 && c.off < failed && !(c.tolerant && c.left == 0) {
			*open = Bits{Byte: c.group, Read: c.used}
			c.left = 0
		}
	case *open == Bits{}:
	case c.used == 0:
		c.Fail(ErrBadBitGroup)
	case c.used != open.Read, !validGroup(open.Byte), open.Byte>>groupCount < open.Read,
		(c.group^open.Byte)&(1<<c.used-1) != 0:
		c.failGroup()
	case int(c.mark) < len(c.buf):
		c.buf[c.mark] = open.Byte
	}
}
