package stream

// A Field is a part of a dissected payload. The fields of a payload cover every byte exactly once,
// in the order of the walk. A packed bool that shares the byte of an earlier bool has Size 0. If
// decoding fails, the last field covers the remaining bytes, and its Err is the [*Error].
type Field struct {
	Path   string // "Damagers[2].Score"; empty for bytes after the last field
	Offset int
	Size   int
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

// Collect prepares a walk that passes each field to a function. Call it after [Codec.Decode], or
// after an encoding walk that was Done, and call [Codec.Err] after the walk. Once the function
// returns false, it is not called again. The message is as in [Codec.Again].
func (c *Codec) Collect(message string, field func(Field) bool) {
	c.restart(&trace{
		err:     Error{Message: message, Encoding: c.encoding},
		dissect: &dissect{field: field, covered: uint32(c.base)},
	})
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

// fail passes the remaining bytes with the error.
func (d *dissect) fail(c *Codec, err *Error) {
	raw := c.buf[min(int(d.covered), len(c.buf)):]
	d.pass(Field{Path: err.Field(), Offset: int(d.covered) - c.base, Size: len(raw), Raw: raw, Bit: -1, Err: err})
}

func (d *dissect) pass(f Field) {
	if d.field != nil && !d.field(f) {
		d.field = nil
	}
}
