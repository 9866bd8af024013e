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

// Among clients that load for equally long, from networks that are equally good, the first one loses its
// slot to a newcomer, and only after 20 s.
func TestLongestLoaderLosesItsSlot(t *testing.T) {
	for seed := range byte(6) { // of the peer IDs, and so of the slots
		w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 3}, Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{seed})}})
		var loaders []*guest
		w.run(time.Minute)
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
		last := w.connect(join.Options{Name: "Last"})
		w.run(2 * time.Second)
		require.ErrorIs(t, last.err(), join.ErrFull, "nobody loads")
		w.requireInGame(late, loaders[1], loaders[2])
	}
}

// A client that loads for long keeps its slot while there is a free one, and while a network that squats loads, which
// takes no slot of a better one.
func TestSquattersLoseTheirSlotsFirst(t *testing.T) {
	for seed := range byte(6) { // of the peer IDs, and so of the slots
		w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 2}, Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{seed})}})
		eve := w.connectSlow("Eve", time.Hour, addr(7, 1))
		w.run(2 * time.Second)
		eve.leave()
		w.run(2 * time.Second)
		ann := w.connectSlow("Ann", 90*time.Second)
		w.run(25 * time.Second)
		w.join("Cat").leave()
		w.run(2 * time.Second)
		eve = w.connectSlow("Eve", time.Hour, addr(7, 2))
		w.run(25 * time.Second)
		again := w.connect(join.Options{Name: "Eve"}, addr(7, 3))
		w.run(2 * time.Second)
		require.ErrorIs(t, again.err(), join.ErrFull)
		require.NoError(t, eve.err())
		bob := w.connect(join.Options{Name: "Bob"})
		w.run(2 * time.Second)
		require.ErrorIs(t, eve.err(), join.ErrRefused)
		w.run(time.Minute)
		w.requireInGame(ann, bob)
	}
}

// If all sessions are used up, the clients that have slots keep theirs.
func TestLoadersKeepTheirSessions(t *testing.T) {
	w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{MaxSessions: 3}})
	var loaders []*guest
	for range 3 {
		loaders = append(loaders, w.connectSlow("", 10*time.Second))
	}
	w.run(2 * time.Second)
	late := w.connect(join.Options{})
	w.run(2 * time.Second)
	require.ErrorIs(t, late.err(), join.ErrFull)
	w.run(10 * time.Second)
	w.requireInGame(loaders...)
}

// A network that has occupied a slot without entering the game loses the next one to any newcomer. It is no fault of a
// client if the program ends it, or if it was in the game.
func TestSquatters(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(*world, *guest)
		loses bool
	}{
		"too late": {func(w *world, _ *guest) { w.run(22 * time.Second) }, true},
		"left":     {func(w *world, eve *guest) { eve.leave() }, true},
		"the next mission": {func(w *world, eve *guest) {
			network := w.host.Hub().Session(eve.id()).Value.(*join.Member).Network()
			require.Equal(w.t, addr(7, 0), network)
			w.host.NextMission(opcode.Settings{}, opcode.MissionInit{PlayerLimit: 1})
		}, false},
		"in the game": {func(w *world, eve *guest) {
			w.host.NextMission(opcode.Settings{}, opcode.MissionInit{PlayerLimit: 2})
			w.run(time.Second)
			w.connect(join.Options{Name: "Eve"}, addr(7, 3))
		}, false},
		"left the game": {func(w *world, eve *guest) {
			eve.loaded = w.now
			w.run(time.Second)
			w.requireInGame(eve)
			eve.leave()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 1}, LoadTimeout: 20 * time.Second})
			eve := w.connectSlow("Eve", time.Hour, addr(7, 1))
			w.run(2 * time.Second)
			c.end(w, eve)
			w.run(2 * time.Second)
			w.connectSlow("Eve", time.Hour, addr(7, 2))
			w.run(2 * time.Second)
			ann := w.connect(join.Options{Name: "Ann"})
			w.run(2 * time.Second)
			if c.loses {
				w.requireInGame(ann)
			} else {
				require.ErrorIs(t, ann.err(), join.ErrFull)
			}
		})
	}
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
	o := w.hostOptions
	o.Hub.Rand = nil
	w.host = join.NewHost(w.now, o)
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

// A Host sends the same for a right password and a wrong one, until the address of the client is validated. Then a
// wrong one gets a Boot.
func TestPasswordsBeforeValidation(t *testing.T) {
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

// constant is a source of a byte.
type constant struct{ b byte }

func (c *constant) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = c.b
	}
	return len(b), nil
}

