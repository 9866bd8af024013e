package transport

import (
	"encoding/binary"
	"io"
)

var le = binary.LittleEndian

// Message is a transport message as it stands in a datagram. It has one of five headers:
//
//	Data                [0x32][flags, length: 2][seq: 2][index: 1][total: 1][body]
//	other stock types   [type][flags, length: 2][seq: 2][body]
//	Ack                 [0x01][seq: 2][body]
//	DoNothing           [0x02][body]
//	Short               [type][length: 1][body]
//
// The length is that of the whole message, type included; it has 13 bits in Data and 14
// in others, below the flags: bit 15 Reliable, bit 14 HighPriority and, in Data, bit 13
// Fragment. Seq is there if the message is reliable, index if it is a fragment, and
// total if its index is 0.
//
// Evidence: observed, but for DoNothing and high-priority Data, and for system messages
// that are not reliable, whose body may begin with a sequence number.
type Message struct {
	Type         Type
	Reliable     bool   // has a sequence number and wants an Ack
	HighPriority bool   // set in all system messages of the stock game
	Fragment     bool   // Data: a piece of a payload
	Short        bool   // a dialect: a length of one byte, no flags, no sequence number
	Seq          uint16 // of the channel; in an Ack, the number acknowledged
	FragIndex    uint8  // place of the piece
	FragTotal    uint8  // number of pieces, on the wire in the first one only

	// Body is what follows the header: the payload of Data, opcode first, or a piece of
	// it; else what [Message.Decode] reads. It aliases the datagram.
	Body []byte
}

const (
	flagReliable     = 1 << 15
	flagHighPriority = 1 << 14
	flagFragment     = 1 << 13

	notShort = (flagReliable | flagHighPriority) >> 8 // in byte 2

	maxDataLength   = flagFragment - 1
	maxSystemLength = flagHighPriority - 1
)

// Limits of the stock game for what it sends.
const (
	// MaxDatagram is the size of the largest datagram. Accept larger ones.
	MaxDatagram = 512
	// MaxMessages is the number of messages that the count byte of a datagram can tell.
	MaxMessages = 255
)

// NewData returns a reliable message with a payload. Payloads too long for one message
// go through [AppendFragments].
func NewData(seq uint16, payload []byte) Message {
	return Message{Type: TypeData, Reliable: true, Seq: seq, Body: payload}
}

// NewUnreliable returns a message with a payload that is sent once.
func NewUnreliable(payload []byte) Message {
	return Message{Type: TypeData, Body: payload}
}

// System says whether the message belongs to the system channel.
func (m *Message) System() bool { return m.Type < TypeData }

// Len returns the length of the message on the wire.
func (m *Message) Len() int { return m.header() + len(m.Body) }

func (m *Message) header() int {
	switch {
	case m.Type == TypeAck:
		return 3
	case m.Type == TypeDoNothing:
		return 1
	case m.Short:
		return 2
	}
	n := 3
	if m.Reliable {
		n += 2
	}
	if m.Fragment {
		n++
		if m.FragIndex == 0 {
			n++
		}
	}
	return n
}

// AppendBinary appends the message to dst. Fields that its header does not have are
// ignored. It refuses what would be read differently: with [ErrTooLong], [ErrBadFragment]
// for a fragment that is not reliable Data, [ErrBadLength] for the body of an Ack or a
// DoNothing, [ErrDialect] for a system message that has neither flag or for a Short one
// that seems to have them.
func (m *Message) AppendBinary(dst []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return dst, alone(m.Type, err)
	}
	dst = append(dst, byte(m.Type))
	switch {
	case m.Type == TypeAck:
		dst = le.AppendUint16(dst, m.Seq)
	case m.Type == TypeDoNothing:
	case m.Short:
		dst = append(dst, byte(m.Len()))
	default:
		dst = le.AppendUint16(dst, m.flags()|uint16(m.Len()))
		if m.Reliable {
			dst = le.AppendUint16(dst, m.Seq)
		}
		if m.Fragment {
			dst = append(dst, m.FragIndex)
			if m.FragIndex == 0 {
				dst = append(dst, m.FragTotal)
			}
		}
	}
	return append(dst, m.Body...), nil
}

func (m *Message) flags() (f uint16) {
	if m.Reliable {
		f |= flagReliable
	}
	if m.HighPriority {
		f |= flagHighPriority
	}
	if m.Fragment {
		f |= flagFragment
	}
	return f
}

