package join_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about the budgets of networks; see Who pays in the documentation of the package.

// house returns an address of the network that the players of a house share.
func house(port int) netip.AddrPort { return addr(77000, port) }

// sayLines sends lines of chat, and returns how many of them another player hears.
func sayLines(g, other *guest, lines int) int {
	before := other.count(opcode.OpChatMessage)
	for range lines {
		g.say(&opcode.ChatMessage{SenderID: g.id(), Text: stream.Text("hello")})
	}
	g.w.run(200 * time.Millisecond)
	return other.count(opcode.OpChatMessage) - before
}

// A player who leaves and comes again has what is left of its budget. Whoever comes again beside the session of a
// program that has crashed has a budget of its own.
func TestBudgetOutlivesItsSession(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	bob := w.join("Bob")
	join := func(port int) *guest {
		g := w.connect(join.Options{Name: fmt.Sprint("Ann ", port)}, house(port))
		w.until(5*time.Second, func() bool { return w.member(g.id()) != nil && w.member(g.id()).Session.Addr() == g.addr })
		return g
	}
	ann := join(1)
	require.Equal(t, 10, sayLines(ann, bob, 20))
	heard := 0
	for port := 2; port < 10; port++ {
		ann.leave()
		w.run(300 * time.Millisecond)
		ann = join(port)
		heard += sayLines(ann, bob, 20)
	}
	require.Less(t, heard, 30, "2 lines a second")

	w.drop(ann) // the program has crashed, and the session is still open
	again := join(20)
	require.Equal(t, 10, sayLines(again, bob, 20))
	again.leave()
	w.run(200 * time.Millisecond)
	require.Less(t, sayLines(join(21), bob, 20), 3)

	w.run(30 * time.Second)
	again = join(22)
	require.Equal(t, 10, sayLines(again, bob, 20), "the budget is full again")
}

// Eight players behind one address join at once, with one option, again when the server has started again, and each has
// a budget of its own.
func TestEightPlayersOfOneAddress(t *testing.T) {
	for range 2 { // the server has started again
		w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{MaxPerIP: 8}})
		var players []*guest
		for i := range 8 {
			players = append(players, w.connect(join.Options{Name: fmt.Sprint("Ann ", i)}, house(1+i)))
		}
		w.run(2 * time.Second)
		w.requireInGame(players...)
		for i, g := range players {
			require.Equal(t, 10, sayLines(g, players[(i+1)%8], 20))
		}
	}
}

// A client that joins and leaves over and over pays for the messages about it, so the others get few of them.
func TestJoinPaysForItsLeave(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	w.delay = 0
	bob := w.join("Bob")
	began := w.now
	for joins := 0; w.now.Sub(began) < time.Minute; joins++ {
		g := w.connect(join.Options{Name: "Eve"}, house(1+joins))
		w.until(5*time.Second, func() bool { return g.stage() == join.StageInGame })
		g.leave()
		w.until(5*time.Second, g.session.Flushed)
		w.drop(g)
	}
	require.Less(t, bob.session.Counters().Payloads, uint64(60*25), "the messages of a player")
	w.requireInGame(bob)

	// The messages about it take as much room as long lines of chat.
	w.run(30 * time.Second)
	datagrams, began := 0, w.now
	for port := 20000; w.now.Sub(began) < time.Minute; port++ {
		g := w.connectSlow("Eve", 100*time.Millisecond, house(port))
		w.until(5*time.Second, func() bool { return g.stage() == join.StageInGame })
		heard := bob.count(opcode.OpChatMessage)
		for range 2 {
			g.say(&opcode.ChatMessage{Text: stream.Text(strings.Repeat("x", 249))})
		}
		w.run(10 * step)
		datagrams += 1 + bob.count(opcode.OpChatMessage) - heard
		g.leave()
		w.until(5*time.Second, g.session.Flushed)
		w.drop(g)
	}
	require.InDelta(t, 32+3*60, datagrams, 5)
}

// After a pause of the network, all that a player has in flight comes at once, and none of it is lost.
func TestPauseOfTheNetwork(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	const inFlight = 256
	base, _ := objectid.Base(ann.State().Self.Slot)
	for range inFlight / 2 {
		ann.say(opcode.NewStartFiring(base+6, objectid.None))
		ann.say(opcode.NewStopFiring(base + 6))
	}
	w.run(30 * time.Second)
	require.Equal(t, inFlight/2, bob.count(opcode.OpStopFiring))
	require.Equal(t, inFlight/2, bob.count(opcode.OpStartFiring))
	require.Zero(t, w.drops["rate"])
}

// A player who comes again while the budget is almost used up is in the game, whatever is left.
func TestJoinWithWhatIsLeft(t *testing.T) {
	for said := 230; said < 270; said++ {
		w := newWorld(t, join.HostOptions{})
		w.delay = 0
		ann := w.connect(join.Options{Name: "Ann"}, house(1))
		w.until(5*time.Second, func() bool { return ann.stage() == join.StageInGame })
		for range said {
			ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
		}
		w.until(5*time.Second, ann.session.Flushed)
		ann.leave()
		w.until(5*time.Second, ann.session.Flushed)
		again := w.connect(join.Options{Name: "Ann"}, house(2))
		w.until(5*time.Second, func() bool { return again.stage() == join.StageInGame })
	}
}

// What is sent from a forged address takes nothing from the budget of its network.
func TestStrangersTakeNoBudget(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	bob := w.join("Bob")
	for port := range 2000 {
		from := house(1000 + port)
		w.forge(from, objectid.NoPeer, connectRequest(port))
		for id := objectid.PeerID(2); id < 18; id++ {
			w.forge(from, id, transport.NewMessage(1, &transport.NameChange{PeerID: id, Name: name16("Ann")}))
		}
		w.run(step)
	}
	ann := w.connect(join.Options{Name: "Ann"}, house(1))
	w.until(5*time.Second, func() bool { return ann.stage() == join.StageInGame })
	require.Equal(t, 10, sayLines(ann, bob, 20))
}

// Fourteen players who use up their bursts, and then say all that they may, delay what others say, and lose none of it.
func TestBurstsOfAllOthers(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	ann, bob := w.join("Ann"), w.join("Bob")
	var eves []*guest
	for i := range objectid.Slots - 2 {
		eves = append(eves, w.join(fmt.Sprint("Eve ", i)))
	}
	w.run(30 * time.Second)
	w.delay, w.loss = 150*time.Millisecond, 0.02
	flood := func(each int) {
		for _, e := range eves {
			base, _ := objectid.Base(e.State().Self.Slot)
			for range each {
				_ = e.Send(&opcode.ClientEvent{Event: opcode.Event{ // of another part each time, and almost half a datagram
					Class: opcode.ClassCollisionEvent, Code: 0x12345678, Source: base, Dest: base, Object: objectid.ID(w.rng.Uint32()), Contacts: make([]compress.Contact, 35),
				}})
			}
		}
	}
	flood(256)
	for i := range testdata.Either(60, 10) {
		ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
		w.until(5*time.Second, func() bool { flood(1); return bob.count(opcode.OpChatMessage) > i })
		w.run(500 * time.Millisecond)
	}
	w.requireInGame(ann, bob)
	require.Greater(t, bob.count(opcode.OpClientEvent), 14*30)
}
