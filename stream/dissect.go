package stream

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

// dissect is the part of a trace that collects fields.
type dissect struct {
	field   func(Field) bool // nil: no more are wanted
	covered uint32           // end of what the fields cover
	mark    uint32           // of the last bool: its byte
	bit     uint8            // of the last bool: its place in the byte
	bool    bool             // of the last bool: what it is
	value   any              // of the field, where its message tells more than its kind does
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
	c.restart(&trace{
		err:     Error{Message: message, Encoding: c.encoding},
		dissect: &dissect{field: field, covered: uint32(c.base)},
	})
}

// collect passes the field that the last primitive carried.
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
		Size:   len(raw),
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

// fail passes all that is left.
func (d *dissect) fail(c *Codec, err *Error) {
	raw := c.buf[min(int(d.covered), len(c.buf)):]
	d.pass(Field{Path: err.Field(), Offset: int(d.covered) - c.base, Size: len(raw), Raw: raw, Bit: -1, Err: err})
}

func (d *dissect) pass(f Field) {
	if d.field != nil && !d.field(f) {
		d.field = nil
	}
}
