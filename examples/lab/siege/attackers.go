package siege

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// pace tells how many datagrams are due, at so many a second.
type pace struct {
	perSecond float64
	due       float64
}

func (p *pace) next() (n int) {
	p.due += float64(p.perSecond * Step.Seconds()) // rounded on every machine
	n = int(p.due)
	p.due -= float64(n)
	return n
}

// forgedAddr returns the i-th of the addresses that nobody has.
func forgedAddr(i, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, byte(18 + i>>16&1), byte(i >> 8), byte(i)}), uint16(port))
}

// deaf is an attacker that takes nothing from what it hears.
type deaf struct{}

func (deaf) hear(*siege, netip.AddrPort, []byte) {}

// churn joins and leaves: it connects, reads its peer ID, and sends a name and a Disconnect
// in one datagram.
type churn struct {
	pace
	ips    int
	name   string // "" for none
	n      int
	joined map[netip.AddrPort]bool // addresses that have sent the second datagram
}

func (c *churn) attack(s *siege) {
	for range c.next() {
		from := forgedAddr(c.n%c.ips, 1024+c.n/c.ips%60000)
		c.n++
		s.sendPacket(from, ConnectPacket(uint32(c.n)))
	}
}

func (c *churn) hear(s *siege, at netip.AddrPort, datagram []byte) {
	if reply, ok := ReplyIn(datagram); ok && !c.joined[at] {
		c.joined[at] = true
		s.sendPacket(at, ChurnPacket(s.T, reply, c.name))
	}
}

// ChurnPacket is the second and last datagram of churn.
func ChurnPacket(t testing.TB, reply *transport.ConnectReply, name string) transport.Packet {
	p := transport.Packet{PeerID: reply.PeerID}
	seq := uint16(1)
	if name != "" {
		p.Messages = append(p.Messages, transport.NewMessage(seq, &transport.NameChange{PeerID: reply.PeerID, Name: SystemText(t, name)}))
		seq++
	}
	p.Messages = append(p.Messages, transport.NewMessage(seq, &transport.Disconnect{PeerID: reply.PeerID}))
	return p
}

// ConnectPacket returns a Connect as a datagram.
func ConnectPacket(connID uint32) transport.Packet {
	return transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: connID}),
	}}
}

// ReplyIn returns the reply to a Connect.
func ReplyIn(datagram []byte) (reply *transport.ConnectReply, ok bool) {
	var p transport.Packet
	_ = p.UnmarshalBinary(datagram) // a message that is malformed is left out
	for _, m := range p.Messages {
		if m.Type == transport.TypeConnect {
			body, _ := m.Decode()
			reply, ok = body.(*transport.ConnectReply)
			return reply, ok
		}
	}
	return reply, false
}

// connectFlood sends Connects from forged addresses.
type connectFlood struct {
	deaf
	pace
	rng *rand.Rand
}

func (f *connectFlood) attack(s *siege) {
	for range f.next() {
		s.sendPacket(forgedAddr(f.rng.IntN(1<<17), 1+f.rng.IntN(65535)), ConnectPacket(f.rng.Uint32()))
	}
}

const (
	noAcks    acks = iota
	firstAck       // of the first ChecksumRequest alone
	exactAcks      // of all messages of the host up to the join, each after it was sent
	wrongAcks      // of messages that were never sent
)
