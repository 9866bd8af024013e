package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about single datagrams and cheap sessions with which a stranger could
// end the session of a player, or keep players out. The rows of .github/SECURITY.md name them.

// addrOf returns the address of a client.
func (w *world) addrOf(c client) netip.AddrPort {
	for addr, other := range w.clients {
		if other == c {
			return addr
		}
	}
	w.t.Fatal("no such client")
	return netip.AddrPort{}
}

// spoof sends messages with a forged address.
func (w *world) spoof(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	require.NoError(w.t, err)
	cipher.Encrypt(b)
	w.post(from, serverAddr, b)
}

// spoofNow is spoof without the network: the server has the datagram at once.
func (w *world) spoofNow(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	require.NoError(w.t, err)
	cipher.Encrypt(b)
	w.receive(from, b)
	w.events()
}

// loader is a guest that takes a while to load the game.
type loader struct {
	*guest
	load time.Duration
	done time.Time // when it has loaded; zero before GameInit
}

// Receive implements client.
func (l *loader) Receive(now time.Time, datagram []byte) {
	l.Session.Receive(now, datagram)
	for e := range l.Events() {
		if e.Kind == transport.EventPayload && opcode.Code(e.Payload[0]) == opcode.OpGameInit {
			l.done = now.Add(l.load)
			continue
		}
		l.event(e)
	}
}

// AppendDatagram implements client.
func (l *loader) AppendDatagram(dst []byte, now time.Time) []byte {
	if !l.done.IsZero() && !now.Before(l.done) && l.ended == nil {
		l.done = time.Time{}
		l.say(&opcode.NewPlayerInGame{})
	}
	return l.Session.AppendDatagram(dst, now)
}

// connectFrom adds a guest that has begun to connect from an address, and takes a while to load.
func (w *world) connectFrom(name string, addr netip.AddrPort, load time.Duration) *loader {
	l := &loader{guest: w.connect(name, "", nil), load: load}
	last := len(w.order) - 1
	if !addr.IsValid() {
		addr = w.order[last]
	}
	delete(w.clients, w.order[last])
	w.order[last], w.clients[addr] = addr, l
	return l
}

// drop removes a client from the network.
func (w *world) drop(c client) {
	addr := w.addrOf(c)
	w.remove(c)
	delete(w.clients, addr)
}

// inGame reports whether the client of an address is in the game.
func (w *world) inGame(addr netip.AddrPort) bool {
	return w.match.find(func(p *player) bool { return p.stage == inGame && p.session.Addr() == addr }) != nil
}

// TestSpoofedConnect spoofs a Connect every second from the address of a player who is silent,
// except for keepalives. The player stays, and is not muted.
func TestSpoofedConnect(t *testing.T) {
	for _, openBC := range []bool{false, true} {
		w := newWorld(t, options{}, nil)
		ann, vic := w.join("Ann"), w.join("Vic")
		w.run(time.Second)
		addr := w.addrOf(vic)
		for second := range 600 {
			if openBC {
				datagram := append([]byte{0xFF, 1}, testdata.Bytes("0308010000007F00")...)
				cipher.Encrypt(datagram)
				w.post(addr, serverAddr, datagram)
			} else {
				w.spoof(addr, connectPacket(uint32(1000+second)))
			}
			if second%60 == 30 {
				ann.say(&opcode.ChatMessage{SenderID: ann.PeerID(), Text: []byte("hello")})
			}
			w.run(time.Second)
			require.True(t, w.inGame(addr), "after %d s", second)
		}
		require.Nil(t, vic.ended)
		require.Equal(t, 10, vic.count(opcode.OpChatMessage))
	}
}

