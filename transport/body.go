package transport

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Body is the typed body of a message other than Data: a pointer to an [Ack], [ConnectRequest],
// [ConnectReply], [NameChange], [Boot], [Disconnect] or [DoNothing].
type Body interface {
	typ() Type
	walk(*stream.Codec)
}

// Walk visits the fields of a body with c, as the Walk method of a game message does; see package [stream].
// The number of an [Ack] is in the header.
func Walk(c *stream.Codec, body Body) { body.walk(c) }

func (*Ack) typ() Type            { return TypeAck }
func (*ConnectRequest) typ() Type { return TypeConnect }
func (*ConnectReply) typ() Type   { return TypeConnect }
func (*NameChange) typ() Type     { return TypeNameChange }
func (*Boot) typ() Type           { return TypeBoot }
func (*Disconnect) typ() Type     { return TypeDisconnect }
func (*DoNothing) typ() Type      { return TypeDoNothing }

// NewMessage returns a message with a body, as the stock game sends it. It ignores seq for Ack and
// DoNothing. A body of more than 256 MiB, or with a peer ID that does not fit a signed byte, cannot
// be encoded and is left empty.
func NewMessage(seq uint16, body Body) Message {
	m, _ := newMessage(seq, body)
	return m
}

func newMessage(seq uint16, body Body) (m Message, err error) {
	m.Type = body.typ()
	m.Body, err = appendWalk(nil, body)
	switch b := body.(type) {
	case *Ack:
		m.Seq = b.Seq
	case *DoNothing:
	default:
		m.Seq, m.Reliable, m.HighPriority = seq, true, true
	}
	return m, err
}

// Decode returns the typed body of a message other than Data. Texts alias the message. The error
// wraps [ErrBadLength] if the type has no body of this length, and [ErrUnknownType] for an unknown
// type. It wraps [ErrDialect] if the form has no typed body. Decode also returns an error for Data.
func (m *Message) Decode() (Body, error) {
	body, err := m.decode()
	if err != nil {
		return nil, messageError(m.Type, err)
	}
	return body, nil
}

// decode is Decode without the place in the error, and a fast path for the walks of the bodies: with these, the worst of
// BenchmarkFloods takes an Observer 1.7 times as long. TestWalkDescribesBodies compares both.
func (m *Message) decode() (Body, error) {
	b := m.Body
	switch {
	case m.Type == TypeAck:
		if a, ok := m.Ack(); ok {
			return &a, nil
		}
		return nil, ErrBadLength
	case m.Type == TypeDoNothing:
		return &DoNothing{Raw: b}, nil
	case m.Short, m.System() && !m.Reliable:
		return nil, ErrDialect
	case m.Type == TypeConnect && len(b) == 1:
		return &ConnectReply{PeerID: peerOf(b[0])}, nil
	case m.Type == TypeConnect && len(b) >= 8:
		return &ConnectRequest{[4]byte(b), le.Uint32(b[4:]), UTF16Z(b[8:])}, nil
	case m.Type == TypeNameChange && len(b) >= 5:
		return &NameChange{peerOf(b[0]), [4]byte(b[1:]), UTF16Z(b[5:])}, nil
	case m.Type == TypeBoot && len(b) == 2:
		return &Boot{BootReason(b[0]), peerOf(b[1])}, nil
	case m.Type == TypeDisconnect && len(b) == 5:
		return &Disconnect{peerOf(b[0]), [4]byte(b[1:])}, nil
	case m.Type == TypeData:
		return nil, errWrongType
	case m.known():
		return nil, ErrBadLength
	}
	return nil, ErrUnknownType
}

// target returns the acknowledged message as text, such as "game #5, fragment 3".
func (a Ack) target() string {
	channel := "game"
	if a.Flags&AckSystem != 0 {
		channel = "system"
	}
	if a.Flags&AckFragment != 0 {
		return fmt.Sprintf("%s #%d, fragment %d", channel, a.Seq, int(a.FragIndex)+1)
	}
	return fmt.Sprintf("%s #%d", channel, a.Seq)
}

// summary returns the fields of a body as text that follows the type.
func summary(body Body) string {
	switch b := body.(type) {
	case *ConnectRequest:
		if b.Password.String() != "" {
			return fmt.Sprintf(", ConnID 0x%08x, with a password", b.ConnID)
		}
		return fmt.Sprintf(", ConnID 0x%08x", b.ConnID)
	case *ConnectReply:
		return fmt.Sprintf(", peer %v is accepted", b.PeerID)
	case *NameChange:
		return fmt.Sprintf(", peer %v is %.40q", b.PeerID, b.Name)
	case *Boot:
		return fmt.Sprintf(", peer %v, %v", b.PeerID, b.Reason)
	case *Disconnect:
		return fmt.Sprintf(", peer %v", b.PeerID)
	}
	return ""
}

