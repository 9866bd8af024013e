package opcode

import (
	"log/slog"

	"github.com/bcwire/bcwire/stream"
)

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
func (m *Unknown) String() string { return Line(m) }

// LogValue returns the opcode and the bytes.
func (m *Unknown) LogValue() slog.Value { return logValue(m) }

// rest returns what follows the opcode, without room to append to; no bytes are nil.
func rest(payload []byte) []byte {
	if len(payload) == 1 {
		return nil
	}
	return payload[1:len(payload):len(payload)]
}