// TestSpoofedConnectWithPeerID spoofs Connects from the address of a silent player, and uses each
// peer ID, so that it finds the one of the new session. The player stays.
func TestSpoofedConnectWithPeerID(t *testing.T) {
	w := newWorld(t, options{}, nil)
	vic := w.join("Vic")
	w.run(time.Second)
	addr, opened := w.addrOf(vic), 0
	for second := range 120 {
		opened = max(opened, w.match.hub.Len()-1)
		w.spoof(addr, connectPacket(uint32(1000+second)))
		w.run(100 * time.Millisecond)
		for id := objectid.PeerID(2); id < 20; id++ {
			if id != vic.PeerID() {
				w.spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
			}
		}
		w.run(900 * time.Millisecond)
		require.True(t, w.inGame(addr), "after %d s", second)
	}
	require.Nil(t, vic.ended)
	require.Positive(t, opened, "the attacker has sessions")
}

// TestRestart restarts a client on its port. It is in the game within 5 s of its restart, and the
// server has forgotten the earlier session.
func TestRestart(t *testing.T) {
	for _, silence := range []time.Duration{20 * time.Millisecond, time.Second, 4 * time.Second} {
		w := newWorld(t, options{}, nil)
		ann, vic := w.join("Ann"), w.join("Vic")
		vic.launch("akira", 0)
		w.run(time.Second)
		addr := w.addrOf(vic)
		w.drop(vic)
		w.run(silence)
		again := w.connectFrom("Vic", addr, 0)
		began := w.now
		w.until(5*time.Second, func() bool { return again.count(opcode.OpDeletePlayerUI) > 0 })
		t.Log(silence, "of silence: in the game after", w.now.Sub(began))
		w.run(time.Second)
		require.Len(t, w.match.players(nil), 2)
		require.Equal(t, 1, ann.count(opcode.OpDestroyObject))
	}
}

// TestSpoofedPeerIDWhileJoining sends wrong peer IDs from the address of a client that joins.
func TestSpoofedPeerIDWhileJoining(t *testing.T) {
	for _, every := range []time.Duration{step, 5 * step, 50 * step} {
		w := newWorld(t, options{}, nil)
		w.weather.delay = 50 * time.Millisecond
		vic := w.connect("Vic", "", nil)
		addr := w.addrOf(vic)
		began := w.now
		for !w.inGame(addr) && w.now.Sub(began) < 5*time.Second {
			if w.now.Sub(began)%every == 0 {
				w.spoof(addr, transport.Packet{PeerID: 77, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
			}
			w.run(step)
		}
		require.True(t, w.inGame(addr), every)
		require.Less(t, w.now.Sub(began), time.Second, every)
	}
}

// TestSpoofedSessionsOfTheAddress opens forged sessions from other ports of the IP address of a
// client, with the right peer IDs. The client joins all the same.
func TestSpoofedSessionsOfTheAddress(t *testing.T) {
	for _, every := range []time.Duration{10 * step, 25 * step, 90 * step} {
		w := newWorld(t, options{perIP: 4}, nil)
		w.weather.delay = 50 * time.Millisecond
		addr, port := netip.MustParseAddrPort("127.0.2.9:22101"), uint16(40000)
		var vic *loader
		began := w.now
		for joined := false; !joined; {
			at := w.now.Sub(began)
			require.Less(t, at, 25*time.Second, every)
			if at%every == 0 {
				port++
				w.spoof(netip.AddrPortFrom(addr.Addr(), port), connectPacket(uint32(port)))
			}
			if at%every == 6*step { // after the reply
				for id := objectid.PeerID(2); id < 18; id++ {
					w.spoof(netip.AddrPortFrom(addr.Addr(), port), transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
				}
			}
			if at == 20*time.Second {
				vic = w.connectFrom("Vic", addr, 0)
			}
			w.run(step)
			joined = w.inGame(addr)
		}
		require.Nil(t, vic.ended)
	}
}

// TestSquatters lets squatters take slots without ever loading the game, and come again at once
// when they lose them. Honest clients arrive one after another, and leave after entering.
func TestSquatters(t *testing.T) {
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
			w := newWorld(t, options{perIP: 4}, nil)
			w.weather.delay = 50 * time.Millisecond
			for i := range c.honest {
				w.join(fmt.Sprint("Player ", i))
			}
			s := squatters{world: w, networks: c.networks, each: c.each, port: 30000}
			entered, slowest := 0, time.Duration(0)
			for try := range 5 {
				began := w.now
				ok, vic := false, (*loader)(nil)
				for !ok && w.now.Sub(began) < time.Minute {
					if vic == nil || vic.ended != nil { // from a new port
						if vic != nil {
							w.drop(vic)
						}
						vic = w.connectFrom(fmt.Sprint("Victim ", try), netip.AddrPort{}, c.load)
					}
					s.come()
					w.run(2 * step)
					ok = w.inGame(w.addrOf(vic))
				}
				if ok {
					entered++
					slowest = max(slowest, w.now.Sub(began))
				}
				vic.Close()
				w.run(500 * time.Millisecond)
				w.drop(vic)
			}
			t.Logf("%d of 5 entered, the slowest after %v", entered, slowest)
			require.GreaterOrEqual(t, entered, c.least)
		})
	}
}

