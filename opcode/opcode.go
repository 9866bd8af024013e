package opcode

//go:generate go run gen.go

import (
	"encoding"
	"errors"
	"io"
	"log/slog"

	"github.com/bcwire/bcwire/stream"
)

// Code is the first byte of a game payload.
type Code uint8

// Opcodes up to MaxEngine belong to the engine, those from FirstScript on to the mission
// scripts, so that a mod may give them meanings of its own.
const (
	MaxEngine   Code = 0x2A
	FirstScript Code = 0x2B
)

// String returns the name, "TorpedoFire", or the number of an opcode without one, "0xCD".
func (c Code) String() string {
	if names[c] != "" {
		return names[c]
	}
	return "0x" + c.Hex()
}

// Hex returns the number in two digits, "19".
func (c Code) Hex() string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>4], digits[c&0xF]})
}

// Script says whether the opcode belongs to the mission scripts.
func (c Code) Script() bool { return c >= FirstScript }

// Message is a game payload of some type, as a pointer: [*TorpedoFire], or [*Unknown].
type Message interface {
	Opcode() Code
	stream.Walker
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Line returns a message in one line, name and fields, as String does for the types of
// this package; a type of a mod may call it from a String of its own.
func Line(m Message) string { return line(m) }

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
	return decode(payload, New(Code(payload[0])))
}

func errEmpty() error {
	return &stream.Error{Message: "opcode.Message", Err: io.ErrUnexpectedEOF}
}

func decode(payload []byte, m Message) (Message, error) {
	if notBoot(payload) {
		m = &Unknown{}
	}
	err := m.UnmarshalBinary(payload)
	if op := Code(payload[0]); err != nil && op.Script() && !errors.Is(err, stream.ErrTrailing) {
		return &Unknown{Op: op, Data: rest(payload)}, err
	}
	return m, err
}

// notBoot says that a payload has the opcode of BootPlayer and is none.
func notBoot(payload []byte) bool {
	return Code(payload[0]) == OpBootPlayer && len(payload) != 2
}

// rest returns what follows the opcode, without room to append to; no bytes are nil.
func rest(payload []byte) []byte {
	if len(payload) == 1 {
		return nil
	}
	return payload[1:len(payload):len(payload)]
}

// Decoder decodes payloads into messages of its own: one for each opcode, which is valid
// until the next payload with that opcode. Once it has seen them all it allocates
// nothing, but for payloads that do not fit. The zero value is ready. It is not safe for
// concurrent use.
type Decoder struct {
	messages   [256]Message
	registered [256]func() Message
}

// Register makes the decoder take messages of another type for a script opcode, from
// FirstScript on, in place of the stock type if there is one: zero returns a new one. A
// payload that does not fit the type is an [*Unknown] with the error. A nil function
// restores the stock type.
//
// The opcodes below belong to the engine: Register refuses them with [ErrEngineOpcode].
func (d *Decoder) Register(op Code, zero func() Message) error {
	if !op.Script() {
		return ErrEngineOpcode
	}
	d.messages[op], d.registered[op] = nil, zero
	return nil
}

// ErrEngineOpcode says that an opcode is not one of a script.
var ErrEngineOpcode = errors.New("opcode: not a script message")

// Decode decodes a payload like the function [Decode].
func (d *Decoder) Decode(payload []byte) (Message, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	m := &d.messages[payload[0]]
	if *m == nil {
		*m = d.zero(Code(payload[0]))
	}
	return decode(payload, *m)
}

// Dissect is [Dissect] with the types of the decoder.
func (d *Decoder) Dissect(payload []byte) ([]stream.Field, error) {
	if len(payload) == 0 {
		return nil, errEmpty()
	}
	m := d.zero(Code(payload[0]))
	if notBoot(payload) {
		m = &Unknown{}
	}
	return stream.Dissect(payload, payload[0], m)
}

func (d *Decoder) zero(op Code) Message {
	if f := d.registered[op]; f != nil {
		return f()
	}
	return New(op)
}

// Dissect returns what decoding makes of each byte of a payload, and the error of
// decoding. It takes about a hundred times the memory of the payload.
func Dissect(payload []byte) ([]stream.Field, error) {
	return new(Decoder).Dissect(payload)
}

// Unknown is a payload whose layout is not known: an opcode without a type, or a message
// of a mod. Data is what follows the opcode and aliases the payload.
type Unknown struct {
	Op   Code
	Data []byte
}

// Opcode returns m.Op.
func (m *Unknown) Opcode() Code { return m.Op }

// Walk implements [Message].
func (m *Unknown) Walk(c *stream.Codec) {
	c.Field("Data").Rest(&m.Data, nil)
}

// UnmarshalBinary takes any payload but an empty one.
func (m *Unknown) UnmarshalBinary(payload []byte) error {
	if len(payload) == 0 {
		return errEmpty()
	}
	*m = Unknown{Op: Code(payload[0]), Data: rest(payload)}
	return nil
}

// AppendBinary appends the payload to dst. It does not fail.
func (m *Unknown) AppendBinary(dst []byte) ([]byte, error) {
	return append(append(dst, byte(m.Op)), m.Data...), nil
}

// MarshalBinary returns the payload.
func (m *Unknown) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

// String returns the message in a line.
func (m *Unknown) String() string { return line(m) }

// LogValue returns the opcode and the bytes.
func (m *Unknown) LogValue() slog.Value { return logValue(m) }
