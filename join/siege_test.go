package join_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file let strangers with a socket attack a Host with its default options. The
// property is always the same: no stranger ends the session of a player, or keeps an honest client
// out of the game.

func doNothing() transport.Message { return transport.NewMessage(0, &transport.DoNothing{}) }

func ackOf(seq uint16) transport.Message {
	return transport.NewMessage(0, &transport.Ack{Seq: seq})
}

// requireInGame checks that guests are in the game, on both sides.
func (w *world) requireInGame(all ...*guest) {
	w.t.Helper()
	for _, g := range all {
		require.NoError(w.t, g.err())
		require.Equal(w.t, join.StageInGame, g.stage())
		m := w.member(g.id())
		require.NotNil(w.t, m)
		require.Equal(w.t, g.addr, m.Session.Addr())
	}
}

// drop makes a guest fall silent.
func (w *world) drop(g *guest) { w.remove(g) }

// Connects from the address of a silent player, also with all peer IDs, and OpenBC's Connects do not
// end its session or mute it.
func TestSpoofedConnect(t *testing.T) {
	for _, openBC := range []bool{false, true} {
		w := newWorld(t, join.HostOptions{})
		ann, vic := w.join("Ann"), w.join("Vic")
		w.run(time.Second)
		for second := range testdata.Either(600, 120) {
			if openBC {
				w.receive(vic.addr, append([]byte{0xFF, 1}, testdata.Bytes("0308010000007F00")...))
			} else {
				w.forge(vic.addr, objectid.NoPeer, connectRequest(1000+second))
			}
			w.run(100 * time.Millisecond)
			for id := objectid.PeerID(2); id < 20; id++ {
				if id != vic.id() {
					w.forge(vic.addr, id, doNothing())
					w.forge(vic.addr, id, transport.NewMessage(2, &transport.Disconnect{PeerID: id}))
				}
			}
			if second%60 == 30 {
				ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
			}
			w.run(900 * time.Millisecond)
			w.requireInGame(ann, vic)
		}
		require.Positive(t, vic.count(opcode.OpChatMessage))
	}
}

// A client that restarts on its port is in the game within 5 s, in place of its earlier session.
func TestRestartOfAClient(t *testing.T) {
	for _, silence := range []time.Duration{20 * time.Millisecond, time.Second, 4 * time.Second} {
		w := newWorld(t, join.HostOptions{})
		ann, vic := w.join("Ann"), w.join("Vic")
		w.run(time.Second)
		w.drop(vic)
		w.run(silence)
		again := w.connect(join.Options{Name: "Vic"}, vic.addr)
		w.until(5*time.Second, func() bool { return again.stage() == join.StageInGame })
		w.run(time.Second)
		w.requireInGame(ann, again)
		require.Len(t, w.host.Members(), 2)
	}
}

// Wrong peer IDs from the address of a client that joins do not delay it.
func TestSpoofedPeerIDWhileJoining(t *testing.T) {
	for _, every := range []int{1, 5, 50} {
		w := newWorld(t, join.HostOptions{})
		w.delay = 50 * time.Millisecond
		vic := w.connect(join.Options{Name: "Vic"})
		for i := 0; i < 200 && vic.stage() != join.StageInGame; i++ {
			if i%every == 0 {
				w.forge(vic.addr, 77, doNothing())
			}
			w.run(step)
		}
		w.requireInGame(vic)
	}
}

// squatters take slots, never load the mission, and come again at once when they lose their slots.
type squatters struct {
	*world
	networks, each, port int
	all                  []*guest
}

// come lets squatters come again whose sessions have ended.
func (s *squatters) come() {
	have := make([]int, s.networks)
	left := s.all[:0]
	for _, g := range s.all {
		if g.stage() == join.StageEnded {
			s.drop(g)
			continue
		}
		have[int(g.addr.Addr().As4()[3])]++
		left = append(left, g)
	}
	s.all = left
	for i, n := range have {
		for ; n < s.each; n++ {
			s.port++
			s.all = append(s.all, s.connectSlow("", time.Hour, netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 16, 0, byte(i)}), uint16(s.port))))
		}
	}
}

