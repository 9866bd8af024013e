package stream

import (
	"io"
	"math"
)

// Count8 decodes or encodes the length of a list in one byte and returns it; see the
// example of [Walker]. Encoding writes n, and decoding ignores n. The argument least is the
// size of the smallest possible element in bytes.
//
// Decoding fails with [io.ErrUnexpectedEOF] and returns 0 if the remaining bytes cannot
// hold the list. The result is therefore safe for loops and allocations. Encoding more than
// 255 elements fails with [ErrTooLong].
func (c *Codec) Count8(n, least int) int {
	wire := uint8(n)
	c.Uint8(&wire)
	return c.count(n, int(wire), math.MaxUint8, least, kindCount8)
}

// Count16 is [Codec.Count8] for a length in two bytes.
func (c *Codec) Count16(n, least int) int {
	wire := uint16(n)
	c.Uint16(&wire)
	return c.count(n, int(wire), math.MaxUint16, least, kindCount16)
}

func (c *Codec) count(n, wire, most, least int, k kind) int {
	switch {
	case c.encoding && wire != n:
		c.tooLong(n, most, "elements")
	case !c.encoding && wire > c.Remaining()/max(1, least):
		c.Fail(io.ErrUnexpectedEOF)
	default:
		c.kind = k
		return wire
	}
	return 0
}

// Resize gives a decoded list n zero elements and reuses its memory if possible. It does nothing when
// encoding. Take n from [Codec.Count8], which limits it. A list without a count, up to the end of the
// payload, has c.Remaining() / size elements. If bytes are left after them, the walk fails with
// [ErrTrailing].
func Resize[E any](c *Codec, list *[]E, n int) {
	if c.encoding {
		return
	}
	if n > cap(*list) {
		*list = make([]E, n)
		return
	}
	*list = (*list)[:n]
	clear(*list)
}

// Element begins the i-th element of a list. The paths of fields up to [Codec.End] include the
// element, as in "Damagers[2].Score". A recursive message must limit its depth with [Codec.Fail].
func (c *Codec) Element(list string, i int) {
	if c.trace != nil {
		c.trace.enter(c, list, i)
	}
}

// Group begins a nested struct. The paths up to [Codec.End] include the group, as in "Tree.Files".
func (c *Codec) Group(name string) {
	c.Element(name, -1)
}

// End ends the last [Codec.Element] or [Codec.Group].
func (c *Codec) End() {
	if c.trace != nil {
		c.trace.leave(c)
	}
}
