package stream

import "io"

// trace follows a second walk to find the failed field or to collect all fields. It holds
// its error by value, so that locating an error needs one small allocation.
type trace struct {
	err     Error
	start   uint32   // offset of the current field
	group   string   // top-level field of the last bool; keeping its path would allocate
	dissect *dissect // nil if only the error is needed
}

// Field names the field that the next primitive decodes or encodes.
func (c *Codec) Field(name string) *Codec {
	if c.trace != nil {
		c.trace.name(c, name)
	}
	return c
}

func (t *trace) begin(c *Codec) {
	t.start = uint32(c.base)
	switch {
	case c.base > maxLen || !c.encoding && len(c.buf) > maxLen:
		c.tooLong(max(c.base, len(c.buf)), maxLen, "bytes")
	case c.op < 0:
	default:
		c.kind = kindOpcode
		t.err.path.field = "Opcode"
		c.off++
		switch i := c.base; {
		case i >= len(c.buf):
		case c.encoding:
			c.buf[i] = uint8(c.op)
		case c.buf[i] != uint8(c.op):
			c.Fail(opcodeError(c.buf[i]))
		}
	}
}

func (t *trace) name(c *Codec, field string) {
	if t.dissect != nil || int(c.off) > len(c.buf) {
		t.settle(c)
	}
	if t.err.Err == nil {
		t.err.path.field, t.start, c.kind = field, c.off, kindNone
	}
}

// settle finishes the current field.
func (t *trace) settle(c *Codec) {
	if t.err.Err != nil {
		return
	}
	if err := t.overrun(c); err != nil {
		c.failAt(here, err)
	} else if t.dissect != nil && c.kind != kindNone {
		t.dissect.collect(c)
	}
}

// overrun returns the reason if the cursor is past the end. An encoder that only looks for
// its error may lack room.
func (t *trace) overrun(c *Codec) error {
	switch {
	case int(c.off) <= len(c.buf):
		return nil
	case !c.encoding:
		return io.ErrUnexpectedEOF
	case c.off > maxLen:
		return &lengthError{int(c.off), maxLen, "bytes"}
	case t.dissect != nil: // Collect was called after a walk that was not Done
		return io.ErrShortBuffer
	}
	return nil
}

func (t *trace) bool(c *Codec) {
	t.group = t.err.path.outermost()
	if t.dissect != nil {
		t.dissect.mark, t.dissect.bit = c.mark, c.used
		t.dissect.bool = c.group>>c.used&1 != 0
	}
}

// fail records the first failure and ends the trace.
func (t *trace) fail(c *Codec, off uint32, err error) {
	if t.err.Err != nil {
		return
	}
	if off == here {
		off = t.start
	}
	t.err.Offset = int(off) - c.base
	t.err.Err = err
	if t.dissect != nil {
		t.dissect.fail(c, &t.err)
	}
}

func (t *trace) enter(c *Codec, name string, index int) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	t.err.path.enter(name, index)
	t.start, c.kind = c.off, kindNone
}

func (t *trace) leave(c *Codec) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	t.err.path.leave()
	t.start, c.kind = c.off, kindNone
}

// end finishes the last field and finds unread bools and trailing bytes.
func (t *trace) end(c *Codec) error {
	t.settle(c)
	switch {
	case t.err.Err != nil:
	case c.encoding:
	case c.left != 0 && !c.tolerant:
		t.err.path = path{field: t.group}
		t.fail(c, c.mark, ErrBadBitGroup)
	case int(c.off) < len(c.buf):
		t.err.path = path{}
		t.fail(c, c.off, ErrTrailing)
	}
	c.kind = kindNone // a second call finishes no further field
	if t.err.Err == nil {
		return nil
	}
	return &t.err
}