// Honest clients load the mission for a while, enter and leave, one after another, while squatters
// hold all slots that they can get.
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
			t.Parallel()
			w := newWorld(t, join.HostOptions{})
			w.delay = 50 * time.Millisecond
			var players []*guest
			for i := range c.honest {
				players = append(players, w.join(fmt.Sprint("Player ", i)))
			}
			s := squatters{world: w, networks: c.networks, each: c.each, port: 30000}
			entered := 0
			for try := range 5 {
				began := w.now
				vic := w.connectSlow(fmt.Sprint("Victim ", try), c.load)
				for vic.stage() != join.StageInGame && w.now.Sub(began) < time.Minute {
					if vic.stage() == join.StageEnded { // comes again from a new port
						w.drop(vic)
						vic = w.connectSlow(fmt.Sprint("Victim ", try), c.load)
					}
					s.come()
					w.run(2 * step)
				}
				if vic.stage() == join.StageInGame {
					entered++
				}
				vic.leave()
				w.run(500 * time.Millisecond)
				w.drop(vic)
			}
			require.GreaterOrEqual(t, entered, c.least)
			w.requireInGame(players...)
		})
	}
}

// Among clients that load for equally long, from networks that are equally good, the first one loses its
// slot to a newcomer, and only after 20 s.
func TestLongestLoaderLosesItsSlot(t *testing.T) {
	for seed := range byte(6) { // of the peer IDs, and so of the slots
		w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 3}, Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{seed})}})
		var loaders []*guest
		for i := range 3 {
			loaders = append(loaders, w.connectSlow(fmt.Sprint("Loader ", i), 90*time.Second))
			w.run(2 * time.Second)
		}
		early := w.connect(join.Options{Name: "Early"})
		w.run(10 * time.Second)
		require.ErrorIs(t, early.err(), join.ErrFull)
		w.run(20 * time.Second)
		late := w.connect(join.Options{Name: "Late"})
		w.run(time.Second)
		w.requireInGame(late)
		require.ErrorIs(t, loaders[0].err(), join.ErrRefused)
		w.run(time.Minute)
		w.requireInGame(late, loaders[1], loaders[2])
	}
}

// opener opens sessions and leaves them open. It uses its peer IDs, and acknowledges the first request
// if it proves.
type opener struct {
	*world
	networks, n int
	due         float64 // Connects
	proves      bool
	joined      map[netip.AddrPort]bool
	replies     []func()
}

func (o *opener) hearReply(to netip.AddrPort, datagram []byte) {
	for m := range transport.Messages(datagram) {
		if m.Type == transport.TypeConnect && !o.joined[to] {
			id := objectid.PeerID(int8(m.Body[len(m.Body)-1]))
			o.joined[to] = true
			o.replies = append(o.replies, func() {
				if o.proves {
					o.forge(to, id, acksOfProbes(datagram)...)
				} else {
					o.forge(to, id, doNothing())
				}
			})
		}
	}
}

// flood opens some sessions a second for a while.
func (o *opener) flood(d time.Duration, perSecond int) {
	for end := o.now.Add(d); o.now.Before(end); o.run(step) {
		for o.due += float64(perSecond) * step.Seconds(); o.due >= 1; o.due-- {
			o.forge(addr(70000+o.n%o.networks, 1000+o.n/o.networks%60000), objectid.NoPeer, connectRequest(o.n))
			o.n++
		}
		for _, reply := range o.replies {
			reply()
		}
		o.replies = nil
	}
}

// Sessions that cost a datagram or two each keep nobody out.
func TestCheapSessions(t *testing.T) {
	for _, c := range []struct {
		networks, perSecond int
		proves              bool
	}{{40, 40, true}, {40, 40, false}, {40, 100, true}, {40, 100, false}, {200, 200, false}, {4000, 1000, false}, {4000, 500, true}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			w := newWorld(t, join.HostOptions{})
			ann, bob := w.join("Ann"), w.join("Bob")
			o := &opener{world: w, networks: c.networks, proves: c.proves, joined: map[netip.AddrPort]bool{}}
			w.hear = o.hearReply
			o.flood(testdata.Either(30*time.Second, 5*time.Second), c.perSecond)
			for i := range testdata.Either(6, 2) {
				g := w.connect(join.Options{Name: fmt.Sprint("Guest ", i)})
				for end := w.now.Add(5 * time.Second); g.stage() != join.StageInGame && w.now.Before(end); {
					o.flood(2*step, c.perSecond)
				}
				w.requireInGame(g)
				g.leave()
				o.flood(time.Second, c.perSecond)
				w.drop(g)
			}
			w.requireInGame(ann, bob)
		})
	}
}