// appendWalk appends the bytes of a walk to dst.
func appendWalk(dst []byte, body Body) ([]byte, error) {
	return new(stream.Codec).Append(dst, -1, "transport", body.walk)
}

// peerOf returns the peer ID in a byte, which is signed.
func peerOf(b byte) objectid.PeerID { return objectid.PeerID(int8(b)) }

func walkPeerID(c *stream.Codec, p *objectid.PeerID) {
	c.Field("PeerID").PeerID8(p)
}

func walkIP(c *stream.Codec, name string, ip *[4]byte) {
	c.Field(name).Bytes(ip[:])
	stream.ShowBytes(c, address(ip[:]))
}

// address is an IPv4 address in a dissection.
type address []byte

// String returns "10.0.0.1".
func (a address) String() string {
	ip, _ := netip.AddrFromSlice(a)
	return ip.String()
}

// walkRest walks the bytes up to the end of the body.
func walkRest(c *stream.Codec, name string, p *[]byte) {
	n := len(*p)
	if c.Decoding() {
		n = c.Remaining()
	}
	c.Field(name).Slice(p, n)
}

// UTF16Z is a text of a system message: little-endian UTF-16 with a terminating NUL. Some peers
// send no NUL, or an odd number of bytes. A nil UTF16Z is encoded as the NUL of an empty text, and
// any other value unchanged. Decode returns an empty UTF16Z, not nil, for a text of no bytes.
type UTF16Z []byte

// NewUTF16Z returns the text of a string, with the NUL. It returns an error wrapping [stream.ErrText]
// if the string contains a NUL or is not valid UTF-8.
func NewUTF16Z(s string) (UTF16Z, error) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return nil, fmt.Errorf("%w: NUL at offset %d", stream.ErrText, i)
	}
	t, err := stream.NewUTF16(s)
	if err != nil {
		return nil, err
	}
	return append(UTF16Z(t), 0, 0), nil
}

// String returns the text in UTF-8, up to its NUL or to the last complete unit.
func (t UTF16Z) String() string {
	for i := 0; i+1 < len(t); i += 2 {
		if t[i]|t[i+1] == 0 {
			t = t[:i]
		}
	}
	return stream.UTF16(t).String()
}

// walk walks the text up to the end of the body.
func (t *UTF16Z) walk(c *stream.Codec, name string) {
	raw := []byte(*t)
	if raw == nil && !c.Decoding() {
		raw = []byte{0, 0}
	}
	walkRest(c, name, &raw)
	if c.Decoding() {
		if *t = raw; raw == nil {
			*t = UTF16Z{}
		}
	}
	stream.ShowBytes(c, *t)
}

// ConnectRequest is the first message of a client. Its datagram has the peer ID [objectid.NoPeer].
//
//	offset  size  field
//	0       4     LocalIP, the client's own address; do not trust it
//	4       4     ConnID
//	8       n     Password
//
// A request with the same ConnID is a retransmission. Another ConnID requests a new session.
//
// Evidence: observed; the meaning of ConnID and Password is inferred.
type ConnectRequest struct {
	LocalIP  [4]byte
	ConnID   uint32
	Password UTF16Z // nil: an empty password; see [NewClient] for the limit
}

func (r *ConnectRequest) walk(c *stream.Codec) {
	walkIP(c, "LocalIP", &r.LocalIP)
	c.Field("ConnID").Uint32(&r.ConnID)
	r.Password.walk(c, "Password")
}

// ConnectReply tells a client that the host has accepted it, and assigns its peer ID.
//
//	offset  size  field
//	0       1     PeerID
//
// Evidence: observed.
type ConnectReply struct{ PeerID objectid.PeerID }

func (r *ConnectReply) walk(c *stream.Codec) { walkPeerID(c, &r.PeerID) }

// NameChange sets the name of a player. A client sends a NameChange when it joins, and another if
// the host gives it a new name in opcode.Settings. The host sends each to all players; see
// [Session.SendSystem].
//
//	offset  size  field
//	0       1     PeerID of the player
//	1       4     IP
//	5       n     Name
//
// Evidence: observed; the second NameChange documented (B): the engine's code for Settings,
// FUN_006b4a50.
type NameChange struct {
	PeerID objectid.PeerID
	IP     [4]byte
	Name   UTF16Z // nil: an empty name
}

