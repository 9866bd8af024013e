package opcode

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// Message is a payload of the game. A message of this package is a pointer to one of its types. A
// mod's message needs the same two methods and nothing else; see [Decoder.Register].
type Message interface {
	// Opcode returns the first byte of the payload, a constant for each type.
	Opcode() Code
	stream.Walker
}

// Marshal returns the payload of m.
func Marshal(m Message) ([]byte, error) { return Append(nil, m) }

// Append appends the payload of m to dst. It allocates a codec; [Encoder.Append] does not.
func Append(dst []byte, m Message) ([]byte, error) { return new(Encoder).Append(dst, m) }

// Encoder encodes messages with a codec that it reuses. The zero value is ready to use. It is not
// safe for concurrent use.
type Encoder struct{ codec stream.Codec }

// Append appends the payload of m to dst. On error it returns dst unchanged. The spare capacity of
// dst must not overlap memory that m aliases. The error is a [*stream.Error].
func (e *Encoder) Append(dst []byte, m Message) ([]byte, error) {
	if m == nil {
		return dst, errEmpty()
	}
	dst, err := e.codec.Append(dst, int(m.Opcode()), "", m.Walk)
	return dst, named(err, m)
}

// Unmarshal decodes a payload into m, which may alias the payload. The error is a [*stream.Error].
// On error, m holds the fields before the error, and the others are zero. With
// [stream.ErrTrailing], all fields are valid. Unmarshal allocates a codec; [Decoder] does not.
func Unmarshal(payload []byte, m Message) error {
	if m == nil {
		return errEmpty()
	}
	return unmarshal(new(stream.Codec), payload, m)
}

func unmarshal(c *stream.Codec, payload []byte, m Message) error {
	if m, ok := m.(*Unknown); ok && len(payload) > 0 {
		m.Op = Code(payload[0])
	}
	return named(c.Decode(payload, int(m.Opcode()), "", m.Walk), m)
}

// named sets the message of the error of a walk. The name of a mod's type allocates, so that no walk needs it.
func named(err error, m Message) error {
	if located, ok := err.(*stream.Error); ok {
		located.Message = typeName(m)
	}
	return err
}

// typeName returns the Go type of a message with its package, such as "opcode.TorpedoFire".
func typeName(m Message) string {
	if isStock(m) {
		return typeNames[m.Opcode()]
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*")
}

// nameOf returns the name of the opcode, or the Go type of a mod's message.
func nameOf(m Message) string {
	if _, ok := m.(*Unknown); ok || isStock(m) {
		return m.Opcode().String()
	}
	return typeName(m)
}
