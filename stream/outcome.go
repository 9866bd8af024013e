package stream

import "slices"

// Failed says that the walk has failed already. A walk that hands out what it has decoded
// while it goes on asks before it does; for the others [Codec.Done] is enough.
func (c *Codec) Failed() bool {
	return c.off >= failed || !c.encoding && int(c.off) > len(c.buf)
}

// Done says that the walk has succeeded: that it has decoded the payload to its end, or
// encoded the message. Otherwise call [Codec.Again], walk once more, and take
// [Codec.Err] or [Codec.Result].
func (c *Codec) Done() bool {
	if c.encoding {
		return int(c.off) <= len(c.buf)
	}
	return int(c.off) == len(c.buf) && (c.left == 0 || c.tolerant)
}

// Again prepares the second walk after one that was not Done. For an encoder that
// lacked room it makes room; for any other failure the second walk finds the field. The
// message is the Go type that walks, with its package: "opcode.TorpedoFire".
func (c *Codec) Again(message string) {
	if c.encoding && c.off <= maxLen {
		c.grow()
		return
	}
	c.restart(&trace{err: Error{Message: message, Encoding: c.encoding}})
}

func (c *Codec) grow() {
	dst := slices.Grow(c.buf[:c.base], int(c.off)-c.base)
	if op := c.op; op >= 0 {
		c.Append(dst, uint8(op))
	} else {
		c.AppendBare(dst)
	}
}

// restart goes back to the beginning of the payload, tracing.
func (c *Codec) restart(t *trace) {
	c.trace = t
	c.off, c.mark, c.used, c.left, c.kind = uint32(c.base), 0, 0, 0, kindNone
	t.begin(c)
}

// Result returns dst with the payload appended, or dst as it was and the error.
func (c *Codec) Result() ([]byte, error) {
	if c.Done() {
		return c.buf[:c.off], nil
	}
	return c.buf[:c.base], c.Err()
}

// Err returns the error of a walk, nil if there was none. It is an [*Error], which tells
// the field and the reason after [Codec.Again] only.
func (c *Codec) Err() error {
	switch {
	case c.trace != nil:
		return c.trace.end(c)
	case c.Done():
		return nil
	}
	return &Error{Message: "stream.Codec", Encoding: c.encoding, Err: errUnlocated}
}

// Fail makes the walk fail with err at the field that was named last, or the element or
// group that has begun since, for what only the message knows to be impossible, such as
// nesting beyond a limit. Primitives after it read zero. A nil error is none.
func (c *Codec) Fail(err error) {
	if err != nil {
		c.failAt(here, err)
	}
}

// here is the place of the field that was named last.
const here = ^uint32(0)

func (c *Codec) failAt(off uint32, err error) {
	c.off, c.used, c.left = failed, 0, 0
	if c.trace != nil {
		c.trace.fail(c, off, err)
	}
}
