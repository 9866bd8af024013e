package opcode

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/bcwire/bcwire/stream"
)

// Decode decodes a payload into a new message, which may alias the payload.
//
// The error is a [*stream.Error]. The returned message then holds the fields before the error;
// with [stream.ErrTrailing] it is complete. The message is nil only if the payload is empty. If a
// script message does not fit its layout, Decode returns an [*Unknown] and the error, because the
// payload is likely to be a mod's message. A [MissionInit] with trailing bytes does not fit either.
func Decode(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	return decode(new(stream.Codec), payload, newMessage(payload), false, nil)
}

// Dissect decodes a payload like [Decode] and also returns the fields with their bytes. The first field is the
// opcode, a [Code]. If it returns an [*Unknown] because of trailing bytes, the fields are Opcode and Data.
// Dissect allocates up to 400 times the length of the payload, plus 3 KiB. [Decoder.Visit] allocates nothing.
func Dissect(payload []byte) (Message, []stream.Field, error) {
	if len(payload) == 0 {
		return nil, nil, errEmpty()
	}
	fields := make([]stream.Field, 0, 3+len(payload)/3) // most fields have three bytes or more
	m, err := decode(new(stream.Codec), payload, newMessage(payload), false, func(f *stream.Field) bool {
		if n := len(fields); n == cap(fields) { // each remaining byte has at most one more field
			fields = slices.Grow(fields, 1+min(3*n, len(payload)-f.Offset))
		}
		fields = append(fields, *f)
		return true
	})
	return m, fields, err
}

// Decoder decodes payloads into messages that it reuses, one for each opcode, with their lists. It
// drops the lists of a [ChecksumTree] if they take more than 64 KiB, where a directory counts as
// 1 KiB. The zero value is ready to use. It is not safe for concurrent use.
type Decoder struct {
	// Tolerant accepts packed bools with a wrong count, as the game does. Some programs write
	// 00 or 01 for a single bool. Such a message does not encode to the same bytes, so keep the
	// payload to relay it. See [stream.Codec].
	Tolerant bool

	codec      stream.Codec
	messages   [256]Message
	boot       Unknown // a payload with the opcode of BootPlayer and another length
	registered [256]func() Message
}

// Register sets the type for an opcode from FirstScript up. It replaces the stock type, if any.
// The function zero returns a new message; a nil function restores the stock type. Register
// returns an error wrapping [stream.ErrInvalid] if op is below FirstScript.
func (d *Decoder) Register(op Code, zero func() Message) error {
	if !op.script() {
		return fmt.Errorf("opcode: register: %w: %v (0x%s) is an opcode of the engine, below 0x%s", stream.ErrInvalid, op, op.Hex(), FirstScript.Hex())
	}
	d.messages[op], d.registered[op] = nil, zero
	return nil
}

// Decode decodes a payload like the function [Decode]. The message is valid until the next payload
// with the same opcode, or until the payload is overwritten.
func (d *Decoder) Decode(payload []byte) (Message, error) { return d.Visit(payload, nil) }

// Visit decodes a payload like [Decoder.Decode] and passes its fields to a function, until it returns
// false. The fields are those of [Dissect]; see [stream.Field]. They follow the types and the mode of
// the decoder. Visit allocates nothing for a payload without an error.
func (d *Decoder) Visit(payload []byte, visit func(*stream.Field) bool) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	if otherBootPlayer(payload) {
		return decode(&d.codec, payload, &d.boot, d.Tolerant, visit)
	}
	m := &d.messages[payload[0]]
	if *m == nil {
		*m = d.zero(payload)
	}
	return decode(&d.codec, payload, *m, d.Tolerant, visit)
}

func decode(c *stream.Codec, payload []byte, m Message, tolerant bool, visit func(*stream.Field) bool) (Message, error) {
	err := unmarshal(c, payload, m)
	if err == nil {
		if visit != nil {
			visitFields(c, payload, m, visit)
		}
		return m, nil
	}
	if c.Tolerant = tolerant && errors.Is(err, stream.ErrBadBitGroup); c.Tolerant {
		defer func() { c.Tolerant = false }()
		err = named(c.Decode(payload, int(payload[0]), "", m.Walk), m)
	}
	suggestCause(m, err)
	result := orUnknown(payload, m, err)
	if visit != nil {
		if errors.Is(err, stream.ErrTrailing) {
			m = result // the stock fields of an Unknown have other meanings
		}
		visitFields(c, payload, m, withError(visit, err))
	}
	return result, err
}

// withError returns visit with an error in place of that of the field. It is a function, so that
// only a payload with an error allocates the closure.
func withError(visit func(*stream.Field) bool, err error) func(*stream.Field) bool {
	return func(f *stream.Field) bool {
		if f.Err != nil {
			f.Err = err
		}
		return visit(f)
	}
}

// visitFields decodes a payload again that was decoded into m.
func visitFields(c *stream.Codec, payload []byte, m Message, visit func(*stream.Field) bool) {
	c.Visit = visit
	_ = c.Decode(payload, int(payload[0]), "", func(c *stream.Codec) {
		stream.Show(c, Code(payload[0]))
		m.Walk(c)
	})
	c.Visit = nil
}

// suggestCause adds the likely cause to an error. A datagram of a host begins with the byte 1, the
// host's peer ID. Decode takes it for a GameInit with trailing bytes.
func suggestCause(m Message, err error) {
	if _, ok := m.(*GameInit); !ok {
		return
	}
	if located, ok := errors.AsType[*stream.Error](err); ok {
		located.Err = datagramError{}
	}
}

// datagramError is the [stream.ErrTrailing] of a payload that is probably a datagram.
type datagramError struct{}

func (datagramError) Error() string {
	return stream.ErrTrailing.Error() + "; is this a whole datagram? decode the payload of a Data message"
}
func (datagramError) Unwrap() error { return stream.ErrTrailing }

// orUnknown returns the message that was decoded with an error. For a script message with another
// layout, it returns an [*Unknown] instead.
func orUnknown(payload []byte, m Message, err error) Message {
	op := Code(payload[0])
	if err == nil || !op.script() || errors.Is(err, stream.ErrTrailing) && !hasModdedForm(m) {
		return m
	}
	return &Unknown{Op: op, Data: rest(payload)}
}

// hasModdedForm reports whether a mod sends the message in a longer layout of its own. The fields
// before the trailing bytes then have other meanings: Kobayashi Maru's MissionInit begins with
// 35 0a ff ff 01 00 00 00.
func hasModdedForm(m Message) bool {
	_, ok := m.(*MissionInit)
	return ok
}

// zero returns a new message for a payload.
func (d *Decoder) zero(payload []byte) Message {
	if zero := d.registered[payload[0]]; zero != nil {
		return zero()
	}
	return newMessage(payload)
}

func newMessage(payload []byte) Message {
	if otherBootPlayer(payload) {
		return &Unknown{Op: OpBootPlayer}
	}
	return New(Code(payload[0]))
}

// otherBootPlayer reports whether a payload has the opcode of BootPlayer but another length.
func otherBootPlayer(payload []byte) bool {
	return Code(payload[0]) == OpBootPlayer && len(payload) != 2
}

func errEmpty() error {
	return &stream.Error{Message: "opcode.Message", Err: io.ErrUnexpectedEOF}
}
