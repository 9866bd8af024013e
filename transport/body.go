package transport

import (
	"encoding"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Body is the typed body of a message that is not Data: [Ack], [ConnectRequest],
// [ConnectReply], [NameChange], [Boot], [Disconnect] or [DoNothing]. There are no others:
// what the engine has no type for, no peer could read.
type Body interface {
	Type() Type
	encoding.BinaryAppender // appends the body, without a header; does not fail

	fields(*dissection)
}

// NewMessage returns the message with a body, as the stock game sends it. The number is
// ignored for an Ack, which has its own, and for DoNothing, which has none.
func NewMessage(seq uint16, body Body) Message {
	m := Message{Type: body.Type()}
	m.Body, _ = body.AppendBinary(nil) // bodies append any value
	switch b := body.(type) {
	case Ack:
		m.Seq = b.Seq
	case *Ack:
		m.Seq = b.Seq
	case DoNothing, *DoNothing:
	default:
		m.Seq, m.Reliable, m.HighPriority = seq, true, true
	}
	return m
}

// Decode returns the typed body of a message that is not Data. It fails with
// [ErrBadLength] if the body does not have the length of its type, with [ErrDialect] if
// the message is not in a stock form, whose body may then be anything, and with
// [ErrWrongType] for Data, and with [ErrUnknownType] for what the stock game does not know. The texts in it alias
// the message.
func (m *Message) Decode() (Body, error) {
	body, err := m.decode()
	if err != nil {
		return nil, alone(m.Type, err)
	}
	return body, nil
}

func (m *Message) decode() (Body, error) {
	b := m.Body
	switch {
	case m.Type == TypeAck:
		if a, ok := m.Ack(); ok {
			return a, nil
		}
		return nil, ErrBadLength
	case m.Type == TypeDoNothing:
		return DoNothing{Raw: b}, nil
	case m.Short, m.System() && !m.Reliable:
		return nil, ErrDialect
	case m.Type == TypeConnect && len(b) == 1:
		return ConnectReply{PeerID: int8(b[0])}, nil
	case m.Type == TypeConnect && len(b) >= 8:
		return ConnectRequest{[4]byte(b), le.Uint32(b[4:]), Text(b[8:])}, nil
	case m.Type == TypeNameChange && len(b) >= 5:
		return NameChange{int8(b[0]), [4]byte(b[1:]), Text(b[5:])}, nil
	case m.Type == TypeBoot && len(b) == 2:
		return Boot{BootReason(b[0]), int8(b[1])}, nil
	case m.Type == TypeDisconnect && len(b) == 5:
		return Disconnect{int8(b[0]), [4]byte(b[1:])}, nil
	case m.Type == TypeData:
		return nil, ErrWrongType
	case m.known():
		return nil, ErrBadLength
	}
	return nil, ErrUnknownType
}

// Ack acknowledges one message, or one fragment of one. It is not reliable itself and
// not cumulative.
//
//	offset  size  field
//	0       1     0x01
//	1       2     Seq
//	3       1     Flags
//	4       1     FragIndex, if Flags has AckFragment
//
// Unknown flags are to be ignored; OpenBC sets 0x80.
//
// Evidence: observed.
type Ack struct {
	Seq       uint16
	Flags     AckFlags
	FragIndex uint8
}

// AckFlags tell what an Ack acknowledges.
type AckFlags uint8

const (
	AckFragment AckFlags = 1 << 0 // one fragment, FragIndex
	AckSystem   AckFlags = 1 << 1 // a message of the system channel
)

// ackLen returns the length of an Ack with the given flags.
func ackLen(flags byte) int {
	if AckFlags(flags)&AckFragment != 0 {
		return 5
	}
	return 4
}

// AckOf returns the Ack for a reliable message.
func AckOf(m *Message) Ack {
	a := Ack{Seq: m.Seq}
	if m.System() {
		a.Flags |= AckSystem
	}
	if m.Fragment {
		a.Flags |= AckFragment
		a.FragIndex = m.FragIndex
	}
	return a
}

// Acknowledges says whether a is the Ack for a message.
func (a Ack) Acknowledges(m *Message) bool {
	want := AckOf(m)
	a.Flags &= AckFragment | AckSystem
	return m.Reliable && a == want
}

// Type returns TypeAck.
func (a Ack) Type() Type { return TypeAck }

// AppendBinary appends the flags, and the index of a fragment, to dst. It does not fail.
func (a Ack) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, byte(a.Flags))
	if a.Flags&AckFragment != 0 {
		dst = append(dst, a.FragIndex)
	}
	return dst, nil
}

func (a Ack) fields(d *dissection) {
	d.take("Flags", 1, a.Flags)
	if a.Flags&AckFragment != 0 {
		d.take("FragIndex", 1, a.FragIndex)
	}
}

// Ack returns the acknowledgement that a message of TypeAck is, and false if it is none.
func (m *Message) Ack() (Ack, bool) {
	b := m.Body
	if m.Type != TypeAck || len(b) == 0 || m.Len() != ackLen(b[0]) {
		return Ack{}, false
	}
	a := Ack{Seq: m.Seq, Flags: AckFlags(b[0])}
	if a.Flags&AckFragment != 0 {
		a.FragIndex = b[1]
	}
	return a, true
}

// Text is the text of a system message as on the wire: UTF-16, little-endian, with its
// terminating NUL. Peers also send it without a NUL, or with half a character at the end.
// [NewText] converts a string. The texts of packages stream and gamespy are other types, in
// Windows-1252.
//
// A nil Text is encoded as the stock game sends an empty text: 00 00, its NUL alone. Every
// other Text is encoded as it is. Decode never returns nil: a text with no bytes at all is
// empty but not nil, so that it is re-encoded byte-exactly.
type Text []byte

// append appends the wire form to dst.
func (t Text) append(dst []byte) []byte {
	if t == nil {
		return append(dst, 0, 0)
	}
	return append(dst, t...)
}

// NewText returns a string as text, with the NUL. It returns [ErrText] for a string that
// holds a NUL, where peers would end it, and for one that is not UTF-8.
func NewText(s string) (Text, error) {
	if strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
		return nil, ErrText
	}
	var t Text
	for _, u := range utf16.Encode([]rune(s)) {
		t = le.AppendUint16(t, u)
	}
	return append(t, 0, 0), nil
}

// String returns the text up to its NUL, or to the last complete character.
func (t Text) String() string {
	units := make([]uint16, 0, len(t)/2)
	for ; len(t) >= 2; t = t[2:] {
		u := le.Uint16(t)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}
