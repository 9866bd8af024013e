package stream

// Codec carries one payload in one direction, decoding or encoding. A message states
// its layout once, in a walk that names each field and hands its address to a primitive:
//
//	func (m *Jump) Walk(c *stream.Codec) {
//		c.Field("ShipID").ObjectID(&m.ShipID)
//		c.Field("Warp").Bool(&m.Warp)
//		c.Field("Factor").Float32(&m.Factor)
//	}
//
// The zero value is not ready: [Codec.Decode] or [Codec.Append] starts it. A Codec may
// be started again and again; declared as a local variable of the function that starts
// it, it stays off the heap. [Unmarshal] and [Append] wrap that up.
type Codec struct {
	buf      []byte // the payload, or all the room for it and for what it is appended to
	base     int    // where the payload begins
	off      uint32 // the cursor, in buf; grows past the end; at least failed after an error
	mark     uint32 // of the open bit group: where its byte is
	group    uint8  // of the open bit group: its byte
	used     uint8  // of the open bit group: bools so far, 0 if none is open
	left     uint8  // of the open bit group, decoding: bools announced and not yet read
	kind     kind   // of the last primitive
	op       int16  // opcode that the payload begins with, -1 for none
	encoding bool
	tolerant bool
	trace    *trace // nil in the first pass
}

const (
	// maxLen is the length of the longest payload, together with what it is appended to:
	// far more than a transport carries, and far less than the cursor can count.
	maxLen = 1 << 28
	failed = 1 << 30 // where a failed walk puts the cursor; no buf is so long
)

// Decode starts decoding a payload that begins with the opcode op. The payload is not
// copied: what the walk reads as bytes or text is part of it.
func (c *Codec) Decode(payload []byte, op uint8) {
	*c = Codec{}
	c.buf = payload[:min(len(payload), failed-1)]
	c.op = int16(op)
	c.off = 1
	if len(payload) > 0 && payload[0] != op || len(payload) > maxLen {
		c.off = failed
	}
}

// DecodeBare starts decoding bytes without an opcode, such as a part of a payload.
func (c *Codec) DecodeBare(data []byte) {
	*c = Codec{}
	c.buf = data[:min(len(data), failed-1)]
	c.op = -1
	if len(data) > maxLen {
		c.off = failed
	}
}

// Append starts encoding a payload with the opcode op after the bytes of dst, in its
// capacity if that suffices. That memory must not hold what the message refers to, such as
// the payload it was decoded from.
func (c *Codec) Append(dst []byte, op uint8) {
	c.AppendBare(dst)
	c.op = int16(op)
	if int(c.off) < len(c.buf) {
		c.buf[c.off] = op
	}
	c.off++
}

// AppendBare starts encoding without an opcode.
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

// Tolerant makes a decoding Codec accept bit groups that no encoder writes; see
// [ErrBadBitGroup] and [Codec.Bool]. Their payload does not survive encoding: keep it.
// Starting the Codec again ends it.
func (c *Codec) Tolerant() { c.tolerant = true }

// Decoding says that the walk reads the payload into the message.
func (c *Codec) Decoding() bool { return !c.encoding }

// Remaining returns how many bytes of the payload are left to decode, 0 after an error
// and when encoding.
func (c *Codec) Remaining() int {
	if c.encoding {
		return 0
	}
	return max(0, len(c.buf)-int(c.off))
}

// Offset returns how many bytes of the payload the walk has gone through, the opcode
// included. It goes on growing past the end.
func (c *Codec) Offset() int { return int(c.off) - c.base }