func (n *NameChange) walk(c *stream.Codec) {
	walkPeerID(c, &n.PeerID)
	walkIP(c, "IP", &n.IP)
	n.Name.walk(c, "Name")
}

// Boot is the message with which a host refuses or kicks a client.
//
//	offset  size  field
//	0       1     Reason
//	1       1     PeerID, NoPeer if the client has none
//
// Evidence: observed.
type Boot struct {
	Reason BootReason
	PeerID objectid.PeerID
}

func (b *Boot) walk(c *stream.Codec) {
	c.Field("Reason").Uint8((*uint8)(&b.Reason))
	stream.Show(c, b.Reason)
	walkPeerID(c, &b.PeerID)
}

// BootReason is the reason of a Boot.
type BootReason uint8

// The reasons. Only BootRemoved has been observed; the name of BootBanned is inferred.
const (
	BootUnspecified    BootReason = 0
	BootTimeout        BootReason = 1
	BootPassword       BootReason = 2
	BootTooManyPlayers BootReason = 3
	BootRemoved        BootReason = 4 // by the host, also if the client's ship fails the integrity check
	BootBanned         BootReason = 5
)

// String returns the reason in words, or its number.
func (r BootReason) String() string {
	return name(r, "unspecified", "timed out", "wrong password", "too many players", "removed by host", "banned")
}

// Disconnect is the message with which a client leaves. The host forwards it to the other
// clients, and sends its own when it shuts down.
//
//	offset  size  field
//	0       1     PeerID of the client, or objectid.Host in a Disconnect of the host
//	1       4     IP
//
// Evidence: observed.
type Disconnect struct {
	PeerID objectid.PeerID
	IP     [4]byte
}

func (d *Disconnect) walk(c *stream.Codec) {
	walkPeerID(c, &d.PeerID)
	walkIP(c, "IP", &d.IP)
}

// DoNothing is the keepalive, sent after five seconds without sending anything else. The game sends
// it without a body. Raw holds the 03 00 of a longer form, which is also accepted.
//
// Evidence: documented (B): the engine's writer, FUN_006bdce0. No capture has one.
type DoNothing struct{ Raw []byte }

func (d *DoNothing) walk(c *stream.Codec) {
	walkRest(c, "Raw", &d.Raw)
}

// Ack acknowledges one message or one fragment. Acks are not cumulative, and are not acknowledged.
//
//	offset  size  field
//	0       1     Flags
//	1       1     FragIndex, if Flags has AckFragment
//
// Seq is in the header. Receivers must ignore unknown flags, such as 0x80 in the Acks of OpenBC's
// client. OpenBC's server sends the Acks of the stock game.
//
// Evidence: observed.
type Ack struct {
	Seq       uint16
	Flags     AckFlags
	FragIndex uint8
}

// AckFlags describe the acknowledged message.
type AckFlags uint8

const (
	AckFragment AckFlags = 1 << 0 // the Ack is for one fragment, FragIndex
	AckSystem   AckFlags = 1 << 1 // the Ack is for a message of the system channel
)

// String returns "game channel" or "system channel", with ", fragment" if the Ack is for a fragment.
func (f AckFlags) String() string {
	text := "game channel"
	if f&AckSystem != 0 {
		text = "system channel"
	}
	if f&AckFragment != 0 {
		text += ", fragment"
	}
	return text
}

// ackLen returns the length of an Ack message with the given flags.
func ackLen(flags byte) int {
	if AckFlags(flags)&AckFragment != 0 {
		return 5
	}
	return 4
}

// AckOf returns the Ack of a message, which must be reliable.
func AckOf(m *Message) *Ack {
	a := &Ack{Seq: m.Seq}
	if m.System() {
		a.Flags |= AckSystem
	}
	if m.Fragment {
		a.Flags |= AckFragment
		a.FragIndex = m.FragIndex
	}
	return a
}

func (a *Ack) walk(c *stream.Codec) {
	c.Field("Flags").Uint8((*uint8)(&a.Flags))
	stream.Show(c, a.Flags)
	if c.Decoding() {
		a.FragIndex = 0
	}
	if a.Flags&AckFragment != 0 {
		c.Field("FragIndex").Uint8(&a.FragIndex)
	}
}

// Ack returns the body of an Ack message. It returns false for other and malformed messages.
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
