package stream

import (
	"io"
	"strconv"
)

// A Field is a part of a dissected payload. The fields of a payload cover every byte exactly once,
// in the order of the walk. A packed bool that shares the byte of an earlier bool has an empty Raw. If
// decoding fails, the last field covers the remaining bytes, and its Err is the [*Error].
type Field struct {
	Path   string // "Damagers[2].Score"; empty for bytes after the last field
	Offset int
	Raw    []byte // aliases the payload
	Bit    int    // bit of a packed bool in the byte at Offset; otherwise -1
	Value  any    // decoded value, an int for the length of a list; nil if Err is set
	Err    error
}

// dissect is the part of a trace that collects fields.
type dissect struct {
	field   func(Field) bool // nil after it has returned false
	covered uint32           // end of the bytes that the fields cover
	mark    uint32           // offset of the last bool's byte
	bit     uint8            // bit of the last bool
	bool    bool             // value of the last bool
	value   any              // value from Show, nil for the primitive's
}

// Show sets the Value of the last [Field] in a dissection. Use it for types with a String method:
//
//	c.Field("Type").Uint8((*uint8)(&m.Type))
//	stream.Show(c, m.Type)
func Show[T any](c *Codec, v T) {
	if c.trace != nil && c.trace.dissect != nil && c.kind != kindNone {
		c.trace.dissect.value = v
	}
}

// collect passes the field of the last primitive.
func (d *dissect) collect(c *Codec) {
	if d.field != nil {
		d.pass(d.last(c))
	}
	d.covered, d.value = c.off, nil
}

func (d *dissect) last(c *Codec) Field {
	start, raw := c.trace.start, c.buf[c.trace.start:c.off:c.off]
	f := Field{
		Path:   c.trace.err.Field(),
		Offset: int(start) - c.base,
		Raw:    raw,
		Bit:    -1,
		Value:  d.value,
	}
	if c.kind == kindBool {
		f.Offset, f.Bit = int(d.mark)-c.base, int(d.bit)
	}
	switch {
	case f.Value != nil:
	case c.kind == kindBool:
		f.Value = d.bool
	default:
		f.Value = c.kind.read(raw)
	}
	return f
}

// fail passes the remaining bytes with the error.
func (d *dissect) fail(c *Codec, err *Error) {
	raw := c.buf[min(int(d.covered), len(c.buf)):]
	d.pass(Field{Path: err.Field(), Offset: int(d.covered) - c.base, Raw: raw, Bit: -1, Err: err})
}

func (d *dissect) pass(f Field) {
	if d.field != nil && !d.field(f) {
		d.field = nil
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
	case t.dissect != nil: // Trace was called after a walk that was not Done
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

// path leads to a field: the lists and groups around it, and its name.
type path struct {
	field string // empty in an element before its first field
	steps []step
	room  [2]step // memory of steps, enough for most walks
}

// step is a list element or a group.
type step struct {
	name  string
	index int // -1 for a group
}

func (p *path) enter(name string, index int) {
	if p.steps == nil {
		p.steps = p.room[:0]
	}
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

// kind identifies the last primitive, so that a trace can decode its value again.
type kind uint8

const (
	kindNone kind = iota
	kindOpcode
	kindUint8
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindObjectID
	kindFloat16
	kindVector3
	kindVector4
	kindContact
	kindBool
	kindBytes
)

// read decodes raw with the primitive.
func (k kind) read(raw []byte) any {
	var c Codec
	c.Decode(raw, -1)
	switch k {
	case kindOpcode, kindUint8:
		return read(c.Uint8)
	case kindInt8:
		return read(c.Int8)
	case kindUint16:
		return read(c.Uint16)
	case kindInt16:
		return read(c.Int16)
	case kindUint32:
		return read(c.Uint32)
	case kindInt32:
		return read(c.Int32)
	case kindFloat32:
		return read(c.Float32)
	case kindObjectID:
		return read(c.ObjectID)
	case kindFloat16:
		return read(c.Float16)
	case kindVector3:
		return read(c.Vector3)
	case kindVector4:
		return read(c.Vector4)
	case kindContact:
		return read(c.Contact)
	default:
		return raw
	}
}

func read[T any](primitive func(*T)) T {
	var v T
	primitive(&v)
	return v
}
