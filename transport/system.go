package transport

import (
	"encoding"
	"strconv"
)

// Body is the typed body of a message that is not Data: [Ack], [ConnectRequest],
// [ConnectReply], [NameChange], [Boot], [Disconnect] or [DoNothing].
type Body interface {
	Type() Type
	encoding.BinaryAppender // appends the body, without a header
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
// [ErrUnknownType] for Data and what the stock game does not know. The texts in it alias
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
	case m.known() && m.Type != TypeData:
		return nil, ErrBadLength
	}
	return nil, ErrUnknownType
}

// ConnectRequest is the first message of a client, in a datagram with the peer ID
// [NoPeer]. Its type is TypeConnect, like that of the reply.
//
//	offset  size  field
//	0       4     LocalIP, as the client sees itself; not to be trusted
//	4       4     ConnID
//	8       n     Password
//
// The same ConnID again is a retransmission, another one from the same address a new
// session.
//
// Evidence: observed; the meaning of ConnID and Password is inferred.
type ConnectRequest struct {
	LocalIP  [4]byte
	ConnID   uint32
	Password Text
}

// Type returns TypeConnect.
func (ConnectRequest) Type() Type { return TypeConnect }

// AppendBinary appends the body to dst. It does not fail.
func (c ConnectRequest) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, c.LocalIP[:]...)
	dst = le.AppendUint32(dst, c.ConnID)
	return append(dst, c.Password...), nil
}

// ConnectReply tells a client its peer ID, one byte. With the Ack of the request it is
// the acceptance; there is no other.
//
// Evidence: observed.
type ConnectReply struct{ PeerID int8 }

// Type returns TypeConnect.
func (ConnectReply) Type() Type { return TypeConnect }

// AppendBinary appends the body to dst. It does not fail.
func (c ConnectReply) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, byte(c.PeerID)), nil
}

// NameChange tells the name of a player: from a client once when it joins, and from the
// host to all, the sender included.
//
//	offset  size  field
//	0       1     PeerID of the player
//	1       4     IP
//	5       n     Name
//
// Evidence: observed.
type NameChange struct {
	PeerID int8
	IP     [4]byte
	Name   Text
}

// Type returns TypeNameChange.
func (NameChange) Type() Type { return TypeNameChange }

// AppendBinary appends the body to dst. It does not fail.
func (n NameChange) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, byte(n.PeerID))
	dst = append(dst, n.IP[:]...)
	return append(dst, n.Name...), nil
}

// Boot is the host's refusal or dismissal of a client.
//
//	offset  size  field
//	0       1     Reason
//	1       1     PeerID, NoPeer if the client was not given one
//
// Evidence: observed.
type Boot struct {
	Reason BootReason
	PeerID int8
}

// Type returns TypeBoot.
func (Boot) Type() Type { return TypeBoot }

// AppendBinary appends the body to dst. It does not fail.
func (b Boot) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, byte(b.Reason), byte(b.PeerID)), nil
}

// BootReason tells why a client is dismissed.
type BootReason uint8

// The reasons. Only BootRemoved has been observed; the name of BootBanned is inferred.
const (
	BootUnspecified    BootReason = 0
	BootTimeout        BootReason = 1
	BootPassword       BootReason = 2
	BootTooManyPlayers BootReason = 3
	BootRemoved        BootReason = 4 // by the host, also when its integrity check fails
	BootBanned         BootReason = 5
)

var bootReasons = [...]string{"unspecified", "timed out", "wrong password", "too many players", "removed by host", "banned"}

// String returns the reason in words, or its number.
func (r BootReason) String() string {
	if int(r) < len(bootReasons) {
		return bootReasons[r]
	}
	return strconv.Itoa(int(r))
}

// Disconnect is a client's farewell, which the host passes on to the others.
//
//	offset  size  field
//	0       1     PeerID of the client
//	1       4     IP
//
// Evidence: observed.
type Disconnect struct {
	PeerID int8
	IP     [4]byte
}

// Type returns TypeDisconnect.
func (Disconnect) Type() Type { return TypeDisconnect }

// AppendBinary appends the body to dst. It does not fail.
func (d Disconnect) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, byte(d.PeerID))
	return append(dst, d.IP[:]...), nil
}

// DoNothing is the keepalive, sent after five seconds of silence. Raw is empty or the
// bytes 03 00, since no capture tells which of the two it is.
//
// Evidence: documented.
type DoNothing struct{ Raw []byte }

// Type returns TypeDoNothing.
func (DoNothing) Type() Type { return TypeDoNothing }

// AppendBinary appends Raw to dst. It does not fail.
func (d DoNothing) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, d.Raw...), nil
}
