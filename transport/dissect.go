package transport

import (
	"errors"
	"iter"
)

// Field is what [Dissect] makes of a part of a datagram.
type Field struct {
	Message int    // the index of the message that it belongs to; -1: none
	Name    string // "Seq"; empty if Err is set
	Offset  int    // in the datagram
	Size    int
	Raw     []byte // the bytes, aliasing the datagram
	Value   any    // of the type that its struct has for it; nil if Err is set
	Err     error  // an [*Error], or [ErrGameSpy]
}

// Dissect iterates over the fields of a deciphered datagram, in the [Tolerant] mode and in
// the order of the wire:
//
//   - PeerID and Count, of no message;
//   - the header of each message: Type, Flags+Length, whose value is a [Framing], or the
//     Length of a Short one, Seq, FragIndex and FragTotal, as far as it has them;
//   - its body: the fields of the typed one, the Payload or the Piece of Data, else Body;
//   - Trailing, of no message.
//
// They cover every byte exactly once; what is empty has no field. What could not be read
// of a message is its last field and has Err set; that one may be empty.
func Dissect(datagram []byte) iter.Seq[Field] {
	return func(yield func(Field) bool) {
		d := dissection{datagram: datagram, index: -1, yield: yield}
		d.walk()
	}
}

// dissection is a walk over the fields of a datagram.
type dissection struct {
	datagram []byte
	start    int // of the message
	off, end int // what is left of it
	index    int
	yield    func(Field) bool
	stopped  bool
}

func (d *dissection) walk() {
	d.end = len(d.datagram)
	if IsGameSpy(d.datagram) {
		d.fail(ErrGameSpy)
		return
	}
	if d.end > 0 {
		d.take("PeerID", 1, int8(d.datagram[0]))
	}
	if d.end > 1 {
		d.take("Count", 1, d.datagram[1])
	}
	Tolerant.each(d.datagram, d.message)
	d.index, d.end = -1, len(d.datagram)
	d.rest("Trailing", d.datagram[d.off:])
}

func (d *dissection) message(m Message, err error) bool {
	d.index++
	d.start, d.end = d.off, len(d.datagram)
	var e *Error
	switch {
	case err == nil:
		d.end = d.off + m.Len()
	case errors.As(err, &e) && e.Len > 0:
		d.end = d.off + e.Len
	}
	if d.off < d.end {
		d.header(&m)
	}
	if err != nil {
		d.fail(err)
	} else {
		d.body(&m)
	}
	return !d.stopped
}

func (d *dissection) header(m *Message) {
	d.take("Type", 1, m.Type)
	switch {
	case m.Type == TypeAck:
		d.take("Seq", 2, m.Seq)
	case m.Short:
		d.take("Length", 1, uint8(m.Len()))
	case m.known() && d.end-d.off >= 2:
		d.numbers(m, framingOf(m.Type, le.Uint16(d.datagram[d.off:])))
	}
}

// numbers takes what a header has after the type, as far as it was read.
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

func (d *dissection) body(m *Message) {
	body, err := m.decode()
	switch {
	case m.Fragment:
		d.rest("Piece", m.Body)
	case m.Type == TypeData:
		d.rest("Payload", m.Body)
	case err == nil:
		body.fields(d)
	case errors.Is(err, ErrDialect):
		d.rest("Body", m.Body)
	default:
		d.fail(&Error{Index: d.index, Offset: d.start, Len: m.Len(), Type: m.Type, Err: err})
	}
}

// take passes on a field, if it is there in full.
func (d *dissection) take(name string, size int, value any) bool {
	if size > d.end-d.off {
		return false
	}
	d.pass(Field{Name: name, Size: size, Value: value})
	return true
}

// rest passes on all that is left as a field, unless it is empty.
func (d *dissection) rest(name string, value any) {
	if size := d.end - d.off; size > 0 {
		d.take(name, size, value)
	}
}

// fail passes on all that is left as what is wrong.
func (d *dissection) fail(err error) { d.pass(Field{Size: d.end - d.off, Err: err}) }

func (d *dissection) pass(f Field) {
	f.Message, f.Offset = d.index, d.off
	d.off += f.Size
	f.Raw = d.datagram[f.Offset:d.off:d.off]
	d.stopped = d.stopped || !d.yield(f)
}
