package stream

import "slices"

// A Walker is a message, or a part of a message, that describes its layout.
type Walker interface {
	// Walk visits the fields in wire order, without the opcode.
	//
	// A decoding walk overwrites every field. If a field is not always on the wire, begin the walk
	// with this statement. Otherwise the field keeps the value of the message before:
	//
	//	if c.Decoding() {
	//		*m = T{}
	//	}
	//
	// An encoding walk does not modify the message.
	Walk(*Codec)
}

// A Codec decodes or encodes one payload. Its primitives, such as [Codec.Uint8] and [Codec.Bool],
// take a pointer to a field. A decoding Codec stores the field there; an encoding Codec reads it.
//
// [Codec.Decode] or [Codec.Append] starts a Codec; the zero value is not ready to use. A
// Codec may be started again at any time. It stays on the stack if it is a local variable
// and no walk is called through an interface.
type Codec struct {
	buf      []byte // decoding: the payload; encoding: dst up to its capacity
	base     int    // start of the payload in buf
	off      uint32 // cursor in buf; may exceed its length; at least failed after an error
	mark     uint32 // offset of the open bit group
	group    uint8  // byte of the open bit group
	used     uint8  // bools so far in the open bit group, 0 if none is open
	left     uint8  // decoding: announced bools of the open bit group that are not yet read
	kind     kind   // last primitive
	op       int16  // opcode, negative for none
	encoding bool
	tolerant bool
	trace    *trace   // nil in the first walk
	reuse    *dissect // memory for the next dissection
}

const (
	// maxLen is the maximum length of a payload and the bytes before it in dst. It is far
	// above any datagram and far below the range of the cursor.
	maxLen = 1 << 28
	failed = 1 << 30 // cursor of a failed walk; no buf is this long
)

// Decode starts decoding a payload that begins with the opcode op, or data without an opcode, such as
// a part of a payload, if op is -1. Decoded bytes and texts alias the payload.
func (c *Codec) Decode(payload []byte, op int) {
	c.buf, c.base, c.off = payload[:min(len(payload), failed-1)], 0, 0
	c.start(op, false)
	if op >= 0 {
		c.off = 1
	}
	if op >= 0 && len(payload) > 0 && payload[0] != uint8(op) || len(payload) > maxLen {
		c.off = failed
	}
}

// Append starts appending a payload with the opcode op to dst, or data without an opcode if op is -1.
// The spare capacity of dst must not overlap memory that the message aliases.
func (c *Codec) Append(dst []byte, op int) {
	c.buf, c.base, c.off = dst[:min(cap(dst), maxLen)], len(dst), uint32(len(dst))
	c.start(op, true)
	if len(dst) > maxLen {
		c.off = failed
	}
	if op >= 0 {
		if int(c.off) < len(c.buf) {
			c.buf[c.off] = uint8(op)
		}
		c.off++
	}
}

// start resets all fields except those of the buffer. Setting them one by one is faster than
// clearing the Codec, most of all during a garbage collection.
func (c *Codec) start(op int, encoding bool) {
	c.mark, c.group, c.used, c.left, c.kind = 0, 0, 0, 0, kindNone
	c.op, c.encoding, c.tolerant = int16(op), encoding, false
	if c.trace != nil {
		c.trace = nil
	}
}

// Tolerant makes a decoding Codec accept malformed bit groups that the game accepts; see
// [Codec.Bool]. Such a payload does not re-encode to the same bytes. Decode makes the Codec strict;
// Trace does not.
func (c *Codec) Tolerant() { c.tolerant = true }

// Decoding reports whether the Codec decodes. Otherwise it encodes.
func (c *Codec) Decoding() bool { return !c.encoding }

// Remaining returns the number of bytes left to decode, or 0 after an error or when encoding.
func (c *Codec) Remaining() int {
	if c.encoding {
		return 0
	}
	return max(0, len(c.buf)-int(c.off))
}

// Offset returns the offset of the next byte from the start of the payload. After a read
// past the end, it exceeds the payload's length.
func (c *Codec) Offset() int { return int(c.off) - c.base }

// PeekUint returns the unsigned number of size bytes, at most 4, at Offset() + ahead. It does not read
// the bytes. PeekUint returns 0 if they are not all within the payload, and when encoding.
func (c *Codec) PeekUint(ahead, size int) (v uint32) {
	if ahead < 0 || size <= 0 || ahead > c.Remaining()-size {
		return 0
	}
	i := int(c.off) + ahead
	for shift, b := range c.buf[i : i+size] {
		v |= uint32(b) << (8 * shift)
	}
	return v
}

// Failed reports whether the walk has already failed. Call it before using decoded fields
// during a walk. After the walk, call [Codec.Done].
func (c *Codec) Failed() bool {
	return c.off >= failed || !c.encoding && int(c.off) > len(c.buf)
}

// Done reports whether the walk has decoded the whole payload or encoded the message. If
// not, call [Codec.Trace], repeat the walk, and call [Codec.Err] or [Codec.Result].
func (c *Codec) Done() bool {
	if c.encoding {
		return int(c.off) <= len(c.buf)
	}
	return int(c.off) == len(c.buf) && (c.left == 0 || c.tolerant)
}

// Trace prepares another walk, which finds the failed field. The argument message is the Go type of
// the message, for errors: "opcode.TorpedoFire". If the last walk did not fail but the spare capacity
// of dst was too small, Trace allocates a larger buffer instead.
//
// If visit is not nil, the walk passes each field to it, until it returns false. Call Trace in this
// way after Decode, or after an encoding walk that was Done, and call [Codec.Err] after the walk. The
// Codec keeps the memory for this, so that it allocates only once.
func (c *Codec) Trace(message string, visit func(*Field) bool) {
	if visit == nil && c.encoding && c.off <= maxLen {
		c.grow()
		return
	}
	if visit == nil {
		t := &locating{trace: trace{err: Error{Message: message, Encoding: c.encoding}}}
		t.err.path.steps = t.room[:0]
		c.trace = &t.trace
	} else {
		if c.reuse == nil {
			c.reuse = &dissect{list: make([]Field, 1)}
		}
		c.trace = c.reuse.start(c, message, visit)
	}
	c.off, c.mark, c.used, c.left, c.kind = uint32(c.base), 0, 0, 0, kindNone
	c.trace.begin(c)
}

func (c *Codec) grow() {
	c.Append(slices.Grow(c.buf[:c.base], int(c.off)-c.base), int(c.op))
}

// Result returns dst with the payload appended, or dst unchanged and the error.
func (c *Codec) Result() ([]byte, error) {
	if c.Done() {
		return c.buf[:c.off], nil
	}
	return c.buf[:c.base], c.Err()
}

// Err returns the error of the walk, an [*Error], or nil. Before [Codec.Trace], the error
// has no field, and its text asks to call Trace.
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
