package siege

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// mix is several attackers at once, which change all the time.
type mix struct {
	rng    *rand.Rand
	kinds  []func(*siege, *rand.Rand) attacker
	active []attacker
	used   map[int]int // how often each kind was active
	until  time.Time   // when others take their place
}

// finisher is an attacker with clients that must be removed.
type finisher interface{ finish() }

func (m *mix) attack(s *siege) {
	if !s.Now.Before(m.until) {
		m.stop()
		for range 1 + m.rng.IntN(3) {
			i := m.rng.IntN(len(m.kinds))
			m.used[i]++
			m.active = append(m.active, m.kinds[i](s, m.rng))
		}
		m.until = s.Now.Add(time.Duration(3+m.rng.IntN(40)) * time.Second)
	}
	s.ends = m.until.Add(time.Hour) // a script may be cut off
	for _, a := range m.active {
		a.attack(s)
	}
}

func (m *mix) hear(s *siege, at netip.AddrPort, datagram []byte) {
	for _, a := range m.active {
		a.hear(s, at, datagram)
	}
}

func (m *mix) stop() {
	for _, a := range m.active {
		if f, ok := a.(finisher); ok {
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

func (a *spoofer) attack(s *siege) {
	for range a.next() {
		p := s.victim(a.rng)
		if p == nil {
			return
		}
		addr, id := s.AddrOf(p), objectid.PeerID(2+a.rng.IntN(124))
		if id == p.ID() || id == '\\' || id > 126 {
			id = 126
		}
		switch a.rng.IntN(5) {
		case 0:
			s.sendPacket(addr, ConnectPacket(a.rng.Uint32()))
		case 1:
			s.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
		case 2:
			s.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(2, &transport.Disconnect{PeerID: id})}})
		case 3:
			s.sendPacket(addr, transport.Packet{PeerID: p.ID(), Messages: []transport.Message{transport.NewMessage(0, &transport.Disconnect{PeerID: p.ID()})}})
		case 4:
			s.sendPacket(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewData(6, []byte{byte(opcode.OpHostMessage)})}})
		}
	}
}

// squatting is squatters as an attacker.
type squatting struct {
	deaf
	squatters
}

func (a *squatting) attack(*siege) { a.come() }

func (a *squatting) finish() {
	for _, l := range a.all {
		a.Drop(l)
	}
}

// mischief is a player in the game who attacks the others: with their object IDs, creations of
// ships, requests, chat and garbage. It comes again when it is kicked.
type mischief struct {
	deaf
	rng *rand.Rand
	eve *puppet
	n   int
}

func (a *mischief) attack(s *siege) {
	if a.eve == nil || a.eve.Ended != nil {
		a.finish()
		if len(s.Server.Host.Members()) > s.honest() || s.Now.Sub(Epoch)%(5*time.Second) != 0 {
			return // there is no room
		}
		a.eve = s.puppet("Eve")
	}
	a.eve.Heard, a.eve.Lines = nil, nil
	if a.n++; a.n%2 == 0 || a.eve.Slot == 0 && a.eve.PeerID() < 2 {
		return
	}
	victim := s.victim(a.rng)
	if victim == nil || victim.Ship() == nil {
		return
	}
	var payload []byte
	switch a.rng.IntN(6) {
	case 0:
		payload = Marshal(s.T, &opcode.RequestObject{ObjectID: victim.Ship().ID})
	case 1:
		payload = Marshal(s.T, &opcode.DestroyObject{ObjectID: victim.Ship().ID})
	case 2:
		payload = Marshal(s.T, Creation(s.T, a.eve.Guest, a.n%0x3FFFF))
	case 3:
		payload = Marshal(s.T, &opcode.ChatMessage{SenderID: a.eve.PeerID(), Text: []byte("\x1b[2J\xad")})
	case 4:
		payload = Marshal(s.T, &opcode.HostMessage{})
	case 5:
		payload = make([]byte, 1+a.rng.IntN(300))
		for i := range payload {
			payload[i] = byte(a.rng.Uint32())
		}
	}
	_ = a.eve.Send(payload, transport.Delivery(a.rng.IntN(2)))
}

func (a *mischief) finish() {
	if a.eve != nil {
		a.eve.s.Drop(a.eve)
		a.eve = nil
	}
}

