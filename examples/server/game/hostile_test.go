package game

import (
	"fmt"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// A client with another address than those of the protocol harms nobody.
func TestAddressOfIPv6(t *testing.T) {
	w := newWorld(t, options{}, nil)
	g := w.Connect("Ann", "", nil)
	old, addr := w.Order[0], netip.MustParseAddrPort("[2001:db8::1]:22102")
	delete(w.Clients, old)
	w.Clients[addr], w.Order[0] = g, addr
	w.Until(10*time.Second, func() bool { return g.Count(opcode.OpDeletePlayerUI) > 0 })
	bob := w.Join("Bob")
	require.Equal(t, siege.LocalIP, bob.IPs[len(bob.IPs)-1])
}

// Nobody learns where another comes from, except by what that one says.
func TestAddressesStayPrivate(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.Join("Ann")
	bob := w.Connect("Bob", "", nil)
	w.Until(10*time.Second, func() bool { return bob.Count(opcode.OpDeletePlayerUI) > 0 })
	bob.Close()
	w.Run(time.Second)
	require.Len(t, ann.IPs, 3) // of the names, and the Disconnect
	for _, ip := range ann.IPs {
		require.Equal(t, siege.LocalIP, ip)
	}
}

func TestOversize(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	id := uint32(ann.Object(0))
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
	w.Run(10 * time.Second)
	require.Equal(t, 4, dropped(w, "oversize"))
	firing := append(marshal(t, opcode.NewBeamFire(ann.Object(5), ann.PeerID(), compress.Vector3{}, objectid.None)), 0)
	require.NoError(t, ann.Send(firing, transport.Reliable))
	w.Run(time.Second)
	require.Equal(t, 1, dropped(w, "trailing"))
	collision, err := opcode.NewCollisionEffect(ann.Object(0), objectid.None, []compress.Contact{{}}, 1000)
	require.NoError(t, err)
	require.NoError(t, ann.Send(append(marshal(t, collision), 0), transport.Reliable))
	w.Run(time.Second)
	require.Equal(t, 2, dropped(w, "trailing"), "also of messages that are not relayed")
	require.Empty(t, bob.Heard)
	require.Empty(t, cat.Heard)
}

// Five players who send all that they may, and more, do not drive out the others, and do not
// keep the ships of those from them.
func TestFloodOfPlayers(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	ann.Launch("akira", 0)
	bob.Launch("akira", 0)
	var eves []*guest
	for i := range 5 {
		eves = append(eves, w.Join(fmt.Sprint("Eve ", i)))
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
			shot := marshal(t, &opcode.TorpedoFire{TubeID: eve.Object(9), Flags: opcode.TorpedoNoTarget})
			for range 6 {
				_ = eve.Send(shot, transport.Reliable)
			}
		}
		w.Run(100 * time.Millisecond)
	}
	require.Nil(t, ann.Ended)
	require.Nil(t, bob.Ended)
	require.Positive(t, dropped(w, "rate"))
	newest := ann.Updates[len(ann.Updates)-1].GameTime
	require.Less(t, float32(w.match.GameTime().Seconds())-newest, float32(2))
	t.Logf("%d lines of chat and %d shots in a minute", ann.Count(opcode.OpChatMessage), ann.Count(opcode.OpTorpedoFire))
}

// Updates have a limit of their own, and before the game the limit of all.
func TestFloodOfUpdates(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	for range 500 {
		ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(0), GameTime: 5})
	}
	w.Run(5 * time.Second)
	require.GreaterOrEqual(t, dropped(w, "rate"), 200)
	require.Nil(t, ann.Ended)
}

// A player speaks of the collisions of its own ship, and only who is there is to blame.
func TestForgedCollisions(t *testing.T) {
	w, ann, bob, _ := three(t, options{collisions: true, fragLimit: 3})
	collide := func(who *guest, ship, other *guest, index int) {
		hit, err := opcode.NewCollisionEffect(ship.Object(index), other.Object(index), nil, 1e9)
		require.NoError(t, err)
		who.Say(hit)
		w.Run(time.Second)
	}
	collide(ann, bob, ann, 0)
	collide(ann, ann, bob, 77)
	require.Equal(t, 2, dropped(w, "forged"))
	require.NotNil(t, w.seat(bob.Slot).ship)

	bob.Tell(&opcode.StateUpdate{ObjectID: bob.Object(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{contactRange + 1}})
	w.Run(time.Second)
	collide(ann, ann, bob, 0)
	require.Equal(t, &opcode.ScoreChange{VictimID: 2, VictimDeaths: 1}, last[*opcode.ScoreChange](bob))
}

// Ships in place of others leave no ghosts, and come slowly.
func TestFloodOfShips(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	for i := range 30 {
		ann.Launch("akira", 100+i*100)
	}
	w.Run(5 * time.Second)
	const shipBurst = 3
	require.Equal(t, shipBurst-1, bob.Count(opcode.OpObjectCreateTeam), "the first ship was one")
	require.Equal(t, shipBurst-1, bob.Count(opcode.OpDestroyObject))
	require.Equal(t, 30-(shipBurst-1), dropped(w, "rate"))
}

// A creation that is none leaves the ship as it was.
func TestBadCreations(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	nan := float32(math.NaN())
	object := opcode.Object{ClassID: opcode.ObjectShip, ObjectID: ann.Object(50), Species: 222, Position: [3]float32{nan, nan, nan}}
	ann.Say(&opcode.ObjectCreateTeam{OwnerSlot: ann.Slot, NetPlayerID: ann.PeerID(), Object: object})
	ann.Say(&opcode.ObjectCreateTeam{OwnerSlot: ann.Slot, NetPlayerID: ann.PeerID(), Object: opcode.Object{ClassID: 5, ObjectID: ann.Object(51)}})
	ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{7}})
	w.Run(time.Second)
	require.Empty(t, bob.Heard)
	require.Equal(t, 1, dropped(w, "invalid"))
	require.Equal(t, 1, dropped(w, "forged"), "it is not a ship")
	require.Equal(t, [3]float32{7}, w.seat(0).ship.Position)
	require.Equal(t, stateupdate.Stock().Named("akira"), w.seat(0).ship.Class)
}
