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
		d := dissection{wire: datagram, end: len(datagram)}
		if IsGameSpy(datagram) {
			d.fail(ErrGameSpy)
			d.pass(yield)
			return
		}
		count := 1 // without a count, a message is missing
		if len(datagram) > 0 {
			d.take("PeerID", 1, objectid.PeerID(datagram[0]))
		}
		if len(datagram) > 1 {
			count = int(datagram[1])
			d.take("Count", 1, datagram[1])
		}
		for i := 0; i < count && d.pass(yield); i++ {
			var m Message
			if !d.element(&m, i) {
				break
			}
		}
		if d.end = len(datagram); d.pass(yield) {
			d.rest("Trailing", datagram[d.off:])
			d.pass(yield)
		}
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
	d := dissection{wire: wire, end: len(wire)}
	_, err := d.message(m)
	return d.fields, err
}

// dissection takes the bytes of a datagram or a message apart.
type dissection struct {
	wire     []byte
	off, end int            // the bytes that are left of the datagram or the message
	prefix   string         // of the paths
	fields   []stream.Field // that were not passed yet
	stopped  bool           // yield wants no more
}

// element dissects the message with an index in the datagram. It reports whether the place
// of the next message is known.
func (d *dissection) element(m *Message, i int) bool {
	d.prefix, d.end = "Messages["+strconv.Itoa(i)+"]", len(d.wire)
	offset := d.off
	n, err := d.message(m)
	var e *Error
	if errors.As(err, &e) {
		e.Index, e.Offset = i, offset
	}
	d.prefix = ""
	return n > 0
}

// message dissects the next message. It returns its length, 0 if that is unknown.
func (d *dissection) message(m *Message) (n int, err error) {
	*m = Message{}
	wire := d.wire[d.off:]
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
		err = &Error{Index: -1, Len: n, Type: m.Type, Err: err, missing: len(wire) == 0}
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
		d.numbers(m, framingOf(m.Type, le.Uint16(d.wire[d.off:])))
	}
}

// numbers takes the fields of a header that follow the type, as far as they were read.
func (d *dissection) numbers(m *Message, f Framing) {
	d.take("Flags+Length", 2, f)
	ok := f.Length >= 3
	if ok && m.Reliable {
		ok = d.take("Seq", 2, m.Seq)
	}
	if ok && m.Fragment {
		ok = d.take("FragIndex", 1, m.FragIndex)
	}
	if ok && m.Fragment && m.FragIndex == 0 {
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
	switch {
	case d.prefix == "":
	case f.Path == "":
		f.Path = d.prefix
	default:
		f.Path = d.prefix + "." + f.Path
	}
	f.Offset, f.Bit = d.off, -1
	d.off += f.Size
	f.Raw = d.wire[f.Offset:d.off:d.off]
	d.fields = append(d.fields, f)
}

// pass passes the fields to yield and reports whether it wants more.
func (d *dissection) pass(yield func(stream.Field) bool) bool {
	for _, f := range d.fields {
		d.stopped = d.stopped || !yield(f)
	}
	d.fields = d.fields[:0]
	return !d.stopped
}
