package stream

import (
	"io"
	"strconv"
)

// dissect is the part of a trace that passes fields to a function.
type dissect struct {
	trace   trace
	visit   func(*Field) bool // nil after it has returned false
	field   Field             // the last one
	group   *Group            // around the current field
	groups  []Group           // memory of groups
	room    [1]Group          // memory of groups, enough for most walks
	shown   shown             // type from Show, nil for the primitive's
	number  int32             // value from Show
	covered uint32            // end of the bytes that the fields cover
	mark    uint32            // offset of the last bool's byte
	bit     uint8             // bit of the last bool
	bool    bool              // value of the last bool
}

// maxGroups is the number of groups for which a Codec keeps the memory.
const maxGroups = 1 << 10

// start prepares a dissection. It reuses the memory of the last one.
func (d *dissect) start(c *Codec, message string) *trace {
	if d.groups = d.groups[:0]; cap(d.groups) == 0 || cap(d.groups) > maxGroups {
		d.groups = d.room[:0]
	}
	d.trace = trace{err: Error{Message: message, Encoding: c.encoding}, dissect: d}
	d.visit, d.covered, d.shown, d.group = c.Visit, uint32(c.base), nil, nil
	return &d.trace
}

// enter begins a group. Fields may keep the groups of a walk, which do not change.
func (d *dissect) enter(name string, index int) {
	d.groups = append(d.groups, Group{Parent: d.group, Name: name, Index: index})
	d.group = &d.groups[len(d.groups)-1]
}

// leave ends the last group and returns its name.
func (d *dissect) leave() (name string) {
	if d.group == nil {
		return d.trace.err.path.field
	}
	name, d.group = d.group.Name, d.group.Parent
	return name
}

// shows returns the dissection if there is one and if it has a field that Show can change.
func (c *Codec) shows() *dissect {
	if c.trace == nil || c.kind == kindNone {
		return nil
	}
	return c.trace.dissect
}

// take passes the field of the last primitive. It avoids writes of nil, which are slow during a garbage
// collection.
func (d *dissect) take(c *Codec) {
	if d.visit != nil {
		start := d.trace.start
		f := &d.field
		f.Name, f.Raw = d.trace.err.path.field, c.buf[start:c.off:c.off]
		f.Offset, f.Bit, f.kind, f.number = int(start)-c.base, -1, c.kind, d.number
		if f.Group != d.group {
			f.Group = d.group
		}
		if f.shown != nil || d.shown != nil {
			f.shown = d.shown
		}
		if c.kind == kindBool {
			f.Offset, f.Bit = int(d.mark)-c.base, int(d.bit)
			if d.bool && d.shown == nil {
				f.number = 1
			}
		}
		d.pass(f)
	}
	if d.covered, d.number = c.off, 0; d.shown != nil {
		d.shown = nil
	}
}

// fail passes the remaining bytes with the error. Only decoding fails with a dissection.
func (d *dissect) fail(c *Codec, err *Error) {
	if d.visit != nil {
		raw := c.buf[min(int(d.covered), len(c.buf)):]
		d.field = Field{Name: err.path.field, Group: d.group, Offset: int(d.covered), Raw: raw, Bit: -1, Err: err}
		d.pass(&d.field)
	}
}

func (d *dissect) pass(f *Field) {
	if !d.visit(f) {
		d.visit = nil
	}
}

// trace follows a second walk to find the failed field or to collect all fields. It holds
// its error by value, so that locating an error needs one small allocation.
type trace struct {
	err     Error
	start   uint32   // offset of the current field
	group   string   // top-level field of the last bool; keeping its path would allocate
	dissect *dissect // nil if only the error is needed
}

// locating is a trace that only finds the failed field, with its memory.
type locating struct {
	trace
	room [2]step // enough for most walks
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
		case i >= len(c.buf), c.encoding:
		case c.buf[i] != uint8(c.op):
			c.Fail(opcodeError(c.buf[i]))
		}
	}
}

func (t *trace) name(c *Codec, field string) {
	t.settle(c)
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
		t.dissect.take(c)
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
	}
	return nil
}

func (t *trace) bool(c *Codec) {
	if d := t.dissect; d != nil {
		d.mark, d.bit, d.bool = c.mark, c.used, c.group>>c.used&1 != 0
		t.group = d.group.outermost(t.err.path.field)
		return
	}
	t.group = t.err.path.outermost()
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
	if d := t.dissect; d != nil {
		t.err.path.steps = d.group.steps(nil)
		d.fail(c, &t.err)
	}
}

func (t *trace) enter(c *Codec, name string, index int) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	if t.dissect != nil {
		t.dissect.enter(name, index)
		t.err.path.field = ""
	} else {
		t.err.path.enter(name, index)
	}
	t.start, c.kind = c.off, kindNone
}

func (t *trace) leave(c *Codec) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	if t.dissect != nil {
		t.err.path.field = t.dissect.leave()
	} else {
		t.err.path.leave()
	}
	t.start, c.kind = c.off, kindNone
}

// end finishes the last field and finds unread bools and trailing bytes.
func (t *trace) end(c *Codec) error {
	t.settle(c)
	switch {
	case t.err.Err != nil:
	case c.encoding:
	case c.left != 0 && !c.Tolerant:
		t.jump(t.group)
		t.fail(c, c.mark, ErrBadBitGroup)
	case int(c.off) < len(c.buf):
		t.jump("")
		t.fail(c, c.off, ErrTrailing)
	}
	if t.err.Err == nil {
		return nil
	}
	if t.dissect != nil {
		c.reuse = nil // the caller keeps the error
	}
	return &t.err
}

// jump moves to a field outside of all groups.
func (t *trace) jump(field string) { t.err.path = path{field: field} }

// path leads to a field: the lists and groups around it, and its name.
type path struct {
	field string // empty in an element before its first field
	steps []step
}

// step is a list element or a group.
type step struct {
	name  string
	index int // -1 for a group
}

func (p *path) enter(name string, index int) {
	p.steps = append(p.steps, step{name, index})
	p.field = ""
}

// leave ends the last list element or group. The path then leads to the list or group
// itself.
func (p *path) leave() {
	if last := len(p.steps) - 1; last >= 0 {
		p.field = p.steps[last].name
		p.steps = p.steps[:last]
	}
}

// outermost returns the top-level field that contains the path.
func (p *path) outermost() string {
	if len(p.steps) > 0 {
		return p.steps[0].name
	}
	return p.field
}

// String returns a path such as "Damagers[2].Score".
func (p *path) String() string {
	if len(p.steps) == 0 {
		return p.field
	}
	var room [64]byte // avoids a second allocation
	b := room[:0]
	for i, s := range p.steps {
		if i > 0 {
			b = append(b, '.')
		}
		b = append(b, s.name...)
		if s.index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
		}
	}
	if p.field != "" {
		b = append(b, '.')
		b = append(b, p.field...)
	}
	return string(b)
}
