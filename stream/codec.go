package stream

import (
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

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
	// An encoding walk does not modify the message. A walk may be called twice; see [Codec.Decode].
	Walk(*Codec)
}

// A Codec decodes or encodes payloads. Its primitives, such as [Codec.Uint8] and [Codec.Bool], take a
// pointer to a field. A decoding Codec stores the field there; an encoding Codec reads it.
//
// The zero value is ready to use. A Codec that is used again allocates nothing, unless a walk fails.
// It is not safe for concurrent use.
type Codec struct {
	// Visit, if it is not nil, is called with each [Field] of a payload that is decoded, or that was
	// encoded without an error, until it returns false.
	Visit func(*Field) bool
	// Tolerant makes decoding accept malformed bit groups that the game accepts; see [Codec.Bool].
	// Such a payload does not re-encode to the same bytes.
	Tolerant bool
	// IDs, if it is not nil, replaces the object IDs, peer IDs and slots that are encoded. Encoding fails
	// with [ErrRange] if an ID has no replacement.
	IDs *objectid.Map

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
	odd      float32  // NaN after a float32 that is not finite, for Encodes
	trace    *trace   // nil in the first walk
	reuse    *dissect // memory for the next dissection
}

const (
	// maxLen is the maximum length of a payload and the bytes before it in dst. It is far
	// above any datagram and far below the range of the cursor.
	maxLen = 1 << 28
	failed = 1 << 30 // cursor of a failed walk; no buf is this long
)

// Decode decodes a payload that begins with the opcode op, or data without an opcode, such as a part of
// a payload, if op is -1. Decoded bytes and texts alias the payload. The walk is usually the method
// Walk of a [Walker]. If it fails, Decode calls it again to find the failed field, and returns an
// [*Error], which names the message: its Go type, such as "opcode.TorpedoFire".
func (c *Codec) Decode(payload []byte, op int, message string, walk func(*Codec)) error {
	c.beginDecode(payload, op)
	if c.Visit == nil {
		if walk(c); c.done() {
			return nil
		}
	}
	return c.walkTraced(message, walk)
}

// Fits reports whether a walk decodes the whole payload. It is Decode without a visit and an error, and calls the walk
// once.
func (c *Codec) Fits(payload []byte, op int, walk func(*Codec)) bool {
	c.beginDecode(payload, op)
	walk(c)
	return c.done()
}

// Encodes reports whether Append can encode a walk and whether all its float32s are finite. It encodes
// nothing, and calls the walk once.
func (c *Codec) Encodes(walk func(*Codec)) bool {
	c.beginAppend(nil, 0)
	c.odd = 0
	walk(c)
	return c.off <= maxLen && c.odd == 0
}

// Append appends a payload with the opcode op to dst, or data without an opcode if op is -1. The spare
// capacity of dst must not overlap memory that the message aliases. If it is too small, Append
// allocates a buffer of the size that the first walk measured. On error, Append returns dst unchanged.
func (c *Codec) Append(dst []byte, op int, message string, walk func(*Codec)) ([]byte, error) {
	c.beginAppend(dst, op)
	walk(c)
	if !c.done() && c.off <= maxLen {
		c.beginAppend(slices.Grow(dst, int(c.off)-c.base), op)
		walk(c)
	}
	if end := c.off; c.done() {
		if c.Visit != nil {
			_ = c.walkTraced(message, walk)
		}
		return c.buf[:end], nil
	}
	return dst, c.walkTraced(message, walk)
}

func (c *Codec) beginDecode(payload []byte, op int) {
	c.buf, c.base, c.off = payload[:min(len(payload), failed-1)], 0, 0
	c.begin(op, false)
	if op >= 0 {
		c.off = 1
	}
	if op >= 0 && len(payload) > 0 && payload[0] != uint8(op) || len(payload) > maxLen {
		c.off = failed
	}
}

func (c *Codec) beginAppend(dst []byte, op int) {
	c.buf, c.base, c.off = dst[:min(cap(dst), maxLen)], len(dst), uint32(len(dst))
	c.begin(op, true)
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

// begin resets the fields of a walk. Setting them one by one is faster than clearing the Codec, most
// of all during a garbage collection.
func (c *Codec) begin(op int, encoding bool) {
	c.mark, c.group, c.used, c.left, c.kind = 0, 0, 0, 0, kindNone
	c.op, c.encoding = int16(op), encoding
	if c.trace != nil {
		c.trace = nil
	}
}

// done reports whether the walk has decoded the whole payload or encoded the message.
func (c *Codec) done() bool {
	if c.encoding {
		return int(c.off) <= len(c.buf)
	}
	return int(c.off) == len(c.buf) && (c.left == 0 || c.Tolerant)
}

// walkTraced walks to visit the fields or, after a walk that failed, to find the failed field.
func (c *Codec) walkTraced(message string, walk func(*Codec)) error {
	if c.Visit == nil || c.encoding && !c.done() {
		t := &locating{trace: trace{err: Error{Message: message, Encoding: c.encoding}}}
		t.err.path.steps = t.room[:0]
		c.trace = &t.trace
	} else {
		if c.reuse == nil {
			c.reuse = new(dissect)
		}
		c.trace = c.reuse.start(c, message)
	}
	c.off, c.mark, c.used, c.left, c.kind = uint32(c.base), 0, 0, 0, kindNone
	c.trace.begin(c)
	walk(c)
	return c.trace.end(c)
}

// Decoding reports whether the Codec decodes. Otherwise it encodes.
func (c *Codec) Decoding() bool { return !c.encoding }

// Remaining returns the number of bytes left to decode, or 0 after an error or when encoding.
func (c *Codec) Remaining() int {
	if c.encoding {
		return 0
	}
	return max(0, len(c.buf)-int(c.off))
}

// Offset returns the offset of the next byte from the start of the payload. After an error, it exceeds
// the payload's length.
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
