package stream

import (
	"io"
	"math"
)

// Count8 is the primitive for the number of elements of a list, in one byte. It returns
// how many elements the walk goes through; n is how many there are to encode, and least
// the least number of bytes that an element takes, at least 1.
//
// A number that the rest of the payload has no room for fails with
// [io.ErrUnexpectedEOF] and gives 0, so that nothing loops or allocates on the word of a
// peer. More than 255 elements do not encode: [ErrTooLong].
//
//	n := c.Field("Damagers").Count8(len(m.Damagers), 4)
//	stream.Resize(c, &m.Damagers, n)
//	for i := range n {
//		c.Element("Damagers", i)
//		m.Damagers[i].Walk(c)
//		c.End()
//	}
func (c *Codec) Count8(n, least int) int {
	wire := uint8(n)
	c.Uint8(&wire)
	return c.count(n, int(wire), math.MaxUint8, least)
}

// Count16 is [Codec.Count8] for a number in two bytes.
func (c *Codec) Count16(n, least int) int {
	wire := uint16(n)
	c.Uint16(&wire)
	return c.count(n, int(wire), math.MaxUint16, least)
}

func (c *Codec) count(n, wire, most, least int) int {
	switch {
	case c.encoding && wire != n:
		c.tooLong(n, most, "elements")
	case !c.encoding && wire > c.Remaining()/max(1, least):
		c.Fail(io.ErrUnexpectedEOF)
	default:
		Show(c, wire)
		return wire
	}
	return 0
}

// Elements is [Codec.Count8] for a list without a number, whose elements of size bytes go
// on to the end of the payload. Bytes that are left over are trailing.
func (c *Codec) Elements(n, size int) int {
	if c.encoding {
		return n
	}
	return c.Remaining() / max(1, size)
}

// Resize gives the list that a decoding walk is about to fill n zero elements, in the
// memory it has if that suffices. An encoding walk leaves the list alone. The n comes
// from [Codec.Count8], which has found room for so many.
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

// Reuse is [Resize] for elements that hold memory of their own: those that the list has
// are not zeroed, and the walk of an element overwrites all of it.
func Reuse[E any](c *Codec, list *[]E, n int) {
	switch {
	case c.encoding:
	case n > cap(*list):
		*list = make([]E, n)
	default:
		*list = (*list)[:n]
	}
}

// Element begins the i-th element of a list: fields up to [Codec.End] are named within
// it, as in "Damagers[2].Score". A message whose elements hold lists of more of them limits
// how deep it goes, with [Codec.Fail].
func (c *Codec) Element(list string, i int) {
	if c.trace != nil {
		c.trace.enter(c, list, i)
	}
}

// Group begins a part of the message that is a struct of its own: fields up to
// [Codec.End] are named within it, as in "Tree.Files".
func (c *Codec) Group(name string) {
	c.Element(name, -1)
}

// End ends what [Codec.Element] or [Codec.Group] began.
func (c *Codec) End() {
	if c.trace != nil {
		c.trace.leave(c)
	}
}
