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
	return decode(new(stream.Codec), payload, newMessage(payload), false)
}

// Dissect decodes a payload like [Decode] and also returns the fields with their bytes. The first
// field is the opcode, a [Code]. If it returns an [*Unknown] because of trailing bytes, the fields
// are Opcode and Data. The fields take up to 210 times the length of the payload. In total, Dissect
// allocates up to 400 times the length of the payload, plus 1 KiB.
func Dissect(payload []byte) (Message, []stream.Field, error) {
	return new(Decoder).Dissect(payload)
}

// Decoder decodes payloads into messages that it reuses, one for each opcode, with their lists. It
// drops the lists of a [ChecksumTree] if they take more than 64 KiB, where a directory counts as
// 1 KiB. The zero value is ready to use. It is not safe for concurrent use.
type Decoder struct {
	// Tolerant accepts packed bools with a wrong count, as the game does. Some programs write
	// 00 or 01 for a single bool. Such a message does not encode to the same bytes, so keep the
	// payload to relay it. See [stream.Codec.Tolerant].
	Tolerant bool

	codec      stream.Codec
	messages   [256]Message
	boot       Unknown // a payload with the opcode of BootPlayer and another length
	registered [256]func() Message
}

// ErrEngineOpcode means that an opcode belongs to the engine and cannot be registered.
var ErrEngineOpcode = errors.New("opcode: cannot register an engine opcode, below 0x2B")

// Register sets the type for an opcode from FirstScript up. It replaces the stock type, if any.
// The function zero returns a new message; a nil function restores the stock type. Register
// returns an error wrapping [ErrEngineOpcode] if op is below FirstScript.
//
// The type of a mod needs the methods Opcode and Walk. See the example.
func (d *Decoder) Register(op Code, zero func() Message) error {
	if !op.script() {
		return fmt.Errorf("%w: %v (0x%s)", ErrEngineOpcode, op, op.Hex())
	}
	d.messages[op], d.registered[op] = nil, zero
	return nil
}

// Decode decodes a payload like the function [Decode]. The message is valid until the next payload
// with the same opcode, or until the payload is overwritten. To keep a message longer, decode a
// copy of the payload with [Unmarshal] into a message of your own.
func (d *Decoder) Decode(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	if otherBootPlayer(payload) {
		return decode(&d.codec, payload, &d.boot, d.Tolerant)
	}
	m := &d.messages[payload[0]]
	if *m == nil {
		*m = d.zero(payload)
	}
	return decode(&d.codec, payload, *m, d.Tolerant)
}

func decode(c *stream.Codec, payload []byte, m Message, tolerant bool) (Message, error) {
	err := unmarshal(c, payload, m)
	if err == nil {
		return m, nil
	}
	if tolerant && errors.Is(err, stream.ErrBadBitGroup) {
		err = walkTolerant(payload, m)
	}
	suggestCause(m, err)
	return orUnknown(payload, m, err), err
}

// suggestCause adds the likely cause to an error. A datagram of a host begins with the byte 1, the
// host's peer ID. Decode takes it for a GameInit with trailing bytes.
func suggestCause(m Message, err error) {
	if _, ok := m.(*GameInit); !ok {
		return
	}
	if located, ok := errors.AsType[*stream.Error](err); ok && located.Err == stream.ErrTrailing {
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

// Dissect is like the function [Dissect], but uses the types and the mode of the decoder.
func (d *Decoder) Dissect(payload []byte) (Message, []stream.Field, error) {
	if len(payload) == 0 {
		return nil, nil, errEmpty()
	}
	m := d.zero(payload)
	fields, err := dissect(payload, m, false)
	if d.Tolerant && errors.Is(err, stream.ErrBadBitGroup) {
		fields, err = dissect(payload, m, true)
	}
	suggestCause(m, err)
	m = orUnknown(payload, m, err)
	if u, ok := m.(*Unknown); ok && errors.Is(err, stream.ErrTrailing) {
		fields, _ = dissect(payload, u, false) // the stock fields have other meanings
	}
	if fields[0].Err == nil {
		fields[0].Value = Code(payload[0])
	}
	return m, fields, err
}

// dissect decodes a payload into m and returns its fields. The fields cover every byte, also on error.
func dissect(payload []byte, m Message, tolerant bool) (fields []stream.Field, err error) {
	var c stream.Codec
	c.Decode(payload, int(payload[0]))
	if tolerant {
		c.Tolerant()
	}
	c.Trace(typeName(m), func(f stream.Field) bool {
		if n := len(fields); n == cap(fields) { // each remaining byte has at most one more field
			fields = slices.Grow(fields, 1+min(3*n, len(payload)-f.Offset))
		}
		fields = append(fields, f)
		return true
	})
	m.Walk(&c)
	return fields, c.Err()
}

// walkTolerant decodes a payload again that failed with a bit group which no encoder writes. The
// second walk overwrites all fields that the first walk set.
func walkTolerant(payload []byte, m Message) error {
	var c stream.Codec
	c.Decode(payload, int(payload[0]))
	c.Tolerant()
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	c.Trace(typeName(m), nil)
	m.Walk(&c)
	return c.Err()
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
