package stream

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
