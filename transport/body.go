package transport

import "encoding"

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
