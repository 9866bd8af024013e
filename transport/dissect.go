package transport

import (
	"errors"
	"iter"
	"strconv"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Dissect iterates over the fields of a deciphered datagram, in the [Tolerant] mode and in
// the order of the wire:
//
//   - PeerID and Count;
//   - the fields of each message, as [Message.Dissect] returns them, with paths such as
//     "Messages[2].Seq";
//   - Trailing, the bytes after the last message.
//
// They cover every byte exactly once. The last field of a malformed message covers the bytes
// that could not be read. Its Err is the [*Error], or [ErrGameSpy]; it may be empty.
func Dissect(datagram []byte) iter.Seq[stream.Field] {
	return func(yield func(stream.Field) bool) {
		d := dissection{wire: datagram, end: len(datagram), yield: yield}
		d.datagram()
	}
}

// Dissect reads the message at the beginning of wire into m, in the [Tolerant] mode, and
// returns its fields in the order of the wire:
//
//   - the header: Type, Flags+Length, whose value is a [Framing], or the Length of a Short
//     message, then Seq, FragIndex and FragTotal, if present;
//   - the body: the fields of the typed body, the Payload or the Fragment of Data, else Body.
//
// Offsets count from the beginning of wire. The fields cover every byte of the message
// exactly once, and no field is empty. If the message is malformed, a last field covers the
// bytes that could not be read. Its Err is the error that Dissect returns, an [*Error]; it
// may be empty.
func (m *Message) Dissect(wire []byte) ([]stream.Field, error) {
	var fields []stream.Field
	d := dissection{wire: wire, end: len(wire), yield: func(f stream.Field) bool {
		fields = append(fields, f)
		return true
	}}
	_, err := d.message(m, -1)
	return fields, err
}

// dissection takes the bytes of a datagram or a message apart.
type dissection struct {
	wire     []byte
	off, end int    // the bytes that are left of the datagram or the message
	prefix   string // of the paths
	yield    func(stream.Field) bool
	stopped  bool // yield wants no more
}

func (d *dissection) datagram() {
	if IsGameSpy(d.wire) {
		d.fail(ErrGameSpy)
		return
	}
	count := 1 // without a count, a message is missing
	if d.end > 0 {
		d.take("PeerID", 1, objectid.PeerID(d.wire[0]))
	}
	if d.end > 1 {
		count = int(d.wire[1])
		d.take("Count", 1, d.wire[1])
	}
	for i, n := 0, 1; i < count && n > 0 && !d.stopped; i++ {
		var m Message
		d.prefix, d.end = "Messages["+strconv.Itoa(i)+"]", len(d.wire)
		n, _ = d.message(&m, i)
	}
	d.prefix, d.end = "", len(d.wire)
	d.rest("Trailing", d.wire[d.off:])
}

// message dissects the next message, with an index in the datagram. It returns its length, 0
// if that is unknown.
func (d *dissection) message(m *Message, index int) (n int, err error) {
	*m = Message{}
	offset, wire := d.off, d.wire[d.off:]
	n, err = Tolerant.parse(m, wire)
	if n > 0 {
		d.end = d.off + n
	}
	if len(wire) > 0 {
		d.header(m)
	}
	if err == nil {
		err = d.body(m)
	}
	if err != nil {
		err = &Error{Index: index, Offset: offset, Len: n, Type: m.Type, Err: err, missing: len(wire) == 0}
		d.fail(err)
	}
	return n, err
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
		d.numbers(m, Framing{n, m.Reliable, m.HighPriority, m.Fragment})
	}
}

// numbers takes the fields of a header that follow the type, as far as they were read.
func (d *dissection) numbers(m *Message, f Framing) {
	d.take("Flags+Length", 2, f)
	ok := f.Length >= 3 && (!m.Reliable || d.take("Seq", 2, m.Seq))
	if ok && m.Fragment && d.take("FragIndex", 1, m.FragIndex) && m.FragIndex == 0 {
		d.take("FragTotal", 1, m.FragTotal)
	}
}

// body takes the body of a valid message. It returns the error of [Message.Decode], except
// for messages without a typed body.
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
		d.walk(body.walker())
	}
	return nil
}

// walk takes the fields of a body, which fills the rest of the message.
func (d *dissection) walk(w stream.Walker) {
	var c stream.Codec
	c.DecodeBare(d.wire[d.off:d.end])
	c.Collect("transport", func(f stream.Field) bool {
		if f.Size > 0 {
			d.take(f.Path, f.Size, f.Value)
		}
		return true
	})
	w.Walk(&c)
	_ = c.Err() // passes the last field; decode has read the body before
}

// take adds a field if all its bytes are present, and reports whether they are.
func (d *dissection) take(name string, size int, value any) bool {
	if size > d.end-d.off {
		return false
	}
	d.add(stream.Field{Path: name, Size: size, Value: value})
	return true
}

// rest adds the bytes that are left as a field, unless there are none.
func (d *dissection) rest(name string, value any) {
	if size := d.end - d.off; size > 0 {
		d.take(name, size, value)
	}
}

// fail adds the bytes that are left as a field that could not be read.
func (d *dissection) fail(err error) { d.add(stream.Field{Size: d.end - d.off, Err: err}) }

func (d *dissection) add(f stream.Field) {
	if d.prefix != "" && f.Path != "" {
		f.Path = "." + f.Path
	}
	f.Path = d.prefix + f.Path
	f.Offset, f.Bit = d.off, -1
	d.off += f.Size
	f.Raw = d.wire[f.Offset:d.off:d.off]
	d.stopped = d.stopped || !d.yield(f)
}
