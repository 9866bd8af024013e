package stream

import "slices"

// Failed reports whether the walk has already failed. Call it before using decoded fields
// during a walk. After the walk, call [Codec.Done].
func (c *Codec) Failed() bool {
	return c.off >= failed || !c.encoding && int(c.off) > len(c.buf)
}

// Done reports whether the walk has decoded the whole payload or encoded the message. If
// not, call [Codec.Again], repeat the walk, and call [Codec.Err] or [Codec.Result].
func (c *Codec) Done() bool {
	if c.encoding {
		return int(c.off) <= len(c.buf)
	}
	return int(c.off) == len(c.buf) && (c.left == 0 || c.tolerant)
}

// Again prepares a second walk after a walk that was not Done. If the spare capacity of dst was too
// small, Again allocates a larger buffer. Otherwise the second walk finds the failed field. The
// argument message is the Go type of the message, for errors: "opcode.TorpedoFire".
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

// restart begins a walk with the trace t at the start of the payload.
func (c *Codec) restart(t *trace) {
	c.trace = t
	c.off, c.mark, c.used, c.left, c.kind = uint32(c.base), 0, 0, 0, kindNone
	t.begin(c)
}

// Result returns dst with the payload appended, or dst unchanged and the error.
func (c *Codec) Result() ([]byte, error) {
	if c.Done() {
		return c.buf[:c.off], nil
	}
	return c.buf[:c.base], c.Err()
}

// Err returns the error of the walk, an [*Error], or nil. Before [Codec.Again], the error
// has no field, and its text asks to call Again.
func (c *Codec) Err() error {
	switch {
	case c.trace != nil:
		return c.trace.end(c)
	case c.Done():
		return nil
	}
	return &Error{Message: "stream.Codec", Encoding: c.encoding, Err: errUnlocated}
}

// Fail makes the walk fail with err at the current field, list element or group. A message
// calls it for an invalid value, such as nesting beyond a limit. Primitives after Fail read
// zero. Fail does nothing if err is nil.
func (c *Codec) Fail(err error) {
	if err != nil {
		c.failAt(here, err)
	}
}

// here stands for the offset of the current field.
const here = ^uint32(0)

func (c *Codec) failAt(off uint32, err error) {
	c.off, c.used, c.left = failed, 0, 0
	if c.trace != nil {
		c.trace.fail(c, off, err)
	}
}
