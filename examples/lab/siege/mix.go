package siege

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Mix is several attackers at once, which change all the time.
type Mix struct {
	Used []int // how often each kind was active

	rng    *rand.Rand
	kinds  []func(*Attack, *rand.Rand) Attacker
	active []Attacker
	until  time.Time // when others take their place
}

// NewMix returns a mix of all kinds of attackers.
func NewMix(rng *rand.Rand) *Mix {
	all := append(kinds(), forger)
	return &Mix{rng: rng, kinds: all, Used: make([]int, len(all))}
}

// NewAttack returns the attack of a mix of some kinds of attackers.
func NewAttack(w *World, rng *rand.Rand, forges bool) *Attack {
	m := NewMix(rng)
	if !forges {
		m.kinds = kinds()
	}
	rng.Shuffle(len(m.kinds), func(i, j int) { m.kinds[i], m.kinds[j] = m.kinds[j], m.kinds[i] })
	m.kinds = m.kinds[:1+rng.IntN(len(m.kinds))]
	return &Attack{World: w, Attacker: m}
}

// Act implements [Attacker].
func (m *Mix) Act(a *Attack) {
	if !a.Now.Before(m.until) {
		m.finish()
		for range 1 + m.rng.IntN(3) {
			i := m.rng.IntN(len(m.kinds))
			m.Used[i]++
			m.active = append(m.active, m.kinds[i](a, m.rng))
		}
		m.until = a.Now.Add(time.Duration(3+m.rng.IntN(40)) * time.Second)
	}
	a.Ends = m.until.Add(time.Hour) // a script may be cut off
	for _, x := range m.active {
		x.Act(a)
	}
}

// Hear implements [Attacker].
func (m *Mix) Hear(a *Attack, at netip.AddrPort, datagram []byte) {
	for _, x := range m.active {
		x.Hear(a, at, datagram)
	}
}

func (m *Mix) finish() {
	for _, x := range m.active {
		if f, ok := x.(finisher); ok {
			f.finish()
		}
	}
	m.active, m.until = nil, time.Time{}
}

// spoofer forges the address of a player in all ways that need no peer ID, and some with the right
// one and an old number.
type spoofer struct {
	deaf
	pace
	rng *rand.Rand
}

func (s *spoofer) Act(a *Attack) {
	for range s.next() {
		p := a.victim(s.rng)
		if p == nil {
			return
		}
		addr, id := a.AddrOf(p), objectid.PeerID(2+s.rng.IntN(124))
		for id == p.ID() || id == '\\' {
			id = objectid.PeerID(2 + s.rng.IntN(124))
		}
		switch s.rng.IntN(5) {
		case 0:
			a.sendPacket(addr, ConnectPacket(s.rng.Uint32()))
		case 1:
			a.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
		case 2:
			a.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(2, &transport.Disconnect{PeerID: id})}})
		case 3:
			a.sendPacket(addr, transport.Packet{PeerID: p.ID(), Messages: []transport.Message{transport.NewMessage(0, &transport.Disconnect{PeerID: p.ID()})}})
		case 4:
			a.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewData(6, []byte{byte(opcode.OpHostMessage)})}})
		}
	}
}

// mischief is a player in the game who attacks the others: with their object IDs, creations of
// ships, requests, chat and garbage. It comes again when it is kicked.
type mischief struct {
	deaf
	rng *rand.Rand
	eve *Guest
	n   int
}

func (m *mischief) Act(a *Attack) {
	if m.eve == nil || m.eve.Ended != nil {
		m.finish()
		if len(a.Server.Host.Members()) > len(a.victims) || a.Now.Sub(Epoch)%(5*time.Second) != 0 {
			return // there is no room
		}
		m.eve = a.Connect("Eve", "", nil)
	}
	m.eve.Heard, m.eve.Lines, m.eve.Updates = nil, nil, nil
	if m.n++; m.n%2 == 0 || m.eve.Slot == 0 && m.eve.PeerID() < 2 {
		return
	}
	victim := a.victim(m.rng)
	if victim == nil || victim.Ship() == nil {
		return
	}
	var payload []byte
	switch m.rng.IntN(6) {
	case 0:
		payload = Marshal(a.T, &opcode.RequestObject{ObjectID: victim.Ship().ID})
	case 1:
		payload = Marshal(a.T, &opcode.DestroyObject{ObjectID: victim.Ship().ID})
	case 2:
		payload = Marshal(a.T, Creation(a.T, m.eve, m.n%0x3FFFF))
	case 3:
		payload = Marshal(a.T, &opcode.ChatMessage{SenderID: m.eve.PeerID(), Text: []byte("\x1b[2J\xad")})
	case 4:
		payload = Marshal(a.T, &opcode.HostMessage{})
	case 5:
		payload = make([]byte, 1+m.rng.IntN(300))
		for i := range payload {
			payload[i] = byte(m.rng.Uint32())
		}
	}
	_ = m.eve.Send(payload, transport.Delivery(m.rng.IntN(2)))
}

func (m *mischief) finish() {
	if m.eve != nil {
		m.eve.w.Drop(m.eve)
		m.eve = nil
	}
}

// forger is the kind of attackers that forge the addresses of players.
func forger(_ *Attack, rng *rand.Rand) Attacker {
	return &spoofer{pace: pace{perSecond: float64(1 + rng.IntN(40))}, rng: rng}
}

// kinds are the other kinds of attackers of a mix.
func kinds() []func(*Attack, *rand.Rand) Attacker {
	rate := func(rng *rand.Rand, most int) float64 { return float64(1 + rng.IntN(most)) }
	ips := func(rng *rand.Rand) int { return []int{1, 4, 40, 4000}[rng.IntN(4)] }
	return []func(*Attack, *rand.Rand) Attacker{
		func(_ *Attack, rng *rand.Rand) Attacker {
			return Churn(rate(rng, 400), ips(rng), strings.Repeat("x", rng.IntN(33)))
		},
		func(_ *Attack, rng *rand.Rand) Attacker { return ConnectFlood(rate(rng, 400), rng) },
		func(_ *Attack, rng *rand.Rand) Attacker {
			return OpenFlood(rate(rng, 100), ips(rng), rng.IntN(2) == 0)
		},
		func(_ *Attack, rng *rand.Rand) Attacker {
			return &BlindJoin{Every: 4 * time.Second, Brief: rng.IntN(2) == 0}
		},
		func(_ *Attack, rng *rand.Rand) Attacker { return Noise(rate(rng, 500), rng, Garbage, Mutated, Forged) },
		func(_ *Attack, rng *rand.Rand) Attacker { return Noise(rate(rng, 500), rng, Query, StatusQuery) },
		func(a *Attack, rng *rand.Rand) Attacker {
			return &squatting{Squatters: Squatters{World: a.World, Networks: 1 + rng.IntN(3), Each: 1 + rng.IntN(4), Port: 30000 + rng.IntN(30000)}}
		},
		func(_ *Attack, rng *rand.Rand) Attacker { return &mischief{rng: rng} },
	}
}
