package stream

import (
	"fmt"
	"io"
	"slices"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
)

// kind tells which primitive moved the cursor last, so that a trace can show the value.
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
	kindFloat64
	kindObjectID
	kindFloat16
	kindVector3
	kindVector4
	kindVector4F
	kindContact
	kindBool
	kindBytes
)

// trace follows a second walk, to find the field that fails or to collect all of them.
// It holds its error by value, so that locating one costs a single small allocation.
type trace struct {
	err     Error
	start   uint32   // of the field that was named last
	group   string   // field of the last bool, or the list it is in: its path would cost memory
	dissect *dissect // nil: only the failure is wanted
}

// dissect is the part of a trace that collects fields.
type dissect struct {
	field   func(Field) bool // nil: no more are wanted
	covered uint32           // end of what the fields cover
	mark    uint32           // of the last bool: its byte
	bit     uint8            // of the last bool: its place in the byte
	bool    bool             // of the last bool: what it is
	value   any              // of the field, where its message tells more than its kind does
}

// Field is what a walk made of a part of the payload.
//
// The fields of a payload come in the order of the walk and cover every byte exactly
// once: a packed bool whose byte another has opened has Size 0. What could not be
// decoded is the last field; it covers all that is left, and its Err is the [*Error]. Bytes
// after the last field have no path.
type Field struct {
	Path   string // "Damagers[2].Score"
	Offset int
	Size   int
	Raw    []byte // the bytes, aliasing the payload
	Bit    int    // of a packed bool: its bit in the byte at Offset; else -1
	Value  any    // as the primitive reads it, an int for a list's count; nil if Err is set
	Err    error
}

// Field names the field that the next primitive carries.
func (c *Codec) Field(name string) *Codec {
	if c.trace != nil {
		c.trace.name(c, name)
	}
	return c
}

// Show gives the field that was carried last a value of a type that says more than that
// of its primitive, such as an enumeration with a String method:
//
//	c.Field("Type").Uint8((*uint8)(&m.Type))
//	stream.Show(c, m.Type)
//
// It has an effect on dissection only.
func Show[T any](c *Codec, v T) {
	if c.trace != nil && c.trace.dissect != nil && c.kind != kindNone {
		c.trace.dissect.value = v
	}
}

// Collect prepares a walk that passes all fields to a function: of a payload being
// decoded, or of a message whose encoding walk was Done. When the function returns false
// it gets no more. The walk is over with [Codec.Err], which passes the last one. The
// message is as in [Codec.Again].
func (c *Codec) Collect(message string, field func(Field) bool) {
	c.restart(&trace{err: Error{Message: message, Encoding: c.encoding}, dissect: &dissect{field: field}})
}

func (t *trace) begin(c *Codec) {
	t.start = uint32(c.base)
	switch {
	case c.base > maxLen || !c.encoding && len(c.buf) > maxLen:
		c.Fail(ErrTooLong)
	case c.op < 0:
	default:
		c.kind = kindOpcode
		t.err.field = "Opcode"
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
	if t.dissect != nil || !c.encoding && int(c.off) > len(c.buf) {
		t.settle(c)
	}
	if t.err.Err == nil {
		t.err.field, t.start, c.kind = field, c.off, kindNone
	}
}

// settle closes the field that was named last.
func (t *trace) settle(c *Codec) {
	switch {
	case t.err.Err != nil:
	case !c.encoding && int(c.off) > len(c.buf):
		c.failAt(at, errEOF)
	case t.dissect != nil && int(c.off) > len(c.buf): // an encoder that was not Done
		c.failAt(at, io.ErrShortBuffer)
	case t.dissect != nil && c.kind != kindNone:
		t.dissect.collect(c)
	}
}

// collect passes the field that the last primitive carried.
func (d *dissect) collect(c *Codec) {
	if d.field != nil {
		d.pass(d.last(c))
	}
	d.covered, d.value = c.off, nil
}

func (d *dissect) last(c *Codec) Field {
	t := c.trace
	f := Field{
		Path:   t.err.Field(),
		Offset: int(t.start),
		Raw:    c.buf[t.start:c.off],
		Bit:    -1,
		Value:  d.value,
	}
	f.Size = len(f.Raw)
	if c.kind == kindBool {
		f.Offset, f.Bit = int(d.mark), int(d.bit)
	}
	if f.Value == nil {
		f.Value = d.read(c)
	}
	return f
}

func (d *dissect) pass(f Field) {
	if d.field != nil && !d.field(f) {
		d.field = nil
	}
}

// read reads the field once more.
func (d *dissect) read(walk *Codec) any {
	raw := walk.buf[walk.trace.start:walk.off]
	var c Codec
	c.DecodeBare(raw)
	switch walk.kind {
	case kindBool:
		return d.bool
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
	case kindFloat64:
		return read(c.Float64)
	case kindObjectID:
		return read[objectid.ID](c.ObjectID)
	case kindFloat16:
		return read[compress.Float16](c.Float16)
	case kindVector3:
		return read(c.Vector3)
	case kindVector4:
		return read(c.Vector4)
	case kindVector4F:
		return read(c.Vector4F)
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

func (t *trace) bool(c *Codec) {
	t.group = t.err.field
	if len(t.err.frames) > 0 {
		t.group = t.err.frames[0].name
	}
	if t.dissect != nil {
		t.dissect.mark, t.dissect.bit = c.mark, c.used
		t.dissect.bool = c.group>>c.used&1 != 0
	}
}

// fail records the first failure. What follows it is not traced.
func (t *trace) fail(c *Codec, off uint32, err error) {
	if t.err.Err != nil {
		return
	}
	if off == at {
		off = t.start
	}
	t.err.Offset = int(off) - c.base
	t.err.Err = err
	if d := t.dissect; d != nil {
		raw := c.buf[min(int(d.covered), len(c.buf)):]
		d.pass(Field{Path: t.err.Field(), Offset: int(d.covered), Size: len(raw), Raw: raw, Bit: -1, Err: &t.err})
	}
}

func (t *trace) enter(c *Codec, name string, index int) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	t.err.field, t.start, c.kind = "", c.off, kindNone
	if t.err.frames == nil {
		t.err.frames = t.err.inline[:0]
	}
	t.err.frames = append(t.err.frames, frame{name, index})
}

func (t *trace) leave(c *Codec) {
	t.settle(c)
	if t.err.Err != nil {
		return
	}
	t.start, c.kind = c.off, kindNone
	if last := len(t.err.frames) - 1; last >= 0 {
		t.err.field = t.err.frames[last].name
		t.err.frames = t.err.frames[:last]
	}
}

// end closes the last field and looks at what no field can see.
func (t *trace) end(c *Codec) error {
	t.settle(c)
	switch {
	case t.err.Err != nil:
	case c.encoding:
	case c.left != 0 && !c.lenient:
		t.err.field, t.err.frames = t.group, nil
		t.fail(c, c.mark, ErrBadBitGroup)
	case int(c.off) < len(c.buf):
		t.err.field, t.err.frames = "", nil
		t.fail(c, c.off, ErrTrailing)
	}
	c.kind = kindNone // settled: a second call adds nothing
	if t.err.Err == nil {
		return nil
	}
	return &t.err
}

// message returns the name of a message's type.
func message(m Walker) string {
	return string(slices.DeleteFunc([]byte(fmt.Sprintf("%T", m)), func(b byte) bool { return b == '*' }))
}