// A full game stays full of its players, whatever is forged.
func TestFullGame(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	var players []*guest
	for i := range objectid.Slots {
		players = append(players, w.join(fmt.Sprint("Player ", i)))
	}
	silent := players[0]
	w.drop(silent)
	w.run(4 * time.Second)
	w.forge(silent.addr, objectid.NoPeer, connectRequest(1))
	for id := objectid.PeerID(2); id < 127; id++ { // all but the one of the player
		if id != silent.id() && id != '\\' {
			w.forge(silent.addr, id, doNothing())
		}
	}
	require.Equal(t, objectid.Slots, w.host.Hub().Len())
	late := w.connect(join.Options{Name: "Late"})
	w.until(time.Second, func() bool { return late.stage() == join.StageEnded })
	require.ErrorIs(t, late.err(), join.ErrFull)
	require.Len(t, w.host.Members(), objectid.Slots)
	w.requireInGame(players[1:]...)
}

// A forged address gets at most three times what was sent in its name, and 128 bytes, as long as no
// Ack is guessed, whatever the program does.
func TestForgedAddress(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	w.join("Ann")
	out, in := 0, 17
	w.hear = func(_ netip.AddrPort, b []byte) { out += len(b) }
	w.forge(addr(80000, 1), objectid.NoPeer, connectRequest(5))
	w.run(100 * time.Millisecond)
	for id := objectid.PeerID(2); id < 18; id++ {
		w.forge(addr(80000, 1), id, doNothing())
		in += 3
	}
	for range 600 {
		w.host.Broadcast(&opcode.ChatMessage{Text: stream.Text("to the players only")})
		w.run(100 * time.Millisecond)
	}
	require.LessOrEqual(t, out, 3*in+128)
	require.Positive(t, out)
}

// forgePassword sends a Connect with a wrong password.
func (w *world) forgePassword(from netip.AddrPort, password string) {
	w.forge(from, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: w.rng.Uint32(), Password: name16(password)}))
}

// guessPasswords lets clients of a network guess passwords for a while, and returns how many were told.
func guessPasswords(w *world, ip int, d time.Duration, meanwhile func()) (told int) {
	var all []*guest
	for end, port := w.now.Add(d), 1000; w.now.Before(end); w.run(step) {
		for len(all) < 4 {
			port++
			all = append(all, w.connect(join.Options{Name: "Eve", Password: fmt.Sprint("guess ", port)}, addr(ip, port)))
		}
		all = slices.DeleteFunc(all, func(g *guest) bool {
			if g.stage() != join.StageEnded {
				return false
			}
			if errors.Is(g.err(), join.ErrPassword) {
				told++
			}
			w.drop(g)
			return true
		})
		meanwhile()
	}
	for _, g := range all {
		w.drop(g)
	}
	return told
}

// A network may guess ten passwords, and then one a second, however many Connects of other addresses are forged. The
// log is limited. A player of the same network is let in after a while.
func TestPasswordGuesses(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, join.HostOptions{Password: "engage", Log: slog.New(slog.NewTextHandler(&log, nil))})
	n := 0
	told := guessPasswords(w, 90000, 20*time.Second, func() {
		for range testdata.Either(50, 10) {
			n++
			w.forgePassword(addr(300000+n, 5), "x")
		}
	})
	require.InDelta(t, 30, told, 3)
	require.Contains(t, log.String(), "wrong password")
	require.Contains(t, log.String(), "unlogged=")
	require.Less(t, log.Len(), 8000)

	// After a while, the guesses are forgotten.
	w.run(time.Minute)
	again := w.connect(join.Options{Name: "Again", Password: "engage"}, addr(90000, 22102))
	w.run(2 * time.Second)
	w.requireInGame(again)
}