// squatters take slots and never load the game.
type squatters struct {
	*world
	networks, each, port int
	all                  []*loader
}

// come lets squatters come again whose sessions have ended.
func (s *squatters) come() {
	have := make([]int, s.networks)
	left := s.all[:0]
	for _, l := range s.all {
		if l.ended != nil {
			s.drop(l)
			continue
		}
		have[int(s.addrOf(l).Addr().As4()[3])-2]++
		left = append(left, l)
	}
	s.all = left
	for i, n := range have {
		for ; n < s.each; n++ {
			var addr netip.AddrPort
			for addr == (netip.AddrPort{}) || s.clients[addr] != nil {
				s.port++
				addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, byte(2 + i)}), uint16(s.port))
			}
			s.all = append(s.all, s.connectFrom("", addr, time.Hour))
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
		s.sendPacket(from, connectPacket(uint32(c.n)))
	}
}

func (c *openFlood) hear(s *siege, at netip.AddrPort, datagram []byte) {
	if reply, ok := replyIn(datagram); ok && !c.joined[at] {
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
		s.sendPacket(from, connectPacket(uint32(c.n)))
		ack, err := (&transport.Packet{PeerID: c.id, Messages: []transport.Message{transport.NewMessage(0, &transport.Ack{})}}).MarshalBinary()
		require.NoError(s.t, err)
		c.later = append(c.later, packet{at: s.now.Add(50 * time.Millisecond), from: from, data: ack})
		if c.id++; c.id > 17 {
			c.id = 6
		}
	}
	for len(c.later) > 0 && !s.now.Before(c.later[0].at) {
		cipher.Encrypt(c.later[0].data)
		s.send(c.later[0].from, c.later[0].data)
		c.later = c.later[1:]
	}
}

// TestCheapSessions fills the hub with sessions that cost a datagram or two each. Honest bots join
// during the attack, and those in the game stay.
func TestCheapSessions(t *testing.T) {
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
			s := newSiege(t, &scenario{attacker: c.attacker}, c.latency)
			began := s.now
			s.run(c.before)
			for range c.joins {
				s.join()
				s.run(c.between)
			}
			seconds := s.now.Sub(began).Seconds()
			t.Logf("%.0f B/s in, %.0f B/s out, %d of %d joined, the slowest after %v", float64(s.received)/seconds, float64(s.sent)/seconds,
				s.joined, c.joins, s.slowest)
			require.Equal(t, 4, s.kept())
			require.GreaterOrEqual(t, s.joined, c.least)
			for _, p := range s.players {
				require.Equal(t, bot.InGame, p.State())
			}
		})
	}
}

