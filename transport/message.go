package transport

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// Type is the first byte of a transport message.
type Type uint8

// The types, with the engine's names. The scripts also name APP_START, between DISCONNECT and
// STANDARD. Its number is unknown, and the published engine reads no other type than these.
const (
	TypeNameChange Type = 0x00 // NAME_CHANGE
	TypeAck        Type = 0x01 // ACKNOWLEDGE
	TypeDoNothing  Type = 0x02 // DO_NOTHING, the keepalive
	TypeConnect    Type = 0x03 // CONNECT, a request or a reply
	TypeBoot       Type = 0x04 // BOOT_PLAYER
	TypeDisconnect Type = 0x05 // DISCONNECT
	TypeData       Type = 0x32 // STANDARD, a game payload or a fragment
)

// String returns the name, such as "Data", or the number of an unknown type, such as "0x06".
func (t Type) String() string {
	switch {
	case t == TypeData:
		return "Data"
	case t <= TypeDisconnect:
		return name(t, "NameChange", "Ack", "DoNothing", "Connect", "Boot", "Disconnect")
	}
	return "0x" + strconv.FormatUint(0x100|uint64(t), 16)[1:]
}

// name returns the name of a value, or its number if it has none.
func name[T ~uint8](v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

var le = binary.LittleEndian

// Message is a transport message with the fields of its header. There are five headers:
//
//	Data                [0x32][flags, length: 2][seq: 2][index: 1][total: 1][body]
//	other stock types   [type][flags, length: 2][seq: 2][body]
//	Ack                 [0x01][seq: 2][body]
//	DoNothing           [0x02][body]
//	Short               [type][length: 1][body]
//
// The length of the whole message is in the low 13 bits of the word in Data, and in the low 14 bits
// in other types. The flags are bit 15 Reliable, bit 14 HighPriority and, in Data, bit 13 Fragment.
// Reliable messages have a seq, fragments an index, and fragments of index 0 a total.
//
// Evidence: observed, except for DoNothing, high-priority Data and unreliable system messages. It
// is unknown whether an unreliable system message has a seq, so Decode returns [ErrDialect] for it.
type Message struct {
	Type         Type
	Reliable     bool   // has a sequence number and must be acknowledged
	HighPriority bool   // set in the stock game's system messages with flags
	Fragment     bool   // Data only
	Short        bool   // form of OpenBC: a length of one byte, no flags, no sequence number
	Seq          uint16 // in the channel; in an Ack, the acknowledged number
	FragIndex    uint8
	FragTotal    uint8 // number of fragments; only in fragment 0

	// Body is the payload of Data, opcode first, or a fragment of it. Body aliases the datagram.
	Body []byte
}

// MaxDatagram is the length of the longest datagram of the stock game. Accept up to 65,507 bytes.
const MaxDatagram = 512

// NewData returns a reliable message with a payload. Use [AppendFragments] beyond 407 bytes.
func NewData(seq uint16, payload []byte) Message {
	return Message{Type: TypeData, Reliable: true, Seq: seq, Body: payload}
}

// NewUnreliable returns a message with a payload that is sent once and not acknowledged.
func NewUnreliable(payload []byte) Message {
	return Message{Type: TypeData, Body: payload}
}

// Lengths at which the stock game splits payloads, in bytes.
const (
	// MaxUnfragmented is the length of the longest Data message that is not split, with its header.
	MaxUnfragmented = 412
	// MaxUnfragmentedPayload is the length of the longest unsplit reliable payload, 407 bytes.
	MaxUnfragmentedPayload = MaxUnfragmented - 5
	// MaxPayload is the length of the longest payload, 103,529 bytes in 255 fragments.
	MaxPayload = firstFragment + (maxFragments-1)*nextFragment

	maxFragments  = 255
	firstFragment = MaxUnfragmented - 7 // with the index and the total
	nextFragment  = MaxUnfragmented - 6 // with the index

	maxUnreliablePayload = MaxUnfragmented - 3
)

// AppendFragments splits a payload into reliable messages and appends them to dst: one message, or
// as few fragments as possible. The fragments share a sequence number and alias the payload.
// AppendFragments returns an error wrapping [ErrTooLong] for more than [MaxPayload] bytes.
func AppendFragments(dst []Message, seq uint16, payload []byte) ([]Message, error) {
	if len(payload) <= MaxUnfragmentedPayload {
		return append(dst, NewData(seq, payload)), nil
	}
	return appendFragments(dst, seq, payload, firstFragment)
}

// appendFragments splits a payload of more than first bytes into fragments, of which the first has
// that many. If there were too many of them, the first is as long as possible.
func appendFragments(dst []Message, seq uint16, payload []byte, first int) ([]Message, error) {
	if len(payload) > MaxPayload {
		return dst, messageError(TypeData, &excess{ErrTooLong, "payload of # bytes", len(payload), MaxPayload})
	}
	first = max(first, len(payload)-(maxFragments-1)*nextFragment)
	total := 1 + (len(payload)-first+nextFragment-1)/nextFragment
	for i, size := 0, first; i < total; i, size = i+1, nextFragment {
		m := NewData(seq, payload[:min(size, len(payload))])
		payload = payload[len(m.Body):]
		m.Fragment = true
		m.FragIndex = uint8(i)
		if i == 0 {
			m.FragTotal = uint8(total)
		}
		dst = append(dst, m)
	}
	return dst, nil
}

// System reports whether the message belongs to the system channel.
func (m *Message) System() bool { return m.Type < TypeData }

// Len returns the length of the encoded message.
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

// String returns, for example, "Data #2, fragment 1 of 3, 405 bytes". Passwords are not shown.
func (m Message) String() string {
	text := m.Type.String()
	switch ack, ok := m.Ack(); {
	case ok:
		return text + " of " + ack.target()
	case m.Reliable:
		text += " #" + strconv.Itoa(int(m.Seq))
	case m.Type == TypeData:
		text += " unreliable"
	}
	if m.Type == TypeData && m.HighPriority {
		text += ", high priority"
	}
	if m.Fragment {
		text += ", fragment " + strconv.Itoa(int(m.FragIndex)+1)
		if m.FragIndex == 0 {
			text += " of " + strconv.Itoa(int(m.FragTotal))
		}
	}
	if body, err := m.decode(); err == nil {
		return text + summary(body)
	}
	return fmt.Sprintf("%s, %d bytes", text, len(m.Body))
}

// known reports whether the type has a header with flags and length.
func (m *Message) known() bool {
	return m.Type == TypeData || m.Type <= TypeDisconnect && m.Type != TypeAck && m.Type != TypeDoNothing
}

const (
	flagReliable     = 1 << 15
	flagHighPriority = 1 << 14
	flagFragment     = 1 << 13

	notShort = (flagReliable | flagHighPriority) >> 8 // in byte 2

	maxDataLength   = flagFragment - 1
	maxSystemLength = flagHighPriority - 1
)

// lengthOf returns the length of a message from the word of flags and length.
func lengthOf(t Type, word uint16) int {
	if t == TypeData {
		return int(word & maxDataLength)
	}
	return int(word & maxSystemLength)
}

// word returns the word of flags and length.
func (m *Message) word() uint16 {
	word := uint16(m.Len())
	if m.Reliable {
		word |= flagReliable
	}
	if m.HighPriority {
		word |= flagHighPriority
	}
	if m.Fragment {
		word |= flagFragment
	}
	return word
}
