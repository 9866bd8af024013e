package transport

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/bcwire/bcwire/stream"
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
	// MaxUnfragmentedPayload is the length of the longest unsplit reliable payload, 407 bytes.
	MaxUnfragmentedPayload = maxUnfragmented - 5
	// MaxPayload is the length of the longest payload, 103,529 bytes in 255 fragments.
	MaxPayload = firstFragment + (maxFragments-1)*nextFragment

	// maxUnfragmented is the length of the longest Data message that is not split, with its header.
	maxUnfragmented = 412

	maxFragments  = 255
	firstFragment = maxUnfragmented - 7 // with the index and the total
	nextFragment  = maxUnfragmented - 6 // with the index

	maxUnreliablePayload = maxUnfragmented - 3
)

// AppendFragments splits a payload into reliable messages and appends them to dst: one message, or
// as few fragments as possible. The fragments share a sequence number and alias the payload.
// AppendFragments returns an error wrapping [stream.ErrTooLong] for more than [MaxPayload] bytes.
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
		return dst, messageError(TypeData, &excess{stream.ErrTooLong, "payload of # bytes", len(payload), MaxPayload})
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

// parse reads the message at the beginning of b into m, which must be zero. It returns the length
// of the message, or 0 if the length is unknown. With an error, m has the fields that could be
// read.
//
// m is a pointer because returning a Message takes longer than reading it.
func (m *Message) parse(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	m.Type = Type(b[0])
	switch m.Type {
	case TypeAck:
		return m.parseAck(b)
	case TypeDoNothing:
		n = doNothingLen(b[1:])
		m.Body = b[1:n:n]
		return n, nil
	}
	if n = shortLen(b); n > 0 && m.System() {
		m.Short, m.Body = true, b[2:n:n]
		return n, nil
	}
	if !m.known() {
		return 0, ErrUnknownType
	}
	return m.parseFlagged(b)
}

func (m *Message) parseAck(b []byte) (n int, err error) {
	if len(b) < 3 {
		return 0, io.ErrUnexpectedEOF
	}
	m.Seq = le.Uint16(b[1:])
	if len(b) < 4 || len(b) < ackLen(b[3]) {
		m.Body = b[3:len(b):len(b)]
		return 0, io.ErrUnexpectedEOF
	}
	n = ackLen(b[3])
	m.Body = b[3:n:n]
	return n, nil
}

// parseFlagged reads a message with flags and length.
func (m *Message) parseFlagged(b []byte) (n int, err error) {
	if len(b) < 3 {
		return 0, io.ErrUnexpectedEOF
	}
	word := le.Uint16(b[1:])
	n = lengthOf(m.Type, word)
	m.Reliable = word&flagReliable != 0
	m.HighPriority = word&flagHighPriority != 0
	m.Fragment = m.Type == TypeData && word&flagFragment != 0
	if n < 3 {
		return 0, ErrBadLength // the next message cannot be found
	}
	whole := b[:min(n, len(b))]
	header := 3
	if m.Reliable && len(whole) >= 5 {
		m.Seq = le.Uint16(whole[3:])
		header = 5
	}
	if m.Fragment && header < len(whole) && (header == 5 || !m.Reliable) {
		m.FragIndex = whole[header]
		if header++; m.FragIndex == 0 && header < len(whole) {
			m.FragTotal = whole[header]
			header++
		}
	}
	m.Body = whole[header:len(whole):len(whole)]
	switch {
	case n > len(b):
		return 0, io.ErrUnexpectedEOF
	case header < m.header():
		return n, ErrBadLength
	case m.Fragment && !m.Reliable:
		return n, ErrBadFragment
	}
	return n, nil
}

// doNothingLen returns the length of a DoNothing with the bytes b after its type. The game sends
// the type alone. The header of an unreliable message without a body is tolerated, too.
func doNothingLen(b []byte) int {
	if len(b) >= 2 && b[0] == 3 && b[1] == 0 {
		return 3
	}
	return 1
}

// shortLen returns the length of a system message in the short form, or 0. The stock game sets at
// least one of the flags in byte 2, which distinguishes the forms.
func shortLen(b []byte) int {
	if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
		return 0
	}
	if len(b) > 2 && b[2]&notShort != 0 {
		return 0
	}
	return int(b[1])
}

// encode appends the encoded message to dst. It ignores fields that the header of this message does
// not have. If the bytes would be read as another message, it returns dst unchanged.
func (m *Message) encode(dst []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return dst, messageError(m.Type, err)
	}
	return m.append(dst), nil
}

// append appends a valid message.
func (m *Message) append(dst []byte) []byte {
	dst = append(dst, byte(m.Type))
	switch {
	case m.Type == TypeAck:
		dst = le.AppendUint16(dst, m.Seq)
	case m.Type == TypeDoNothing:
	case m.Short:
		dst = append(dst, byte(m.Len()))
	default:
		dst = le.AppendUint16(dst, m.word())
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
	return append(dst, m.Body...)
}

// maxLen returns the largest length that fits the header.
func (m *Message) maxLen() int {
	switch {
	case m.Short:
		return math.MaxUint8
	case m.Type == TypeData:
		return maxDataLength
	}
	return maxSystemLength
}

// check returns an error if the message would be read differently.
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
	case n > m.maxLen():
		return &excess{stream.ErrTooLong, "message of # bytes", n, m.maxLen()}
	case m.Short && (!m.System() || len(m.Body) > 0 && m.Body[0]&notShort != 0),
		!m.Short && m.System() && !m.Reliable && !m.HighPriority && byte(n) >= 2:
		return ErrDialect
	}
	return nil
}
