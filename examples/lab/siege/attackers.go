package siege

import (
	"math/rand/v2"
	"net/netip"
	"time"

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

// Hear implements [Attacker].
func (deaf) Hear(*Attack, netip.AddrPort, []byte) {}

// opener connects from many addresses, and answers each reply once.
type opener struct {
	pace
	ips, n int
	joined map[netip.AddrPort]bool // addresses that have answered
	answer func(a *Attack, reply *transport.ConnectReply, datagram []byte) transport.Packet
}

// Churn joins and leaves: it connects, reads its peer ID, and sends a name, if there is one, and a Disconnect
// in one datagram.
func Churn(perSecond float64, ips int, name string) Attacker {
	return newOpener(perSecond, ips, func(a *Attack, reply *transport.ConnectReply, _ []byte) transport.Packet {
		return ChurnPacket(a.T, reply, name)
	})
}

// OpenFlood opens sessions and leaves them open, or half-open unless it validates its addresses.
func OpenFlood(perSecond float64, ips int, validates bool) Attacker {
	return newOpener(perSecond, ips, func(_ *Attack, reply *transport.ConnectReply, datagram []byte) transport.Packet {
		p := transport.Packet{PeerID: reply.PeerID, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}}
		for m := range transport.Messages(datagram) {
			if validates && m.Probe() {
				p.Messages = append(p.Messages, transport.NewMessage(0, transport.AckOf(m)))
			}
		}
		return p
	})
}

func newOpener(perSecond float64, ips int, answer func(*Attack, *transport.ConnectReply, []byte) transport.Packet) *opener {
	return &opener{pace: pace{perSecond: perSecond}, ips: ips, joined: map[netip.AddrPort]bool{}, answer: answer}
}

// Act implements [Attacker].
func (o *opener) Act(a *Attack) {
	for range o.next() {
		from := forgedAddr(o.n%o.ips, 1024+o.n/o.ips%60000)
		o.n++
		a.sendPacket(from, ConnectPacket(uint32(o.n)))
	}
}

// Hear implements [Attacker].
func (o *opener) Hear(a *Attack, at netip.AddrPort, datagram []byte) {
	if reply, ok := ReplyIn(datagram); ok && !o.joined[at] {
		o.joined[at] = true
		a.sendPacket(at, o.answer(a, reply, datagram))
	}
}

// ChurnPacket is the second and last datagram of Churn.
func ChurnPacket(t T, reply *transport.ConnectReply, name string) transport.Packet {
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

// ConnectFlood sends Connects from forged addresses.
func ConnectFlood(perSecond float64, rng *rand.Rand) Attacker {
	return &connectFlood{pace: pace{perSecond: perSecond}, rng: rng}
}

// Act implements [Attacker].
func (f *connectFlood) Act(a *Attack) {
	for range f.next() {
		a.sendPacket(forgedAddr(f.rng.IntN(1<<17), 1+f.rng.IntN(65535)), ConnectPacket(f.rng.Uint32()))
	}
}

// Squatters take slots and never load the game.
type Squatters struct {
	*World
	Networks, Each int // networks, and squatters in each
	Port           int // before the first one
	all            []*Loader
}

// Come lets squatters come again whose sessions have ended.
func (s *Squatters) Come() {
	have := make([]int, s.Networks)
	left := s.all[:0]
	for _, l := range s.all {
		if l.Ended != nil {
			s.Drop(l)
			continue
		}
		have[int(s.AddrOf(l).Addr().As4()[3])-2]++
		left = append(left, l)
	}
	s.all = left
	for i, n := range have {
		for ; n < s.Each; n++ {
			var addr netip.AddrPort
			for addr == (netip.AddrPort{}) || s.Clients[addr] != nil {
				s.Port++
				addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 16, 0, byte(2 + i)}), uint16(s.Port))
			}
			s.all = append(s.all, s.ConnectFrom("", addr, time.Hour))
		}
	}
}

// squatting is squatters as an attacker.
type squatting struct {
	deaf
	Squatters
}

// Act implements [Attacker].
func (s *squatting) Act(*Attack) { s.Come() }

func (s *squatting) finish() {
	for _, l := range s.all {
		s.Drop(l)
	}
}
