package main

import (
	"fmt"
	"io"
	"log"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/simulated"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// siege is a match with bots in virtual time, and somebody who forges addresses.
type siege struct {
	t     *testing.T
	now   time.Time
	match *match
	bots  []*robot
	hear  func(to netip.AddrPort, datagram []byte) // datagrams to other addresses; may be nil
}

// robot is a bot with its address.
type robot struct {
	*bot.Player
	client *simulated.Client
	addr   netip.AddrPort
}

const step = 10 * time.Millisecond

func newSiege(t *testing.T) *siege {
	out := log.Writer()
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(out) })
	now := time.Now()
	return &siege{t: t, now: now, match: newMatch(now)}
}

// come adds a bot that connects from an address.
func (s *siege) come(addr netip.AddrPort) *robot {
	session, err := transport.NewClient(s.now, transport.ConnectRequest{ConnID: uint32(s.now.UnixNano())}, transport.Options{})
	require.NoError(s.t, err)
	p := bot.New(s.now, bot.Options{Name: fmt.Sprint("Bot ", addr), Ship: stateupdate.Stock().Named("akira"), Choose: 100 * time.Millisecond})
	r := &robot{p, simulated.New(p, session), addr}
	s.bots = append(s.bots, r)
	return r
}

// join adds a bot and waits until it has a ship.
func (s *siege) join(addr netip.AddrPort) *robot {
	r := s.come(addr)
	s.until(5*time.Second, func() bool { return r.State() == bot.InGame })
	return r
}

// receive gives the server a datagram, and handles its events.
func (s *siege) receive(from netip.AddrPort, datagram []byte) {
	s.match.Hub().Receive(s.now, from, datagram)
	for e := range s.match.Hub().Events() {
		if e.Kind != transport.EventQuery {
			s.match.Handle(s.now, e)
		}
	}
}

// forge gives the server messages from an address.
func (s *siege) forge(from netip.AddrPort, id objectid.PeerID, m transport.Message) {
	b, err := (&transport.Packet{PeerID: id, Messages: []transport.Message{m}}).MarshalBinary()
	require.NoError(s.t, err)
	s.receive(from, b)
}

// connect forges a Connect.
func (s *siege) connect(from netip.AddrPort, connID int) {
	s.forge(from, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(connID)}))
}

func (s *siege) run(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(step) {
		for _, r := range s.bots {
			for {
				b := r.client.AppendDatagram(nil, s.now)
				if len(b) == 0 {
					break
				}
				s.receive(r.addr, b)
			}
		}
		s.receive(netip.AddrPort{}, []byte{0}) // handles the events of timers
		s.match.tick(s.now)
		for to, b := range s.match.Hub().Datagrams(s.now) {
			i := slices.IndexFunc(s.bots, func(r *robot) bool { return r.addr == to })
			switch {
			case i >= 0:
				s.bots[i].client.Receive(s.now, slices.Clone(b))
			case s.hear != nil:
				s.hear(to, slices.Clone(b))
			}
		}
	}
}

func (s *siege) until(d time.Duration, condition func() bool) {
	s.t.Helper()
	for end := s.now.Add(d); !condition(); s.run(step) {
		require.True(s.t, s.now.Before(end), "has not happened in %v", d)
	}
}

// drop makes a bot fall silent.
func (s *siege) drop(r *robot) {
	s.bots = slices.DeleteFunc(s.bots, func(other *robot) bool { return other == r })
}

// requirePlaying checks that all bots are in the game.
func (s *siege) requirePlaying() {
	s.t.Helper()
	for _, r := range s.bots {
		require.NoError(s.t, r.Err())
		require.Equal(s.t, bot.InGame, r.State())
	}
	require.Len(s.t, s.match.Members(), len(s.bots))
}

func address(i, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), uint16(port))
}