func (m *Message) check() error {
	n := m.Len()
	switch {
	case m.Type == TypeAck:
		if len(m.Body) == 0 || n != ackLen(m.Body[0]) {
			return ErrBadLength
		}
	case m.Type == TypeDoNothing:
		if n != doNothingLen(m.Body) {
			return ErrBadLength
		}
	case !m.known() && !(m.Short && m.System()):
		return ErrUnknownType
	case m.Fragment && !(m.Reliable && m.Type == TypeData):
		return ErrBadFragment
	case m.Short && n > 0xFF, m.Type == TypeData && n > maxDataLength, n > maxSystemLength:
		return ErrTooLong
	case m.Short && (!m.System() || len(m.Body) > 0 && m.Body[0]&notShort != 0),
		!m.Short && m.System() && m.flags() == 0 && byte(n) >= 2:
		return ErrDialect
	}
	return nil
}

// known says whether the type has a header with flags and length.
func (m *Message) known() bool {
	switch m.Type {
	case TypeNameChange, TypeConnect, TypeBoot, TypeDisconnect, TypeData:
		return true
	}
	return false
}

// parse reads the message at the beginning of b. It returns how long it is, 0 if that
// cannot be known, and with an error what could be read.
func (mode Mode) parse(b []byte) (m Message, n int, err error) {
	if len(b) == 0 {
		return m, 0, io.ErrUnexpectedEOF
	}
	m.Type = Type(b[0])
	switch m.Type {
	case TypeAck:
		return m.parseAck(b)
	case TypeDoNothing:
		n = doNothingLen(b[1:])
		m.Body = b[1:n:n]
		return m, n, nil
	}
	if m.System() {
		if n := shortLen(b); n > 0 {
			m.Short = true
			m.Body = b[2:n:n]
			if mode == Strict {
				return m, n, ErrDialect
			}
			return m, n, nil
		}
	}
	if !m.known() {
		return m, 0, ErrUnknownType
	}
	return m.parseFlagged(b)
}

func (m Message) parseAck(b []byte) (Message, int, error) {
	if len(b) < 4 || len(b) < ackLen(b[3]) {
		if len(b) >= 3 {
			m.Seq = le.Uint16(b[1:])
			m.Body = b[3:len(b):len(b)]
		}
		return m, 0, io.ErrUnexpectedEOF
	}
	n := ackLen(b[3])
	m.Seq = le.Uint16(b[1:])
	m.Body = b[3:n:n]
	return m, n, nil
}

// parseFlagged reads a message with flags and length.
func (m Message) parseFlagged(b []byte) (Message, int, error) {
	if len(b) < 3 {
		return m, 0, io.ErrUnexpectedEOF
	}
	word := le.Uint16(b[1:])
	m.Reliable = word&flagReliable != 0
	m.HighPriority = word&flagHighPriority != 0
	n := int(word & maxSystemLength)
	if m.Type == TypeData {
		m.Fragment = word&flagFragment != 0
		n = int(word & maxDataLength)
	}
	if n < 3 {
		return m, 0, ErrBadLength // nowhere to go on
	}
	whole := b[:min(n, len(b))]
	rest, ok := m.parseNumbers(whole[3:])
	m.Body = rest[:len(rest):len(rest)]
	switch {
	case n > len(b):
		return m, 0, io.ErrUnexpectedEOF
	case !ok:
		return m, n, ErrBadLength
	case m.Fragment && !m.Reliable:
		return m, n, ErrBadFragment
	}
	return m, n, nil
}

// parseNumbers reads what follows flags and length in the header, as far as it is there,
// and returns the rest.
func (m *Message) parseNumbers(b []byte) (rest []byte, ok bool) {
	if m.Reliable {
		if len(b) < 2 {
			return b, false
		}
		m.Seq = le.Uint16(b)
		b = b[2:]
	}
	if m.Fragment {
		if len(b) < 1 {
			return b, false
		}
		m.FragIndex = b[0]
		b = b[1:]
		if m.FragIndex == 0 {
			if len(b) < 1 {
				return b, false
			}
			m.FragTotal = b[0]
			b = b[1:]
		}
	}
	return b, true
}

// doNothingLen returns the length of the DoNothing whose type b follows. No capture has
// one: it is a byte alone or the header of an unreliable message without a body.
func doNothingLen(b []byte) int {
	if len(b) >= 2 && b[0] == 3 && b[1] == 0 {
		return 3
	}
	return 1
}

// shortLen returns the length of the system message that b begins with, if it is in the
// short form, else 0. The stock game sets at least one of the bits that tell them apart.
func shortLen(b []byte) int {
	if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
		return 0
	}
	if len(b) > 2 && b[2]&notShort != 0 {
		return 0
	}
	return int(b[1])
}
