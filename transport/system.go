package transport

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ConnectRequest is the first message of a client. Its datagram has the peer ID [objectid.NoPeer].
//
//	offset  size  field
//	0       4     LocalIP, the client's own address; do not trust it
//	4       4     ConnID
//	8       n     Password
//
// A request with the same ConnID is a retransmission. Another ConnID requests a new session. A Hub
// drops the request if the open session of the address has received something within 3 s. For a
// half-open session, it treats the request as a retransmission.
//
// Evidence: observed; the meaning of ConnID and Password is inferred.
type ConnectRequest struct {
	LocalIP  [4]byte
	ConnID   uint32
	Password UTF16Z // nil: an empty password; see [NewClient] for the limit
}

// Walk walks the body.
func (r *ConnectRequest) Walk(c *stream.Codec) {
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

// Walk walks the body.
func (r *ConnectReply) Walk(c *stream.Codec) { walkPeerID(c, &r.PeerID) }

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

// Walk walks the body.
func (n *NameChange) Walk(c *stream.Codec) {
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

// Walk walks the body.
func (b *Boot) Walk(c *stream.Codec) {
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

// Walk walks the body.
func (d *Disconnect) Walk(c *stream.Codec) {
	walkPeerID(c, &d.PeerID)
	walkIP(c, "IP", &d.IP)
}

// DoNothing is the keepalive, sent after five seconds without sending anything else. The game sends
// it without a body. Raw holds the 03 00 of a longer form, which is also accepted.
//
// Evidence: documented (B): the engine's writer, FUN_006bdce0. No capture has one.
type DoNothing struct{ Raw []byte }

// Walk walks the body.
func (d *DoNothing) Walk(c *stream.Codec) {
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

// Walk walks the body.
func (a *Ack) Walk(c *stream.Codec) {
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
