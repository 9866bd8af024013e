package join_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// creation returns the message that creates a ship of a player.
func creation(t *testing.T, p join.Player, n objectid.ID) *opcode.ObjectCreateTeam {
	t.Helper()
	base, ok := objectid.Base(p.Slot)
	require.True(t, ok)
	ship := stateupdate.NewShip(base+n, stateupdate.Stock().Named("akira"))
	ship.PlayerName, ship.SetName = p.Name, "Multi1"
	object, err := ship.Object()
	require.NoError(t, err)
	return &opcode.ObjectCreateTeam{OwnerSlot: p.Slot, NetPlayerID: p.PeerID, Object: object}
}

// launch creates a ship of a guest.
func (g *guest) launch(n objectid.ID) objectid.ID {
	m := creation(g.w.t.(*testing.T), g.State().Self, n)
	g.say(m)
	g.w.run(3 * time.Second) // a state of the host's clock, and the limit of ships
	return m.Object.ObjectID
}

// updates returns how often a guest has received the state of a ship since the last call.
func (g *guest) updates(id objectid.ID) (n int) {
	for _, m := range g.heard {
		if u, ok := m.(*opcode.StateUpdate); ok && u.ObjectID == id {
			n++
		}
	}
	g.heard = nil
	return n
}

// After a pause of the network, all that a player has sent comes at once. Its ship is not among what is too much.
func TestShipBehindABacklog(t *testing.T) {
	var host *join.Host
	w := newWorld(t, join.HostOptions{Decoder: beacons(t), Ships: stateupdate.Stock(), Message: func(from *join.Member, m opcode.Message) {
		if _, ok := m.(*beacon); ok {
			host.Broadcast(m)
			return
		}
		host.Relay(from, m)
	}})
	host = w.host
	ann, bob := w.join("Ann"), w.join("Bob")
	for range 400 { // more messages and bytes than are relayed
		ann.say(&beacon{PlayerID: ann.id(), Text: make(stream.Text, 150)})
	}
	ship := ann.launch(0)
	require.Greater(t, w.drops["rate"], 200)
	require.Equal(t, ship, w.member(ann.id()).Ship)
	require.Equal(t, 1, bob.count(opcode.OpObjectCreateTeam))
}

// A Host that follows ships sends their updates, sends newcomers the ships, and removes them.
func TestShips(t *testing.T) {
	o, lines := logged(join.HostOptions{Ships: stateupdate.Stock()})
	w := newWorld(t, o)
	ann, bob := w.join("Ann"), w.join("Bob")
	a, b := ann.launch(0), bob.launch(0)
	require.Equal(t, a, w.member(ann.id()).Ship)
	require.Zero(t, bob.count(opcode.OpDestroyObject))
	require.Positive(t, bob.updates(a))
	require.Positive(t, ann.updates(b))
	at := opcode.StateUpdate{ObjectID: a, GameTime: float32(w.host.GameTime().Seconds()), Flags: opcode.StateSpeed}
	at.Speed = compress.EncodeFloat16(3)
	ann.say(&at)
	w.run(time.Second)
	found := false
	for _, m := range bob.heard {
		u, ok := m.(*opcode.StateUpdate)
		found = found || ok && u.Flags&opcode.StateSpeed != 0 && u.Speed == at.Speed
	}
	require.True(t, found, "what a client says of its ship is what the others are told")

	cat := w.join("Cat")
	w.run(time.Second)
	require.Equal(t, 2, cat.count(opcode.OpObjectCreateTeam))
	require.Equal(t, "Akira", stateupdate.Stock().Species(last[*opcode.ObjectCreateTeam](cat).Object.Species).Name)

	// Another ship replaces the first one. The same ship again is the same.
	before := len(bob.lines)
	ann.launch(0)
	require.Equal(t, []string{"ObjectCreateTeam"}, bob.lines[before:])
	for _, n := range []objectid.ID{100, 101} {
		before := len(bob.lines)
		next := ann.launch(n)
		require.Equal(t, []string{"DestroyObject", "ObjectCreateTeam"}, bob.lines[before:])
		require.Equal(t, a, last[*opcode.DestroyObject](bob).ObjectID)
		bob.updates(next)
		w.run(time.Second)
		updates := bob.heard
		require.Positive(t, bob.updates(next))
		bob.heard = updates
		require.Zero(t, bob.updates(a))
		a = next
	}

	// Other events leave it as it is.
	w.host.Broadcast(&opcode.DestroyObject{ObjectID: b + 1000})
	w.host.Broadcast(&opcode.PythonEvent{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETTargetWasChanged, Dest: a}})
	require.Equal(t, a, w.member(ann.id()).Ship)
	require.Equal(t, b, w.member(bob.id()).Ship)

	// A ship that explodes or that the program destroys is gone.
	for i := range objectid.ID(2) {
		gone, err := opcode.NewObjectExploding(a, b, bob.id(), 9.5)
		require.NoError(t, err)
		if i == 0 {
			w.host.Broadcast(gone)
		} else {
			w.host.Broadcast(&opcode.DestroyObject{ObjectID: a})
		}
		require.Equal(t, objectid.None, w.member(ann.id()).Ship)
		w.run(time.Second)
		ann.say(&opcode.StateUpdate{ObjectID: a, Flags: opcode.StateSpeed}) // late
		w.run(time.Second)
		bob.updates(a)
		w.run(time.Second)
		require.Zero(t, bob.updates(a))
		require.Equal(t, objectid.None, w.member(ann.id()).Ship)
		require.NotContains(t, w.joinShips("Late"), a)
		a = ann.launch(200 + i)
	}

	// A player who leaves takes its ship along.
	before = len(bob.lines)
	ann.leave()
	w.run(time.Second)
	require.Equal(t, []string{"Disconnect 2", "DestroyObject", "DeletePlayerUI", "DeletePlayerAnim"}, bob.lines[before:])

	// So does a round that ends.
	w.host.Restart()
	require.Equal(t, objectid.None, w.member(bob.id()).Ship)
	w.run(time.Second)
	cat.updates(b)
	w.run(time.Second)
	require.Zero(t, cat.updates(b))
	require.Empty(t, w.joinShips("Latest"))
	require.Equal(t, bob.launch(0), w.member(bob.id()).Ship, "the IDs may be those of the last round")
	w.host.Broadcast(&opcode.DestroyObject{ObjectID: w.member(bob.id()).Ship})
	for _, l := range lines() {
		require.NotContains(t, l, "ERROR")
	}
}