// TestPasswordGuesses guesses passwords. A network may guess ten times, and then once a second. Each
// guess is logged or counted. A client who knows the password joins during guesses that are forged
// in its name.
func TestPasswordGuesses(t *testing.T) {
	w := newWorld(t, options{password: "engage"}, nil)
	var log byteCounter
	w.match.log = slog.New(slog.NewTextHandler(&log, nil))
	guess := func(from netip.AddrPort) {
		w.spoof(from, transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
			transport.NewMessage(0, &transport.ConnectRequest{ConnID: w.rng.Uint32(), Password: systemText(t, "guess")}),
		}})
	}
	for i := range 1000 {
		guess(netip.AddrPortFrom(netip.MustParseAddr("127.0.4.1"), uint16(1000+i)))
		if i%100 == 99 {
			w.run(100 * time.Millisecond)
		}
	}
	require.InDelta(t, 11, dropped(w, "refused connect"), 1)
	require.InDelta(t, 989, dropped(w, "guesses"), 2)
	require.Positive(t, log)
	require.Less(t, int(log), 4000)

	addr := netip.MustParseAddrPort("127.0.4.2:22101")
	forge := func(d time.Duration, done func() bool) {
		for end := w.now.Add(d); w.now.Before(end) && !done(); {
			guess(netip.AddrPortFrom(addr.Addr(), uint16(1000+w.rng.IntN(60000))))
			w.run(time.Duration(1+w.rng.IntN(60)) * step)
		}
	}
	forge(10*time.Second, func() bool { return false })
	began := w.now
	for !w.inGame(addr) && w.now.Sub(began) < 3*time.Minute { // a client gives up after a minute
		vic := w.connect("Vic", "engage", nil)
		delete(w.clients, w.order[len(w.order)-1])
		w.clients[addr], w.order[len(w.order)-1] = vic, addr
		forge(time.Minute, func() bool { return w.inGame(addr) || vic.ended != nil })
		if !w.inGame(addr) {
			w.remove(vic)
		}
	}
	t.Log("with 3 forged guesses a second, the client joins after", w.now.Sub(began))
	require.True(t, w.inGame(addr))
}

// TestForgedQueries floods the server with queries whose addresses are forged. A browser always gets
// an answer, and the answers are not worth forging for.
func TestForgedQueries(t *testing.T) {
	for _, rate := range []float64{50, 400, 2000} {
		w := newWorld(t, options{}, nil)
		w.join("Ann")
		honest := netip.MustParseAddrPort("127.0.3.1:5000")
		got, asked, out, in := 0, 0, 0, 0
		transmit := w.transmit
		w.transmit = func(d []byte, to netip.AddrPort) (int, error) {
			switch {
			case to == honest:
				got++
			case transport.IsGameSpy(d):
				out += len(d)
			}
			return transmit(d, to)
		}
		query, forged := []byte(`\status\`), pace{perSecond: rate}
		n := 0
		for i := range 3000 { // 30 s
			for range forged.next() {
				n++
				in += len(query)
				w.post(forgedAddr(n, 5000), serverAddr, query)
			}
			if i%100 == 37 {
				asked++
				w.post(honest, serverAddr, query)
			}
			w.run(step)
		}
		t.Logf("%.0f queries/s: %d answers to %d queries of a browser, %d B/s out, %.1f times what came in", rate, got, asked, out/30, float64(out)/float64(in))
		require.GreaterOrEqual(t, got, asked-1)
		require.LessOrEqual(t, out/30, 34<<10+in/30)
	}
}

// TestIdlePlayers kicks players who have sent nothing of the game for a while, and no others.
func TestIdlePlayers(t *testing.T) {
	w := newWorld(t, options{idle: time.Minute}, nil)
	ann, bob := w.join("Ann"), w.join("Bob")
	for range 12 {
		ann.say(&opcode.ChatMessage{SenderID: ann.PeerID(), Text: []byte("here")})
		w.run(10 * time.Second)
	}
	require.Nil(t, ann.ended)
	require.NotNil(t, bob.ended)
	require.Equal(t, transport.BootTimeout, bob.ended.Body.(*transport.Boot).Reason)
}