// Forged Connects end no session, and a client can restart on its port.
func TestForgedConnects(t *testing.T) {
	s := newSiege(t)
	for i := range 3 {
		s.join(address(i, 1))
	}
	for second := range 120 {
		for _, r := range s.bots {
			s.connect(r.addr, 1000+second)
			s.forge(r.addr, 77, transport.NewMessage(0, &transport.DoNothing{}))
			s.forge(r.addr, 78, transport.NewMessage(2, &transport.Disconnect{PeerID: 78}))
		}
		s.run(time.Second)
		s.requirePlaying()
	}
	s.drop(s.bots[0])
	s.run(time.Second)
	s.join(address(0, 1))
	s.run(time.Second)
	s.requirePlaying()
}

// Sessions that cost two datagrams each keep nobody out.
func TestCheapSessions(t *testing.T) {
	for _, proves := range []bool{false, true} {
		s := newSiege(t)
		for i := range 4 {
			s.join(address(i, 1))
		}
		ack := transport.NewMessage(0, &transport.DoNothing{})
		if proves {
			ack = transport.NewMessage(0, &transport.Ack{})
		}
		joined, replies := map[netip.AddrPort]bool{}, []func(){}
		s.hear = func(to netip.AddrPort, datagram []byte) {
			for m := range transport.Messages(datagram) {
				if m.Type == transport.TypeConnect && !joined[to] {
					id := objectid.PeerID(int8(m.Body[len(m.Body)-1]))
					joined[to], replies = true, append(replies, func() { s.forge(to, id, ack) })
				}
			}
		}
		n := 0
		flood := func(d time.Duration) {
			for end := s.now.Add(d); s.now.Before(end); s.run(2 * step) { // 50 a second
				s.connect(address(1000+n%40, 1000+n/40), n)
				n++
				for _, reply := range replies {
					reply()
				}
				replies = nil
			}
		}
		flood(5 * time.Second)
		for i := range 6 {
			r := s.come(address(100+i, 1))
			for end := s.now.Add(5 * time.Second); r.State() != bot.InGame && s.now.Before(end); {
				flood(2 * step)
			}
			require.Equal(t, bot.InGame, r.State(), "joiner %d", i)
			r.Leave()
			flood(time.Second)
			s.drop(r)
		}
		s.requirePlaying()
	}
}

// A full server stays full of its players: a forged session beside the one of a player is no room
// for another client.
func TestFullServer(t *testing.T) {
	s := newSiege(t)
	for i := range objectid.Slots {
		s.join(address(i, 1))
	}
	silent := s.bots[0]
	s.drop(silent)
	s.run(4 * time.Second)
	s.connect(silent.addr, 1)
	for id := objectid.PeerID(2); id < 127; id++ { // all but the one of the player
		if id != silent.ID() && id != '\\' {
			s.forge(silent.addr, id, transport.NewMessage(0, &transport.DoNothing{}))
		}
	}
	require.Equal(t, objectid.Slots+1, s.match.Hub().Len())
	late := s.come(address(100, 1))
	s.until(time.Second, func() bool { return late.Err() != nil })
	s.drop(late)
	require.Len(t, s.match.Members(), objectid.Slots)
	for _, r := range s.bots {
		require.Equal(t, bot.InGame, r.State())
	}
}

// A forged address gets little, whoever guesses the peer ID, as long as the Acks are not guessed.
func TestForgedAddress(t *testing.T) {
	s := newSiege(t)
	s.join(address(0, 1))
	out, in := 0, 17
	s.hear = func(_ netip.AddrPort, b []byte) { out += len(b) }
	s.connect(address(1, 1), 5)
	s.run(100 * time.Millisecond)
	for id := objectid.PeerID(2); id < 18; id++ {
		if id != s.bots[0].ID() {
			s.forge(address(1, 1), id, transport.NewMessage(0, &transport.DoNothing{}))
			in += 3
		}
	}
	s.run(time.Minute)
	require.LessOrEqual(t, out, 3*in+128)
	require.Positive(t, out)
	s.requirePlaying()
}