// joinShips lets a guest join and leave, and returns the ships that it has been sent.
func (w *world) joinShips(name string) (ships []objectid.ID) {
	g := w.join(name)
	w.run(time.Second)
	for _, m := range g.heard {
		if m, ok := m.(*opcode.ObjectCreateTeam); ok {
			ships = append(ships, m.Object.ObjectID)
		}
	}
	g.leave()
	w.run(time.Second)
	return ships
}

// The Host follows what the program relays, and nothing of a player who has left, whose slot another one may have.
func TestShipsFollowWhatIsRelayed(t *testing.T) {
	var host *join.Host
	var left *join.Member
	w := newWorld(t, join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: objectid.Slots},
		Ships:   stateupdate.Stock(), Message: func(*join.Member, opcode.Message) {},
		Leave: func(m *join.Member, _ transport.EndReason) {
			if left == nil {
				left = m
				_, err := host.AddPlayer("Heir")
				require.NoError(t, err)
			}
		},
	})
	host = w.host
	ann, bob := w.join("Ann"), w.join("Bob")
	for range objectid.Slots - 2 {
		w.addPlayer("Extra")
	}
	ann.launch(0)
	require.Equal(t, objectid.None, w.member(ann.id()).Ship)
	own := creation(t, ann.State().Self, 0)
	host.Relay(w.member(ann.id()), own)
	require.Equal(t, own.Object.ObjectID, w.member(ann.id()).Ship)
	host.Relay(w.member(bob.id()), creation(t, bob.State().Self, 0))
	ann.leave()
	w.run(time.Second)
	require.Equal(t, objectid.None, left.Ship)
	require.Equal(t, left.Slot, host.Members()[slotOf(host, "Heir")].Slot, "no other one is free")
	bob.heard = nil
	for _, m := range host.Members() {
		left.Slot = m.Slot
		host.Relay(left, own)
	}
	w.run(time.Second)
	require.Zero(t, bob.updates(own.Object.ObjectID))

	// A player of the program has a ship like any other, and the others get its updates.
	heir := host.Members()[slotOf(host, "Heir")]
	ship := creation(t, heir.Player, 7)
	host.Relay(heir, ship)
	w.run(time.Second)
	require.Positive(t, bob.updates(ship.Object.ObjectID))
	host.Members()[slotOf(host, "Extra")].Session.Close()
	w.run(time.Second)
	require.Contains(t, w.joinShips("Late"), ship.Object.ObjectID)
	heir.Session.Close()
	w.run(time.Second)
	require.Equal(t, ship.Object.ObjectID, last[*opcode.DestroyObject](bob).ObjectID)
}

// slotOf returns the place of a player among the members.
func slotOf(h *join.Host, name string) int {
	for i, m := range h.Members() {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// Modems and the number of players change how often the updates are sent, as in the game.
func TestShipsAndModems(t *testing.T) {
	for _, c := range []struct {
		host, player bool
		players      int
		updates      int // in 4 s
	}{{false, false, 5, 40}, {false, true, 5, 32}, {false, true, 4, 40}, {true, false, 3, 4}} {
		w := newWorld(t, join.HostOptions{Ships: stateupdate.Stock(), Settings: opcode.Settings{HostModem: c.host}})
		ann, bob := w.join("Ann"), w.join("Bob")
		w.joinShips("Guest") // who has left
		for range c.players - 2 {
			w.join("Extra")
		}
		a := ann.launch(0)
		bob.launch(0)
		if c.player {
			w.host.Relay(w.member(bob.id()), &opcode.NewPlayerInGame{Modem: true})
		}
		bob.updates(a)
		for range 400 {
			w.run(10 * time.Millisecond)
			w.tickAt = w.now // a tick each time
		}
		require.InDelta(t, c.updates, bob.updates(a), 1, "%v", c)
	}
}
