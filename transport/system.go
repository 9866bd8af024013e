package transport

import "strconv"

// ConnectRequest is the first message of a client, in a datagram with the peer ID
// [NoPeer]. Its type is TypeConnect, like that of the reply.
//
//	offset  size  field
//	0       4     LocalIP, as the client sees itself; not to be trusted
//	4       4     ConnID
//	8       n     Password
//
// The same ConnID again is a retransmission, another one from the same address a new
// session. The zero value is encoded with an empty password, as the stock game sends it: in
// a message of 15 bytes.
//
// Evidence: observed; the meaning of ConnID and Password is inferred.
type ConnectRequest struct {
	LocalIP  [4]byte
	ConnID   uint32
	Password Text // nil: none; see [NewClient] for the limit
}

// Type returns TypeConnect.
func (ConnectRequest) Type() Type { return TypeConnect }

// AppendBinary appends the body to dst. It does not fail.
func (c ConnectRequest) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, c.LocalIP[:]...)
	dst = le.AppendUint32(dst, c.ConnID)
	return c.Password.append(dst), nil
}

func (c ConnectRequest) fields(d *dissection) {
	d.take("LocalIP", 4, c.LocalIP)
	d.take("ConnID", 4, c.ConnID)
	d.rest("Password", c.Password)
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

func (c ConnectReply) fields(d *dissection) { d.take("PeerID", 1, c.PeerID) }

// NameChange tells the name of a player. A client sends it when it joins, and again if the
// host has renamed it in Settings. The host sends it to all players, the sender included.
//
//	offset  size  field
//	0       1     PeerID of the player
//	1       4     IP
//	5       n     Name
//
// The zero value is encoded with an empty name, its NUL alone.
//
// Evidence: observed; the second one documented (B): the engine's code for Settings,
// FUN_006b4a50.
type NameChange struct {
	PeerID int8
	IP     [4]byte
	Name   Text // nil: an empty name
}

// Type returns TypeNameChange.
func (NameChange) Type() Type { return TypeNameChange }

// AppendBinary appends the body to dst. It does not fail.
func (n NameChange) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, byte(n.PeerID))
	dst = append(dst, n.IP[:]...)
	return n.Name.append(dst), nil
}

func (n NameChange) fields(d *dissection) {
	d.take("PeerID", 1, n.PeerID)
	d.take("IP", 4, n.IP)
	d.rest("Name", n.Name)
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

func (d Disconnect) fields(to *dissection) {
	to.take("PeerID", 1, d.PeerID)
	to.take("IP", 4, d.IP)
}

// DoNothing is the keepalive, which the game sends after five seconds without sending
// anything else. It is one byte, the type. Raw is empty, or the bytes 03 00 of a longer
// form, which is read and re-encoded but never sent.
//
// Evidence: documented (B): the engine's writer of it, FUN_006bdce0. No capture has one.
type DoNothing struct{ Raw []byte }

// Type returns TypeDoNothing.
func (DoNothing) Type() Type { return TypeDoNothing }

// AppendBinary appends Raw to dst. It does not fail.
func (d DoNothing) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, d.Raw...), nil
}

func (d DoNothing) fields(to *dissection) { to.rest("Raw", d.Raw) }

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

func (b Boot) fields(d *dissection) {
	d.take("Reason", 1, b.Reason)
	d.take("PeerID", 1, b.PeerID)
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
