package stream

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

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
	op       int16  // opcode, -1 for none
	encoding bool
	tolerant bool
	trace    *trace // nil in the first walk
}

const (
	// maxLen is the maximum length of a payload and the bytes before it in dst. It is far
	// above any datagram and far below the range of the cursor.
	maxLen = 1 << 28
	failed = 1 << 30 // cursor of a failed walk; no buf is this long
)

// Decode starts decoding a payload that begins with the opcode op. Decoded bytes and texts
// alias the payload.
func (c *Codec) Decode(payload []byte, op uint8) {
	*c = Codec{}
	c.buf = payload[:min(len(payload), failed-1)]
	c.op = int16(op)
	c.off = 1
	if len(payload) > 0 && payload[0] != op || len(payload) > maxLen {
		c.off = failed
	}
}

// DecodeBare starts decoding data without an opcode, such as a part of a payload.
func (c *Codec) DecodeBare(data []byte) {
	*c = Codec{}
	c.buf = data[:min(len(data), failed-1)]
	c.op = -1
	if len(data) > maxLen {
		c.off = failed
	}
}

// Append starts appending a payload with the opcode op to dst. The spare capacity of dst
// must not overlap memory that the message aliases.
func (c *Codec) Append(dst []byte, op uint8) {
	c.AppendBare(dst)
	c.op = int16(op)
	if int(c.off) < len(c.buf) {
		c.buf[c.off] = op
	}
	c.off++
}

// AppendBare is [Codec.Append] without an opcode.
func (c *Codec) AppendBare(dst []byte) {
	*c = Codec{}
	c.buf = dst[:min(cap(dst), maxLen)]
	c.base = len(dst)
	c.off = uint32(len(dst))
	c.op = -1
	c.encoding = true
	if len(dst) > maxLen {
		c.off = failed
	}
}

// Tolerant makes a decoding Codec accept malformed bit groups that the game accepts; see
// [Codec.Bool]. Such a payload does not re-encode to the same bytes. Decode and DecodeBare make the
// Codec strict; Again does not.
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

// A Walker is a message, or a part of a message, that describes its layout.
type Walker interface {
	// Walk visits the fields in wire order, without the opcode. A decoding walk overwrites
	// every field, also those that are not on the wire; begin it with *m = T{} if there are such
	// fields. An encoding walk does not modify the message.
	Walk(*Codec)
}

// Unmarshal decodes a payload that begins with the opcode op into m. Texts and bytes of m
// alias the payload. The error is an [*Error]. Unmarshal allocates a [Codec]. To avoid that,
// follow the example of [Codec].
func Unmarshal[Op ~uint8](payload []byte, op Op, m Walker) error {
	var c Codec
	c.Decode(payload, uint8(op))
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Again(message(m))
	m.Walk(&c)
	return c.Err()
}

// Append appends a payload with the opcode op to dst. On error it returns dst unchanged.
// The spare capacity of dst must not overlap memory that m aliases.
func Append[Op ~uint8](dst []byte, op Op, m Walker) ([]byte, error) {
	var c Codec
	c.Append(dst, uint8(op))
	m.Walk(&c)
	if !c.Done() {
		c.Again(message(m))
		m.Walk(&c)
	}
	return c.Result()
}

// Dissect decodes a payload that begins with the opcode op into m and returns its fields.
// The fields cover every byte even if Dissect returns an error; see [Field].
func Dissect[Op ~uint8](payload []byte, op Op, m Walker) (fields []Field, err error) {
	var c Codec
	c.Decode(payload, uint8(op))
	c.Collect(message(m), func(f Field) bool {
		if n := len(fields); n == cap(fields) { // each remaining byte has at most one more field
			fields = slices.Grow(fields, 1+min(3*n, len(payload)-f.Offset))
		}
		fields = append(fields, f)
		return true
	})
	m.Walk(&c)
	return fields, c.Err()
}

// Describe iterates over the fields of m as encoded with the opcode op. It does not modify
// m. If m cannot be encoded, Describe yields only the error.
func Describe[Op ~uint8](op Op, m Walker) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		payload, err := Append(nil, op, m)
		if err != nil {
			yield(Field{}, err)
			return
		}
		var c Codec
		c.Append(payload[:0], uint8(op))
		c.Collect(message(m), func(f Field) bool { return yield(f, nil) })
		m.Walk(&c)
		_ = c.Err() // passes the last field; nil, because Append has succeeded
	}
}

// message returns the name of a message's type.
func message(m Walker) string {
	return strings.ReplaceAll(fmt.Sprintf("%T", m), "*", "")
}

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
