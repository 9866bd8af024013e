package transport

import (
	"errors"
	"iter"
	"strconv"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Dissect iterates over the fields of a deciphered datagram in wire order:
//
//   - PeerID and Count;
//   - the header of each message, with paths such as "Messages[2].Seq": Type, Flags+Length (Length
//     in a Short message), and Seq, FragIndex and FragTotal, if present;
//   - the body of each message: the fields of the typed body, Payload, Fragment, or Body;
//   - Trailing, the bytes after the last message.
//
// The fields cover every byte exactly once. The last field of a malformed message covers the
// unreadable bytes, and may be empty. Its Err is the [*Error], or [ErrGameSpy]. The fields remain valid
// after the loop, and alias the datagram.
func Dissect(datagram []byte) iter.Seq[stream.Field] {
	return func(yield func(stream.Field) bool) {
		d := dissection{wire: datagram, end: len(datagram), yield: yield}
		d.datagram()
	}
}

// framing is the value of the field Flags+Length of [Dissect]: the message's type and the field.
type framing uint32

// String returns the framing as text, such as "length 412, reliable, fragment".
func (f framing) String() string {
	t, word := Type(f>>16), uint16(f)
	text := "length " + strconv.Itoa(lengthOf(t, word))
	if word&flagReliable != 0 {
		text += ", reliable"
	}
	if word&flagHighPriority != 0 {
		text += ", high priority"
	}
	if t == TypeData && word&flagFragment != 0 {
		text += ", fragment"
	}
	return text
}

// dissection is the state of Dissect.
type dissection struct {
	wire     []byte
	off, end int // the remaining bytes of the datagram or the message
	group    *stream.Group
	codec    stream.Codec
	yield    func(stream.Field) bool
	stopped  bool // yield has returned false
}

func (d *dissection) datagram() {
	if IsGameSpy(d.wire) {
		d.fail(ErrGameSpy)
		return
	}
	d.walk(func(c *stream.Codec) {
		var peer objectid.PeerID
		if c.Remaining() > 0 {
			walkPeerID(c, &peer)
		}
		d.number(c, "Count", 1)
	})
	count, _ := header(d.wire)
	for i, n := 0, 1; i < count && n > 0; i++ {
		d.group, d.end = &stream.Group{Name: "Messages", Index: i}, len(d.wire)
		n = d.message(i)
	}
	d.group, d.end = nil, len(d.wire)
	d.walk(func(c *stream.Codec) { d.rest(c, "Trailing") })
}

// message dissects message i and returns its length, or 0 if the length is unknown.
func (d *dissection) message(i int) (n int) {
	var m Message
	offset := d.off
	n, err := nextMessage(&m, d.wire, i, offset)
	if n > 0 {
		d.end = offset + n
	}
	if offset < len(d.wire) {
		d.walk(func(c *stream.Codec) { d.header(c, &m) })
	}
	if err == nil {
		if err = d.body(&m); err != nil {
			err = &Error{Index: i, Offset: offset, Type: m.Type, Err: err}
		}
	}
	if err != nil {
		d.fail(err)
	}
	return n
}

func (d *dissection) header(c *stream.Codec, m *Message) {
	d.number(c, "Type", 1)
	stream.Show(c, m.Type)
	switch {
	case m.Type == TypeAck:
		d.number(c, "Seq", 2)
	case m.Short:
		d.number(c, "Length", 1)
	case m.known() && c.Remaining() >= 2:
		wire := uint16(c.PeekUint(0, 2))
		d.number(c, "Flags+Length", 2)
		stream.Show(c, framing(m.Type)<<16|framing(wire))
		// the header fields after the type, as far as they were read
		ok := lengthOf(m.Type, wire) >= 3 && (!m.Reliable || d.number(c, "Seq", 2))
		if ok && m.Fragment && d.number(c, "FragIndex", 1) && m.FragIndex == 0 {
			d.number(c, "FragTotal", 1)
		}
	}
}

// body takes the body of a valid message. It returns the error of [Message.Decode], except for a
// message without a typed body.
func (d *dissection) body(m *Message) error {
	body, err := m.decode()
	name := "Body"
	switch {
	case m.Fragment:
		name = "Fragment"
	case m.Type == TypeData:
		name = "Payload"
	case errors.Is(err, ErrDialect):
	case err != nil:
		return err
	default:
		d.walk(body.walk)
		return nil
	}
	d.walk(func(c *stream.Codec) { d.rest(c, name) })
	return nil
}

// walk yields the fields of a walk through the remaining bytes. It omits empty fields.
func (d *dissection) walk(walk func(*stream.Codec)) {
	base := d.off
	d.codec.Visit = func(f *stream.Field) bool {
		if len(f.Raw) > 0 && f.Err == nil {
			field := *f
			field.Offset += base
			field.Group = d.group
			d.add(field)
		}
		return !d.stopped
	}
	_ = d.codec.Decode(d.wire[d.off:d.end], -1, "transport", walk) // a walk may leave bytes
}

// number takes a number of one or two bytes, and reports whether all its bytes are present.
func (d *dissection) number(c *stream.Codec, name string, size int) bool {
	switch {
	case size > c.Remaining():
		return false
	case size == 1:
		c.Field(name).Uint8(new(uint8))
	default:
		c.Field(name).Uint16(new(uint16))
	}
	return true
}

// rest takes the remaining bytes as a field.
func (d *dissection) rest(c *stream.Codec, name string) {
	walkRest(c, name, new([]byte))
}

// fail adds the remaining bytes as a field that could not be read.
func (d *dissection) fail(err error) {
	d.add(stream.Field{Group: d.group, Offset: d.off, Raw: d.wire[d.off:d.end:d.end], Bit: -1, Err: err})
}

func (d *dissection) add(f stream.Field) {
	d.off += len(f.Raw)
	d.stopped = d.stopped || !d.yield(f)
}
