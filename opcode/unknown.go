package opcode

import "github.com/bcwire/bcwire/stream"

// Unknown is a payload of unknown layout, such as a message of a mod. Data aliases the payload
// after the opcode.
type Unknown struct {
	Op   Code
	Data []byte
}

// Opcode returns m.Op.
func (m *Unknown) Opcode() Code { return m.Op }

func (m *Unknown) Walk(c *stream.Codec) {
	c.Field("Data").Rest(&m.Data, nil)
}

// String returns the message in one line.
func (m *Unknown) String() string { return Line(m) }

// rest returns the bytes after the opcode, without spare capacity, or nil if there are none.
func rest(payload []byte) []byte {
	if len(payload) == 1 {
		return nil
	}
	return payload[1:len(payload):len(payload)]
}

// Dialect describes a form that the stock game does not send, or returns "".
func Dialect(m Message) string {
	switch m := m.(type) {
	case *TorpedoFire:
		if m.Form != TorpedoStock {
			return m.Form.String()
		}
	case *DeletePlayerAnim:
		if m.Form == NameOpenBC {
			return "length of two bytes"
		}
	case *NewPlayerInGame:
		if m.Bare {
			return "only the opcode"
		}
	case *BootPlayer:
		return "the stock game does not send it"
	}
	return ""
}
