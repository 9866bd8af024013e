package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// logTo returns what the match logs from now on, all of it.
func logTo(w *world) *bytes.Buffer {
	var b bytes.Buffer
	w.match.log = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return &b
}

// A client with another address than those of the protocol harms nobody.
func TestAddressOfIPv6(t *testing.T) {
	w := newWorld(t, options{}, nil)
	g := w.connect("Ann", "", nil)
	old, addr := w.order[0], netip.MustParseAddrPort("[2001:db8::1]:22102")
	delete(w.clients, old)
	w.clients[addr], w.order[0] = g, addr
	w.until(10*time.Second, func() bool { return g.count(opcode.OpDeletePlayerUI) > 0 })
	require.Equal(t, localIP, w.match.named("Ann").ip)
}

// Nobody learns where another comes from, except by what that one says.
func TestAddressesStayPrivate(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.join("Ann")
	bob := w.connect("Bob", "", nil)
	w.until(10*time.Second, func() bool { return bob.count(opcode.OpDeletePlayerUI) > 0 })
	bob.Close()
	w.run(time.Second)
	require.Len(t, ann.ips, 3) // of the names, and the Disconnect
	for _, ip := range ann.ips {
		require.Equal(t, localIP, ip)
	}
}

func TestOversize(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	id := uint32(ann.id(0))
	event := []byte{byte(opcode.OpClientEvent), 0x99, 0x99, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	team := marshal(t, &opcode.TeamMessage{PlayerID: ann.PeerID()})
	for _, payload := range [][]byte{
		append(event, make([]byte, 100_000)...),
		append(event, make([]byte, transport.MaxUnfragmentedPayload+1-len(event))...),
		append(team, 0),
		marshal(t, &opcode.ChatMessage{SenderID: ann.PeerID(), Text: make(stream.Text, opcode.MaxChat+1)}),
	} {
		require.NoError(t, ann.Send(payload, transport.Reliable))
	}
	w.run(10 * time.Second)
	require.Equal(t, 4, dropped(w, "oversize"))
	firing := append(marshal(t, opcode.NewBeamFire(ann.id(5), ann.PeerID(), compress.Vector3{}, objectid.None)), 0)
	require.NoError(t, ann.Send(firing, transport.Reliable))
	w.run(time.Second)
	require.Equal(t, 1, dropped(w, "trailing"))
	collision, err := opcode.NewCollisionEffect(ann.id(0), objectid.None, []compress.Contact{{}}, 1000)
	require.NoError(t, err)
	require.NoError(t, ann.Send(append(marshal(t, collision), 0), transport.Reliable))
	w.run(time.Second)
	require.Equal(t, 2, dropped(w, "trailing"), "also of messages that are not relayed")
	require.Empty(t, bob.heard)
	require.Empty(t, cat.heard)
}

// Five players who send all that they may, and more, do not drive out the others, and do not
// keep the ships of those from them.
func TestFloodOfPlayers(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.join("Ann"), w.join("Bob")
	ann.launch("akira", 0)
	bob.launch("akira", 0)
	var eves []*guest
	for i := range 5 {
		eves = append(eves, w.join(fmt.Sprint("Eve ", i)))
	}
	long := make(stream.Text, opcode.MaxChat)
	for i := range long {
		long[i] = 'x'
	}
	for _, eve := range eves { // the longest first
		for range 100 {
			require.NoError(t, eve.Send(marshal(t, eventOf(eve, (transport.MaxUnfragmentedPayload-22)/4)), transport.Reliable))
		}
	}
	for range 600 { // a minute
		for _, eve := range eves {
			chat := marshal(t, &opcode.ChatMessage{SenderID: eve.PeerID(), Text: long})
			_ = eve.Send(chat, transport.Reliable)
			shot := marshal(t, &opcode.TorpedoFire{TubeID: eve.id(9), Flags: opcode.TorpedoNoTarget})
			for range 6 {
				_ = eve.Send(shot, transport.Reliable)
			}
		}
		w.run(100 * time.Millisecond)
	}
	require.Nil(t, ann.ended)
	require.Nil(t, bob.ended)
	require.Positive(t, dropped(w, "rate"))
	newest := ann.updates[len(ann.updates)-1].GameTime
	require.Less(t, w.match.gameTime()-newest, float32(2))
	t.Logf("%d lines of chat and %d shots in a minute", ann.count(opcode.OpChatMessage), ann.count(opcode.OpTorpedoFire))
}

// Updates have a limit of their own, and before the game the limit of all.
func TestFloodOfUpdates(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	for range 500 {
		ann.tell(&opcode.StateUpdate{ObjectID: ann.id(0), GameTime: 5})
	}
	w.run(5 * time.Second)
	require.GreaterOrEqual(t, dropped(w, "rate"), 200)
	require.Nil(t, ann.ended)
}

// A player speaks of the collisions of its own ship, and only who is there is to blame.
func TestForgedCollisions(t *testing.T) {
	w, ann, bob, _ := three(t, options{collisions: true, fragLimit: 3})
	collide := func(who *guest, ship, other *guest, index int) {
		hit, err := opcode.NewCollisionEffect(ship.id(index), other.id(index), nil, 1e9)
		require.NoError(t, err)
		who.say(hit)
		w.run(time.Second)
	}
	collide(ann, bob, ann, 0)
	collide(ann, ann, bob, 77)
	require.Equal(t, 2, dropped(w, "forged"))
	require.NotNil(t, w.match.slots[bob.slot].ship)

	bob.tell(&opcode.StateUpdate{ObjectID: bob.id(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{contactRange + 1}})
	w.run(time.Second)
	collide(ann, ann, bob, 0)
	require.Equal(t, &opcode.ScoreChange{VictimID: 2, VictimDeaths: 1}, last[*opcode.ScoreChange](bob))
}

// Ships in place of others leave no ghosts, and come slowly.
func TestFloodOfShips(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	for i := range 30 {
		ann.launch("akira", 100+i*100)
	}
	w.run(5 * time.Second)
	shipBurst := w.match.slots[ann.slot].limits.ships.Burst()
	require.Equal(t, shipBurst-1, bob.count(opcode.OpObjectCreateTeam), "the first ship was one")
	require.Equal(t, shipBurst-1, bob.count(opcode.OpDestroyObject))
	require.Equal(t, 30-(shipBurst-1), dropped(w, "rate"))
}

// A creation that is none leaves the ship as it was.
func TestBadCreations(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	nan := float32(math.NaN())
	object := opcode.Object{ClassID: opcode.ObjectShip, ObjectID: ann.id(50), Species: 222, Position: [3]float32{nan, nan, nan}}
	ann.say(&opcode.ObjectCreateTeam{OwnerSlot: ann.slot, NetPlayerID: ann.PeerID(), Object: object})
	ann.say(&opcode.ObjectCreateTeam{OwnerSlot: ann.slot, NetPlayerID: ann.PeerID(), Object: opcode.Object{ClassID: 5, ObjectID: ann.id(51)}})
	ann.tell(&opcode.StateUpdate{ObjectID: ann.id(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{7}})
	w.run(time.Second)
	require.Empty(t, bob.heard)
	require.Equal(t, 1, dropped(w, "malformed"))
	require.Equal(t, 1, dropped(w, "forged"), "it is not a ship")
	require.Equal(t, [3]float32{7}, w.match.slots[0].ship.Position)
	require.Equal(t, stateupdate.Stock().Named("akira"), w.match.slots[0].ship.Class)
}
