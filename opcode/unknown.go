package opcode

import (
	"log/slog"

	"github.com/bcwire/bcwire/stream"
)

// Unknown is a payload of unknown layout, such as a message of a mod. Data aliases the payload
// after the opcode.
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

// UnmarshalBinary accepts any payload except an empty one.
func (m *Unknown) UnmarshalBinary(payload []byte) error {
	if len(payload) == 0 {
		return errEmpty()
	}
	*m = Unknown{Op: Code(payload[0]), Data: rest(payload)}
	return nil
}

// AppendBinary appends the payload to dst. It never fails.
func (m *Unknown) AppendBinary(dst []byte) ([]byte, error) {
	return append(append(dst, byte(m.Op)), m.Data...), nil
}

// MarshalBinary returns the payload.
func (m *Unknown) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

// String returns the message in one line.
func (m *Unknown) String() string { return Line(m) }

// LogValue returns the opcode and at most 24 bytes.
func (m *Unknown) LogValue() slog.Value { return logValue(m) }

// rest returns the bytes after the opcode, without spare capacity, or nil if there are none.
func rest(payload []byte) []byte {
	if len(payload) == 1 {
		return nil
	}
	return payload[1:len(payload):len(payload)]
}