// A client that knows the password joins at once, however many wrong ones are forged in the name of its network, and
// beside some that are forged in the name of its very port.
func TestForgedPasswords(t *testing.T) {
	w := newWorld(t, join.HostOptions{Password: "engage"})
	forge := func(d time.Duration, until func() bool) {
		for end := w.now.Add(d); w.now.Before(end) && !until(); w.run(step) {
			for range 4 { // 400 a second
				w.forgePassword(addr(90001, 1024+w.rng.IntN(60000)), "guess")
			}
		}
	}
	forge(15*time.Second, func() bool { return false })
	began := w.now
	ann := w.connect(join.Options{Name: "Ann", Password: "engage"}, addr(90001, 22102))
	forge(30*time.Second, func() bool { return ann.stage() == join.StageInGame })
	w.requireInGame(ann)
	require.Less(t, w.now.Sub(began), 5*time.Second)

	for i := range 6 { // forged before and after the Connect of the player
		from := addr(90002, 1000+i)
		for j := range 3 {
			w.forgePassword(from, fmt.Sprint("guess ", j))
		}
		bob := w.connect(join.Options{Name: "Bob", Password: "engage"}, from)
		w.run(30 * time.Millisecond) // the Connect has arrived
		for j := range i % 4 {
			w.forgePassword(from, fmt.Sprint("late guess ", j))
		}
		w.until(10*time.Second, func() bool { return bob.stage() == join.StageInGame })
		bob.leave()
		w.run(200 * time.Millisecond)
	}
}

// A Host sends the same for a right password and a wrong one, until the client has proven its address. Then a wrong one
// gets a Boot.
func TestPasswordsBeforeProof(t *testing.T) {
	for _, over := range []bool{false, true} {
		var sent [2][]string
		for i, password := range []string{"engage", "guess"} {
			w := newWorld(t, join.HostOptions{Password: "engage"})
			w.hear = func(_ netip.AddrPort, b []byte) { sent[i] = append(sent[i], fmt.Sprintf("%v %x", w.now.Sub(epoch), b)) }
			if over {
				w.host.End(opcode.EndOver)
			}
			w.forgePassword(addr(90003, 1), password)
			w.run(15 * time.Second)
			w.host.Restart()
			w.run(15 * time.Second)
		}
		require.NotEmpty(t, sent[0])
		require.Equal(t, sent[0], sent[1])
	}
	w := newWorld(t, join.HostOptions{Password: "engage"})
	eve := w.connect(join.Options{Name: "Eve", Password: "guess"})
	w.run(time.Second)
	require.ErrorIs(t, eve.err(), join.ErrPassword)
	require.Contains(t, eve.lines, "ConnectReply 2", "the Boot is the next system message")
}

// The memory of a Host does not grow with the number of hostile clients: from many networks, they
// connect, guess passwords, use their peer IDs, validate their addresses, wait for a round, get slots,
// and fall silent.
func TestMemoryUnderAttack(t *testing.T) {
	total := testdata.Either(400_000, 40_000) // a half-open session lives for 30 s at most, or 6,000 Connects
	w := newWorld(t, join.HostOptions{Password: "x"})
	hub, now := w.host.Hub(), w.now
	var heap []int64
	opened := 0
	for i := range total {
		now = now.Add(5 * time.Millisecond)
		from := addr(i%5_000_000, 1024+i%60000)
		request := &transport.ConnectRequest{ConnID: uint32(i), Password: name16("x")}
		if i%8 == 7 {
			request.Password = name16("y")
		}
		handle := func(id objectid.PeerID, all ...transport.Message) {
			b, err := (&transport.Packet{PeerID: id, Messages: all}).MarshalBinary()
			require.NoError(t, err)
			hub.Receive(now, from, b)
			for e := range hub.Events() {
				w.host.Handle(now, e)
			}
		}
		switch i % 10_000 {
		case 3000:
			w.host.End(opcode.EndOver)
		case 5000:
			w.host.Restart()
		}
		handle(objectid.NoPeer, transport.NewMessage(0, request))
		id, acks := objectid.NoPeer, []transport.Message(nil)
		for to, b := range hub.Datagrams(now) {
			if to == from {
				acks = append(acks, acksOfProbes(b)...)
			}
			for m := range transport.Messages(b) {
				if to == from && m.Type == transport.TypeConnect {
					id = objectid.PeerID(int8(m.Body[len(m.Body)-1]))
				}
			}
		}
		if id != objectid.NoPeer && i%2 == 0 {
			opened++
			handle(id, acks...)
			handle(id, transport.NewMessage(1, &transport.NameChange{Name: name16(fmt.Sprint("name ", i))}))
		}
		if i%20 == 0 {
			w.host.Tick(now)
		}
		if (i+1)%(total/4) == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = append(heap, int64(m.HeapAlloc>>10))
			networks, waiting := w.host.TableSizes()
			require.LessOrEqual(t, networks, 1024)
			require.LessOrEqual(t, waiting, 256)
		}
	}
	require.Greater(t, opened, total/10)
	for i := range 2 { // the same times of a round
		require.LessOrEqual(t, heap[i+2], heap[i]+512, "heap in KiB: %d", heap)
	}
	require.LessOrEqual(t, hub.Len(), 64)
	require.Empty(t, w.host.Members())
}

