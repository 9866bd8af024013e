package transport

import (
	"errors"
	"iter"
	"strconv"

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

// framing is the Value of the field Flags+Length of [Dissect]. Only Data has the flag Fragment.
type framing struct {
	Length       int // of the whole message, type included
	Reliable     bool
	HighPriority bool
	Fragment     bool
}

// String returns the framing as text, such as "length 412, reliable, fragment".
func (f framing) String() string {
	text := "length " + strconv.Itoa(f.Length)
	for i, set := range [...]bool{f.Reliable, f.HighPriority, f.Fragment} {
		if set {
			text += [...]string{", reliable", ", high priority", ", fragment"}[i]
		}
	}
	return text
}

// dissection is the state of Dissect.
type dissection struct {
	wire     []byte
	off, end int    // the remaining bytes of the datagram or the message
	prefix   string // of the paths
	yield    func(stream.Field) bool
	stopped  bool // yield has returned false
}

func (d *dissection) datagram() {
	if IsGameSpy(d.wire) {
		d.fail(ErrGameSpy)
		return
	}
	if d.end > 0 {
		d.take("PeerID", 1, peerOf(d.wire[0]))
	}
	if d.end > 1 {
		d.take("Count", 1, d.wire[1])
	}
	count := messageCount(d.wire)
	for i, n := 0, 1; i < count && n > 0 && !d.stopped; i++ {
		d.prefix, d.end = "Messages["+strconv.Itoa(i)+"]", len(d.wire)
		n = d.message(i)
	}
	d.prefix, d.end = "", len(d.wire)
	d.rest("Trailing", d.wire[d.off:])
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
		d.header(&m)
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

func (d *dissection) header(m *Message) {
	d.take("Type", 1, m.Type)
	switch {
	case m.Type == TypeAck:
		d.take("Seq", 2, m.Seq)
	case m.Short:
		d.take("Length", 1, uint8(m.Len()))
	case m.known() && d.end-d.off >= 2:
		n := lengthOf(m.Type, le.Uint16(d.wire[d.off:]))
		d.numbers(m, framing{n, m.Reliable, m.HighPriority, m.Fragment})
	}
}

// numbers takes the header fields after the type, as far as they were read.
func (d *dissection) numbers(m *Message, f framing) {
	d.take("Flags+Length", 2, f)
	ok := f.Length >= 3 && (!m.Reliable || d.take("Seq", 2, m.Seq))
	if ok && m.Fragment && d.take("FragIndex", 1, m.FragIndex) && m.FragIndex == 0 {
		d.take("FragTotal", 1, m.FragTotal)
	}
}

// body takes the body of a valid message. It returns the error of [Message.Decode], except for a
// message without a typed body.
func (d *dissection) body(m *Message) error {
	body, err := m.decode()
	switch {
	case m.Fragment:
		d.rest("Fragment", m.Body)
	case m.Type == TypeData:
		d.rest("Payload", m.Body)
	case errors.Is(err, ErrDialect):
		d.rest("Body", m.Body)
	case err != nil:
		return err
	default:
		d.walk(body)
	}
	return nil
}

// walk takes the fields of a body that fills the rest of the message.
func (d *dissection) walk(body Body) {
	var c stream.Codec
	c.Decode(d.wire[d.off:d.end], -1)
	c.Trace("transport", func(f stream.Field) bool {
		if size := len(f.Raw); size > 0 {
			d.take(f.Path, size, f.Value)
		}
		return true
	})
	body.walk(&c)
	_ = c.Err() // passes the last field; decode has read the body before
}

// take adds a field if all its bytes are present, and reports whether they are.
func (d *dissection) take(name string, size int, value any) bool {
	if size > d.end-d.off {
		return false
	}
	d.add(stream.Field{Path: name, Value: value}, size)
	return true
}

// rest adds the remaining bytes as a field, if there are any.
func (d *dissection) rest(name string, value any) {
	if size := d.end - d.off; size > 0 {
		d.take(name, size, value)
	}
}

// fail adds the remaining bytes as a field that could not be read.
func (d *dissection) fail(err error) { d.add(stream.Field{Err: err}, d.end-d.off) }

// add adds a field of the next size bytes.
func (d *dissection) add(f stream.Field, size int) {
	if d.prefix != "" && f.Path != "" {
		f.Path = "." + f.Path
	}
	f.Path = d.prefix + f.Path
	f.Offset, f.Bit = d.off, -1
	d.off += size
	f.Raw = d.wire[f.Offset:d.off:d.off]
	d.stopped = d.stopped || !d.yield(f)
}
