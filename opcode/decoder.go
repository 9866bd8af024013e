package opcode

import (
	"errors"
	"io"

	"github.com/bcwire/bcwire/stream"
)

// Decode decodes a payload. The message is new; texts and bytes in it alias the payload.
//
// The error is a [*stream.Error]. The message comes with it, decoded as far as the
// payload goes: wholly if the error is [stream.ErrTrailing]. Only an empty payload gives
// nil. A script message whose layout does not fit is an [*Unknown]: it is likely
// another's message with the same opcode. So is, without an error, what does not fit
// [BootPlayer], which the game has no use for.
func Decode(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	return decode(payload, newMessage(payload), false)
}

// Dissect decodes a payload like [Decode]. It also returns the field that each byte belongs
// to. The fields take up to 210 times the memory of the payload. Dissect allocates up to 400
// times the memory of the payload, and 1 KiB.
func Dissect(payload []byte) (Message, []stream.Field, error) {
	return new(Decoder).Dissect(payload)
}

// Decoder decodes payloads into messages of its own: one for each opcode, which is valid
// until the next payload with that opcode. Once it has seen them all it allocates
// nothing, except for payloads that do not fit and for the trees of a [ChecksumResponse] after
// one that takes more than [MaxKeptTree]. The zero value is ready. It is not safe for
// concurrent use.
type Decoder struct {
	// Tolerant makes the decoder take packed bools as the game does, which looks at the
	// bools and hardly at their count: 00 and 01 for a single one, as programs write them
	// that do not know of bit groups. A message that was read so does not encode to the
	// same bytes; keep the payload to pass it on. See [stream.Codec.Tolerant].
	Tolerant bool

	messages   [256]Message
	registered [256]func() Message
}

// ErrEngineOpcode says that an opcode is not one of a script.
var ErrEngineOpcode = errors.New("opcode: not a script message")

// Register makes the decoder take messages of another type for a script opcode, from
// FirstScript on, in place of the stock type if there is one: zero returns a new one. A nil
// function restores the stock type. Register refuses the opcodes of the engine, below
// FirstScript, with [ErrEngineOpcode].
//
// A payload that does not fit the type is an [*Unknown] with the error. A payload with bytes
// after the last field is a message of the type, with [stream.ErrTrailing].
//
// A type of a mod needs the methods Opcode and Walk. [Wrap] adds the others:
//
//	type Swap struct{ ShipID objectid.ID }
//
//	func (*Swap) Opcode() opcode.Code    { return 0x35 }
//	func (m *Swap) Walk(c *stream.Codec) { c.Field("ShipID").ObjectID(&m.ShipID) }
//
//	err := decoder.Register(0x35, func() opcode.Message { return opcode.Wrap(new(Swap)) })
//
// The messages that the decoder returns print with [Line] and work with [Clone]; [Unwrap]
// returns the *Swap.
func (d *Decoder) Register(op Code, zero func() Message) error {
	if !op.Script() {
		return ErrEngineOpcode
	}
	d.messages[op], d.registered[op] = nil, zero
	return nil
}

// Decode decodes a payload like the function [Decode], into the message that the decoder keeps
// for the opcode. A message that must last longer than the next one needs [Clone] or
// [Decoder.DecodeNew].
func (d *Decoder) Decode(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	if notBoot(payload) {
		return decode(payload, &Unknown{}, d.Tolerant)
	}
	m := &d.messages[payload[0]]
	if *m == nil {
		*m = d.zero(payload)
	}
	return decode(payload, *m, d.Tolerant)
}

// DecodeNew decodes a payload like [Decoder.Decode], into a new message. The message is valid as
// long as the payload, which its texts and bytes alias.
func (d *Decoder) DecodeNew(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	return decode(payload, d.zero(payload), d.Tolerant)
}

func decode(payload []byte, m Message, tolerant bool) (Message, error) {
	err := m.UnmarshalBinary(payload)
	if err == nil {
		return m, nil
	}
	if tolerant && errors.Is(err, stream.ErrBadBitGroup) {
		err = walkTolerant(payload, m, err, nil)
	}
	hint(m, err)
	return fitting(payload, m, err), err
}

// hint adds the likely cause to an error. A datagram of a host begins with the byte 1, its peer
// ID, enciphered or not. Taken for a payload, the datagram is a GameInit with bytes after it.
func hint(m Message, err error) {
	located := (*stream.Error)(nil)
	if _, ok := m.(*GameInit); ok && errors.As(err, &located) && located.Err == stream.ErrTrailing {
		located.Err = datagramError{}
	}
}

// datagramError is the [stream.ErrTrailing] of a payload that is likely to be a datagram.
type datagramError struct{}

func (datagramError) Error() string {
	return stream.ErrTrailing.Error() + "; is the datagram deciphered, and is this a payload in it?"
}
func (datagramError) Unwrap() error { return stream.ErrTrailing }

// fitting returns the message that was decoded with an error, or an [*Unknown] in place of a
// script message whose layout does not fit.
func fitting(payload []byte, m Message, err error) Message {
	if op := Code(payload[0]); err != nil && op.Script() && !errors.Is(err, stream.ErrTrailing) {
		return &Unknown{Op: op, Data: rest(payload)}
	}
	return m
}

// Dissect is [Dissect] with the types of the decoder. The message is new.
func (d *Decoder) Dissect(payload []byte) (Message, []stream.Field, error) {
	if len(payload) == 0 {
		return nil, nil, errEmpty()
	}
	m := d.zero(payload)
	fields, err := stream.Dissect(payload, payload[0], Unwrap(m))
	if d.Tolerant && errors.Is(err, stream.ErrBadBitGroup) {
		fields = nil
		err = walkTolerant(payload, m, err, func(f stream.Field) bool {
			fields = append(fields, f)
			return true
		})
	}
	hint(m, err)
	return fitting(payload, m, err), fields, err
}

// walkTolerant decodes once more what failed with a bit group that no encoder writes. The
// fields before it are the same, so that the walk overwrites all that the first one set.
// A collect that is not nil gets the fields.
func walkTolerant(payload []byte, m Message, strict error, collect func(stream.Field) bool) error {
	name := m.Opcode().String()
	if located := (*stream.Error)(nil); errors.As(strict, &located) {
		name = located.Message
	}
	var c stream.Codec
	c.Decode(payload, payload[0])
	c.Tolerant()
	if collect != nil {
		c.Collect(name, collect)
	} else {
		m.Walk(&c)
		if c.Done() {
			return nil
		}
		c.Again(name)
	}
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
	if notBoot(payload) {
		return &Unknown{Op: OpBootPlayer}
	}
	return New(Code(payload[0]))
}

// notBoot says that a payload has the opcode of BootPlayer and is none.
func notBoot(payload []byte) bool {
	return Code(payload[0]) == OpBootPlayer && len(payload) != 2
}

func errEmpty() error {
	return &stream.Error{Message: "opcode.Message", Err: io.ErrUnexpectedEOF}
}