// Forged sessions from other ports of a client's network, with all usual peer IDs, do not keep the
// client out.
func TestSpoofedSessionsOfTheNetwork(t *testing.T) {
	for _, every := range []int{10, 25, 90} {
		w := newWorld(t, join.HostOptions{})
		w.delay = 50 * time.Millisecond
		const network = 95000
		forge := func(i int) {
			from := addr(network, 40000+i)
			switch i % every {
			case 0:
				w.forge(from, objectid.NoPeer, connectRequest(i))
			case 6: // after the reply
				for id := objectid.PeerID(2); id < 18; id++ {
					w.forge(addr(network, 40000+i-6), id, doNothing())
				}
			}
			w.run(step)
		}
		for i := range 2000 {
			forge(i)
		}
		vic := w.connect(join.Options{Name: "Vic"}, addr(network, 22102))
		for i := 2000; i < 2500 && vic.stage() < join.StageInGame; i++ {
			forge(i)
		}
		w.requireInGame(vic)
	}
}

// Forged sources that guess the peer ID and the first Ack keep nobody out.
func TestForgedSourcesThatGuess(t *testing.T) {
	w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{1})}})
	ann := w.join("Ann")
	n, id := 0, objectid.PeerID(2)
	attack := func(d time.Duration) {
		for end := w.now.Add(d); w.now.Before(end); n++ { // 50 a second
			from := addr(200000+n, 5000)
			w.forge(from, objectid.NoPeer, connectRequest(n))
			w.run(step)
			if id++; id > 17 {
				id = 2
			}
			w.forge(from, id, ackOf(0))
			w.run(step)
		}
	}
	attack(testdata.Either(45*time.Second, 10*time.Second))
	entered := 0
	for i := range 12 {
		g := w.connect(join.Options{Name: fmt.Sprint("Guest ", i)})
		for end := w.now.Add(5 * time.Second); g.stage() < join.StageInGame && w.now.Before(end); {
			attack(2 * step)
		}
		if g.stage() == join.StageInGame {
			entered++
		}
		g.leave()
		attack(time.Second)
		w.drop(g)
	}
	require.GreaterOrEqual(t, entered, 10)
	w.requireInGame(ann)
}

// Disconnects and payloads with the right peer ID and wrong sequence numbers, in the name of a player,
// have no effect.
func TestWrongNumbers(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, vic := w.join("Ann"), w.join("Vic")
	w.run(time.Second)
	for i := range testdata.Either(600, 120) {
		for _, seq := range []uint16{0, 1, 3, uint16(4 + i), 0x8000, 0xFFFF} {
			w.forge(vic.addr, vic.id(), transport.NewMessage(seq, &transport.Disconnect{PeerID: vic.id()}))
		}
		for _, seq := range []uint16{0, 3, uint16(0x7FFF - i), 0xFFFF} {
			w.forge(vic.addr, vic.id(), transport.NewData(seq, []byte{byte(opcode.OpHostMessage)}))
		}
		if i%60 == 0 {
			vic.say(&opcode.ChatMessage{Text: stream.Text("hello")})
		}
		w.run(time.Second)
		w.requireInGame(ann, vic)
	}
	require.Equal(t, testdata.Either(10, 2), ann.count(opcode.OpChatMessage))
}