// The clients of a network without a trial left are taken in random order. Until then, four messages of each of them are
// kept, and it is told nothing.
func TestOrderOfTrials(t *testing.T) {
	for next := range byte(2) {
		var source constant
		w := newWorld(t, join.HostOptions{Password: "engage", Hub: transport.HubOptions{Rand: &source}})
		connect := func(port int, password string) *guest {
			g := w.connect(join.Options{Name: "Ann", Password: password}, addr(7, port))
			g.silent = true
			w.run(100 * time.Millisecond)
			return g
		}
		for port := 1000; ; port++ {
			if g := connect(port, "guess"); g.err() == nil {
				g.leave()
				w.run(100 * time.Millisecond)
				break
			}
		}
		guess, right := connect(1, "guess"), connect(2, "engage")
		for range 5 {
			right.say(&opcode.NewPlayerInGame{})
		}
		w.run(100 * time.Millisecond)
		require.Equal(t, map[string]int{"early": 1}, w.drops)
		require.NoError(t, guess.err())
		source.b = next
		name := fmt.Sprintf("NameChange %d Ann", right.id())
		require.NotContains(t, right.lines, name)
		w.until(2*time.Second, func() bool { return guess.err() != nil })
		w.run(100 * time.Millisecond)
		require.Equal(t, next == 1, slices.Contains(right.lines, name))
		w.run(time.Second)
		require.Contains(t, right.lines, name)
		require.Equal(t, map[string]int{"early": 5}, w.drops)
	}
}

// A server whose sessions are used up has little patience, and no place for a player of the program.
func TestAllSessionsAreUsedUp(t *testing.T) {
	w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{MaxSessions: 1000}})
	var all []*guest
	for range 124 {
		all = append(all, w.connectSilent())
		w.run(2 * step)
	}
	w.run(100 * time.Millisecond)
	_, err := w.host.AddPlayer("Ghost")
	require.ErrorIs(t, err, transport.ErrHubFull)
	w.run(6 * time.Second)
	require.ErrorIs(t, all[123].err(), join.ErrRefused)
	require.NoError(t, all[0].err())
}

// A program that is started again, at the same port, gets a place of a full server: its own.
func TestRestartOnAFullServer(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 1}})
	ann := w.join("Ann")
	w.drop(ann)
	w.run(2 * time.Second)
	again := w.connect(join.Options{Name: "Ann"}, ann.addr)
	w.until(10*time.Second, func() bool { return again.stage() == join.StageInGame })
	w.requireInGame(again)
}

// Between two rounds, each client waits for 40 s, also if an earlier one, or a stranger, has connected from its port.
func TestConnectsOfOnePortBetweenRounds(t *testing.T) {
	var w *world
	asked := ""
	w = newWorld(t, join.HostOptions{Password: "engage", Enter: func(m *join.Member) { asked = fmt.Sprint(w.host.Hub().Passwords(m.Session)) }})
	w.host.End(opcode.EndOver)
	from := addr(90004, 22102)
	w.forge(from, objectid.NoPeer, connectRequest(1))
	w.run(30 * time.Second)
	ann := w.connect(join.Options{Name: "Ann", Password: "engage"}, from)
	w.run(35 * time.Second)
	w.host.Restart()
	w.run(5 * time.Second)
	w.requireInGame(ann)
	require.Equal(t, "[engage]", asked)
}

// Between two rounds, 256 clients wait, the latest ones.
func TestManyConnectsBetweenRounds(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	w.host.End(opcode.EndOver)
	refused := map[netip.AddrPort]bool{}
	w.hear = func(to netip.AddrPort, _ []byte) { refused[to] = true }
	for i := range 300 {
		w.forge(addr(i, 1), objectid.NoPeer, connectRequest(i))
	}
	w.run(39 * time.Second)
	require.Empty(t, refused)
	w.run(2 * time.Second)
	require.Len(t, refused, 256)
	require.False(t, refused[addr(43, 1)])
	require.True(t, refused[addr(44, 1)])
}

// Copies of a Connect that are received at once begin one session.
func TestConnectTwiceAtOnce(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	g := w.connect(join.Options{Name: "Ann"})
	connect := g.session.AppendDatagram(nil, w.now)
	for range 2 {
		w.host.Hub().Receive(w.now, g.addr, slices.Clone(connect))
	}
	w.run(2 * time.Second)
	w.requireInGame(g)
	require.Equal(t, 5, g.count(opcode.OpChecksumRequest))
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
	require.ErrorIs(t, vic.err(), join.ErrLeft)
	require.Equal(t, 6, datagrams, "the reply, the own name and three others come first")
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
				name := slices.Index(ann.lines, fmt.Sprintf("NameChange %d Ann", ann.id()))
				require.Less(t, name, slices.Index(ann.lines, "Settings"), "%v", ann.lines)
				require.GreaterOrEqual(t, name, 0)
			}
		})
		require.Len(t, delays, try+1, "%v", ann.err())
	}
	slices.Sort(delays)
	t.Log("median", delays[len(delays)/2], "longest", delays[len(delays)-1])
	require.Less(t, delays[len(delays)/2], 6*time.Second)
	require.Less(t, delays[len(delays)-1], 40*time.Second)
}
