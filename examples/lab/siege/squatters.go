package siege

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Squatters lets squatters take slots without ever loading the game, and come again at once
// when they lose them. Honest clients arrive one after another, and leave after entering.
func Squatters(t *testing.T, start Start) {
	for _, c := range []struct {
		honest, networks, each int
		load                   time.Duration
		least                  int // of 5 who enter
	}{
		{4, 1, 4, 15 * time.Second, 5},
		{4, 1, 4, 5 * time.Second, 5},
		{7, 1, 1, 5 * time.Second, 5},
		{0, 3, 4, 15 * time.Second, 4},
		{7, 2, 1, 5 * time.Second, 5},
		{5, 1, 4, 5 * time.Second, 5},
	} {
		t.Run(fmt.Sprintf("%d in game, %d x %d, load %v", c.honest, c.networks, c.each, c.load), func(t *testing.T) {
			w := NewWorld(t, start, join.HostOptions{})
			w.Weather.Delay = 50 * time.Millisecond
			for i := range c.honest {
				w.Join(fmt.Sprint("Player ", i))
			}
			s := squatters{World: w, networks: c.networks, each: c.each, port: 30000}
			entered, slowest := 0, time.Duration(0)
			for try := range 5 {
				began := w.Now
				ok, vic := false, (*loader)(nil)
				for !ok && w.Now.Sub(began) < time.Minute {
					if vic == nil || vic.Ended != nil { // from a new port
						if vic != nil {
							w.Drop(vic)
						}
						vic = w.ConnectFrom(fmt.Sprint("Victim ", try), netip.AddrPort{}, c.load)
					}
					s.come()
					w.Run(2 * Step)
					ok = w.InGame(w.AddrOf(vic))
				}
				if ok {
					entered++
					slowest = max(slowest, w.Now.Sub(began))
				}
				vic.Close()
				w.Run(500 * time.Millisecond)
				w.Drop(vic)
			}
			t.Logf("%d of 5 entered, the slowest after %v", entered, slowest)
			require.GreaterOrEqual(t, entered, c.least)
		})
	}
}

// squatters take slots and never load the game.
type squatters struct {
	*World
	networks, each, port int
	all                  []*loader
}

// come lets squatters come again whose sessions have ended.
func (s *squatters) come() {
	have := make([]int, s.networks)
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
		for ; n < s.each; n++ {
			var addr netip.AddrPort
			for addr == (netip.AddrPort{}) || s.Clients[addr] != nil {
				s.port++
				addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, byte(2 + i)}), uint16(s.port))
			}
			s.all = append(s.all, s.ConnectFrom("", addr, time.Hour))
		}
	}
}

// openFlood opens sessions and leaves them open.
type openFlood struct {
	pace
	ips, n int
	joined map[netip.AddrPort]bool
	proves bool // acknowledges the first request
}

func (c *openFlood) attack(s *siege) {
	for range c.next() {
		from := forgedAddr(c.n%c.ips, 1024+c.n/c.ips%60000)
		c.n++
		s.sendPacket(from, ConnectPacket(uint32(c.n)))
	}
}

func (c *openFlood) hear(s *siege, at netip.AddrPort, datagram []byte) {
	if reply, ok := ReplyIn(datagram); ok && !c.joined[at] {
		c.joined[at] = true
		m := transport.NewMessage(0, &transport.DoNothing{})
		if c.proves {
			m = transport.NewMessage(0, &transport.Ack{})
		}
		s.sendPacket(at, transport.Packet{PeerID: reply.PeerID, Messages: []transport.Message{m}})
	}
}

// blindSquat forges a new address for each session, predicts the peer ID, and acknowledges the
// first request unseen.
type blindSquat struct {
	deaf
	pace
	n     int
	id    objectid.PeerID
	later []packet
}

func (c *blindSquat) attack(s *siege) {
	for range c.next() {
		from := forgedAddr(c.n, 5000)
		c.n++
		s.sendPacket(from, ConnectPacket(uint32(c.n)))
		ack, err := (&transport.Packet{PeerID: c.id, Messages: []transport.Message{transport.NewMessage(0, &transport.Ack{})}}).MarshalBinary()
		require.NoError(s.T, err)
		c.later = append(c.later, packet{at: s.Now.Add(50 * time.Millisecond), from: from, data: ack})
		if c.id++; c.id > 17 {
			c.id = 6
		}
	}
	for len(c.later) > 0 && !s.Now.Before(c.later[0].at) {
		cipher.Encrypt(c.later[0].data)
		s.send(c.later[0].from, c.later[0].data)
		c.later = c.later[1:]
	}
}

// CheapSessions fills the hub with sessions that cost a datagram or two each. Honest bots join
// during the attack, and those in the game stay.
func CheapSessions(t *testing.T, start Start) {
	flood := func(rate float64, ips int, proves bool) func() attacker {
		return func() attacker {
			return &openFlood{pace: pace{perSecond: rate}, ips: ips, joined: map[netip.AddrPort]bool{}, proves: proves}
		}
	}
	blind := func(rate float64) func() attacker {
		return func() attacker { return &blindSquat{pace: pace{perSecond: rate}, id: 6} }
	}
	for _, c := range []struct {
		name     string
		attacker func() attacker
		latency  time.Duration
		joins    int
		least    int
		before   time.Duration // of the attack, before the first join
		between  time.Duration
	}{
		{"40 addresses, 40 opens/s, one Ack each", flood(40, 40, true), 100 * time.Millisecond, 6, 6, 3 * time.Second, 0},
		{"10 opens/s, one Ack each", flood(10, 200, true), 100 * time.Millisecond, 6, 6, 15 * time.Second, 0},
		{"forged sources that guess IDs, 40 joins/s", blind(40), 100 * time.Millisecond, 12, 10, 45 * time.Second, 5 * time.Second},
		{"forged sources that guess IDs, 80 joins/s", blind(80), 100 * time.Millisecond, 12, 10, 45 * time.Second, 5 * time.Second},
		{"unproven opens, 200/s from 200 addresses", flood(200, 200, false), 400 * time.Millisecond, 6, 5, 3 * time.Second, 0},
		{"unproven opens, 1000/s from 4000 addresses", flood(1000, 4000, false), 400 * time.Millisecond, 6, 5, 3 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSiege(t, start, &scenario{attacker: c.attacker}, c.latency)
			began := s.Now
			s.run(c.before)
			for range c.joins {
				s.visit()
				s.run(c.between)
			}
			seconds := s.Now.Sub(began).Seconds()
			t.Logf("%.0f B/s in, %.0f B/s out, %d of %d joined, the slowest after %v", float64(s.received)/seconds, float64(s.toAttacker)/seconds,
				s.joined, c.joins, s.slowest)
			require.Equal(t, 4, s.kept())
			require.GreaterOrEqual(t, s.joined, c.least)
			for _, p := range s.players {
				require.Equal(t, bot.InGame, p.State())
			}
		})
	}
}