// The host always has the same peer ID. Who forges its address can therefore speak for it to a player with
// one datagram, and ends the session of the player with the number of the host's next system message, which
// counts the names that the player has heard of.
func TestForgedHost(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	for _, name := range []string{"Ann", "Bob", "Cat"} {
		w.join(name)
	}
	vic := w.join("Vic")
	w.run(time.Second)
	forge := func(m transport.Message) {
		b, err := (&transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{m}}).MarshalBinary()
		require.NoError(t, err)
		vic.Receive(w.now, b)
	}
	chat, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("I am Ann")})
	require.NoError(t, err)
	forge(transport.NewUnreliable(chat))
	require.Equal(t, 1, vic.count(opcode.OpChatMessage))

	datagrams := 0
	for seq := uint16(0); vic.stage() == join.StageInGame; seq++ {
		forge(transport.NewMessage(seq, &transport.Disconnect{PeerID: objectid.Host}))
		datagrams++
	}
	require.ErrorIs(t, vic.err(), join.ErrRefused)
	require.Equal(t, 6, datagrams, "the reply, the own name and three others come first")
}

// A recorded session that is sent again from another port enters the game only if it has the right
// peer ID and numbers by chance, and never disturbs the player.
func TestReplayedSession(t *testing.T) {
	w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{2})}})
	ann := w.join("Ann")
	vic := &recordingGuest{guest: w.connect(join.Options{Name: "Vic"})}
	w.clients[vic.addr] = vic
	w.until(10*time.Second, func() bool { return vic.stage() == join.StageInGame })
	w.run(time.Second)
	entered := 0
	for i := range testdata.Either(200, 30) {
		from := addr(96000+i, 1)
		for _, b := range vic.sent {
			w.receive(from, slices.Clone(b))
			w.run(5 * step)
		}
		w.run(time.Second)
		w.requireInGame(ann, vic.guest)
		for _, m := range w.host.Members() {
			if m.Session.Addr() == from {
				entered++
				m.Session.Boot(transport.BootRemoved)
			}
		}
	}
	require.LessOrEqual(t, entered, testdata.Either(30, 6))
}

// recordingGuest records what it sends.
type recordingGuest struct {
	*guest
	sent [][]byte
}

// AppendDatagram implements client.
func (r *recordingGuest) AppendDatagram(dst []byte, now time.Time) []byte {
	b := r.guest.AppendDatagram(dst, now)
	if len(b) > 0 && len(r.sent) < 20 {
		r.sent = append(r.sent, slices.Clone(b))
	}
	return b
}

// Networks of IPv6 have 64 bits: clients from one of them are one attacker.
func TestIPv6(t *testing.T) {
	w := newWorld(t, join.HostOptions{Password: "engage"})
	told := 0
	for i := range 40 {
		ip := netip.AddrFrom16([16]byte{0x20, 1, 0xD, 0xB8, 15: byte(i)})
		g := w.connect(join.Options{Name: "Eve", Password: "guess"}, netip.AddrPortFrom(ip, 5))
		w.run(250 * time.Millisecond)
		if errors.Is(g.err(), join.ErrPassword) {
			told++
		}
		w.drop(g)
	}
	require.GreaterOrEqual(t, told, 10)
	require.LessOrEqual(t, told, 21)
	g := w.connect(join.Options{Name: "Ann", Password: "engage"}, netip.MustParseAddrPort("[2001:db8:0:1::1]:5"))
	w.run(2 * time.Second)
	w.requireInGame(g)
}

// A neighbour in the network of a player guesses passwords with as many clients as a network may have sessions. They
// delay the player for some seconds.
func TestGuessesOfANeighbour(t *testing.T) {
	var delays []time.Duration
	for try := range testdata.Either(200, 20) {
		w := newWorld(t, join.HostOptions{Password: "engage", Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{byte(try)})}})
		var ann *guest
		var began time.Time
		port := 30000
		guessPasswords(w, 90003, 2*time.Minute, func() {
			switch at := w.now.Sub(epoch); {
			case ann == nil && at >= 15*time.Second:
				ann, began = w.connect(join.Options{Name: "Ann", Password: "engage"}, addr(90003, port)), w.now
			case ann != nil && ann.stage() == join.StageEnded: // refused, or too late: another attempt
				port++
				ann = w.connect(join.Options{Name: "Ann", Password: "engage"}, addr(90003, port))
			case ann != nil && ann.stage() == join.StageInGame && len(delays) == try:
				delays = append(delays, w.now.Sub(began))
			}
		})
		require.Len(t, delays, try+1, "%v", ann.err())
	}
	slices.Sort(delays)
	t.Log("median", delays[len(delays)/2], "longest", delays[len(delays)-1])
	require.Less(t, delays[len(delays)/2], 6*time.Second)
	require.Less(t, delays[len(delays)-1], 40*time.Second)
}