// attacks are the kinds of a mix.
func attacks() []func(*siege, *rand.Rand) attacker {
	rate := func(rng *rand.Rand, most int) pace { return pace{perSecond: float64(1 + rng.IntN(most))} }
	ips := func(rng *rand.Rand) int { return []int{1, 4, 40, 4000}[rng.IntN(4)] }
	return []func(*siege, *rand.Rand) attacker{
		func(_ *siege, rng *rand.Rand) attacker {
			return &churn{pace: rate(rng, 400), ips: ips(rng), name: strings.Repeat("x", rng.IntN(33)), joined: map[netip.AddrPort]bool{}}
		},
		func(_ *siege, rng *rand.Rand) attacker { return &connectFlood{pace: rate(rng, 400), rng: rng} },
		func(_ *siege, rng *rand.Rand) attacker {
			return &openFlood{pace: rate(rng, 100), ips: ips(rng), joined: map[netip.AddrPort]bool{}, proves: rng.IntN(2) == 0}
		},
		func(_ *siege, rng *rand.Rand) attacker { return &blindSquat{pace: rate(rng, 80), id: 6} },
		func(_ *siege, rng *rand.Rand) attacker {
			return &blindJoin{every: 4 * time.Second, guesses: 16, acks: acks(rng.IntN(4)), brief: rng.IntN(2) == 0}
		},
		func(_ *siege, rng *rand.Rand) attacker {
			return &noise{pace: rate(rng, 500), rng: rng, kinds: []func(*rand.Rand) []byte{Garbage, Mutated, Forged}}
		},
		func(_ *siege, rng *rand.Rand) attacker {
			return &noise{pace: rate(rng, 500), rng: rng, kinds: []func(*rand.Rand) []byte{query, statusQuery}}
		},
		func(_ *siege, rng *rand.Rand) attacker { return &spoofer{pace: rate(rng, 40), rng: rng} },
		func(s *siege, rng *rand.Rand) attacker {
			return &squatting{squatters: squatters{World: s.World, networks: 1 + rng.IntN(3), each: 1 + rng.IntN(4), port: 30000 + rng.IntN(30000)}}
		},
		func(_ *siege, rng *rand.Rand) attacker { return &mischief{rng: rng} },
	}
}

// Hours plays three hours (five minutes in the short form), and a third of it with random
// peer IDs, on a full server with eight honest bots, under a random mix of all attacks. Now and then a bot leaves, and another one comes
// and takes its place. No other bot ends, each one that comes enters within a minute, and neither
// the memory nor the log grows.
func Hours(t *testing.T, start Start) {
	const players = 8
	for _, random := range []bool{false, true} {
		m := &mix{rng: rand.New(rand.NewPCG(5, 25)), kinds: attacks(), used: map[int]int{}}
		s := newSiege(t, start, &scenario{attacker: func() attacker { return m }, random: random}, 100*time.Millisecond)
		for len(s.players) < players {
			s.players = append(s.players, s.come())
		}
		s.players.InGame(s.World, 10*time.Second)
		lasts, memory, logged := testdata.Either(3*time.Hour, 5*time.Minute), []int64{}, s.log
		switch {
		case testdata.UnderRace:
			lasts = time.Minute
		case random:
			lasts /= 3
		}
		comers, slowest := 0, time.Duration(0)
		for began, calm := s.Now, lasts/3; s.Now.Sub(began) < lasts; {
			s.run(time.Duration(5+m.rng.IntN(25)) * time.Second)
			for range 6 { // a ship that was destroyed in a fight or a collision has a successor soon
				if s.kept() == players {
					break
				}
				s.run(time.Second / 2)
			}
			require.Equal(t, players, s.kept())

			leaver := s.players[0]
			leaver.Leave()
			s.run(time.Second)
			s.Drop(leaver)
			s.players = s.players[1:]
			comer, came := s.come(), s.Now
			for comer.State() != bot.InGame {
				require.Less(t, s.Now.Sub(came), time.Minute, "comer %d", comers)
				if comer.Err() != nil { // refused
					s.run(time.Second)
					s.Drop(comer)
					comer = s.come()
				}
				s.run(Step)
			}
			comers, slowest = comers+1, max(slowest, s.Now.Sub(came))
			s.players = append(s.players, comer)
			s.run(3 * time.Second)

			if s.Now.Sub(began) >= calm {
				calm += lasts / 3
				m.stop()
				s.World.Run(2 * time.Minute) // the sessions of the attackers end
				began = began.Add(2 * time.Minute)
				s.replies, s.queue = nil, slices.Clone(s.queue)
				memory = append(memory, LiveHeap()>>10)
			}
		}
		for i := range attacks() {
			require.True(t, m.used[i] > 0 || !testdata.Long(), "kind %d", i)
		}
		bytes := float64(s.log-logged) / lasts.Seconds()
		t.Logf("%v, kinds %v: %d came, the slowest in %v; %.0f B/s of log; heap %d KiB", lasts, m.used, comers, slowest, bytes, memory)
		for _, p := range s.players {
			require.NoError(t, p.Err())
		}
		require.LessOrEqual(t, bytes, 300.0)
		require.LessOrEqual(t, slices.Max(memory), memory[0]+1024)
	}
}
