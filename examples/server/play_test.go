package main

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// three returns a match with three players, the first two with a ship.
func three(t *testing.T, o options) (w *world, ann, bob, cat *guest) {
	w = newWorld(t, o, nil)
	ann, bob, cat = w.join("Ann"), w.join("Bob"), w.join("Cat")
	ann.launch("akira", 0)
	bob.launch("birdofprey", 0)
	w.run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		g.heard, g.updates = nil, nil
	}
	return w, ann, bob, cat
}

// dropped returns how many messages the match has dropped for a reason.
func dropped(w *world, reason string) int {
	return int(testutil.ToFloat64(w.match.stats.drops.WithLabelValues(reason)))
}

func TestForwarded(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	torpedo := &opcode.TorpedoFire{TubeID: ann.id(9), PlayerID: 2, Flags: opcode.TorpedoLaunched, TargetID: bob.id(0)}
	ann.say(torpedo)
	ann.say(opcode.NewStartFiring(ann.id(5), bob.id(0)))
	w.run(time.Second)
	require.Empty(t, ann.heard)
	for _, g := range []*guest{bob, cat} {
		require.Equal(t, marshal(t, torpedo), marshal(t, g.heard[0]))
		require.Equal(t, opcode.OpStartFiring, g.heard[1].Opcode())
		require.Len(t, g.heard, 2)
	}
}

// A line of the host is cut where the game's ends, not within a character, and loses
// nothing but what the game cannot show.
func TestLineOfTheHost(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	w.match.command("say " + strings.Repeat("é", 300))
	w.run(time.Second)
	require.Equal(t, strings.Repeat("é", opcode.MaxChat), last[*opcode.ChatMessage](ann).Text.String())
	require.Equal(t, "caf\u00e9 ", text("café 日本").String())
}

func TestChatReachesAll(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	bob.say(&opcode.ChatMessage{SenderID: bob.PeerID(), Text: stream.Text("hello")})
	bob.say(&opcode.TeamChatMessage{SenderID: bob.PeerID(), Text: stream.Text("team")})
	w.match.command("say from the host €")
	w.run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		require.Len(t, g.heard, 3, g.name)
		require.Equal(t, 2, g.count(opcode.OpChatMessage))
		require.Equal(t, 1, g.count(opcode.OpTeamChatMessage))
	}
}

// What is not the sender's to say goes nowhere.
func TestForged(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	object, err := stateupdate.NewShip(bob.id(7), stateupdate.Stock().Named("akira")).Object()
	require.NoError(t, err)
	forged := []opcode.Message{
		&opcode.ChatMessage{SenderID: bob.PeerID(), Text: stream.Text("I am Bob")},
		&opcode.TeamChatMessage{SenderID: 1},
		&opcode.TeamMessage{PlayerID: bob.PeerID()},
		&opcode.TorpedoFire{TubeID: bob.id(9), Flags: opcode.TorpedoNoTarget},
		&opcode.BeamFire{WeaponID: objectid.None},
		opcode.NewStartFiring(bob.id(5), ann.id(0)),
		&opcode.CollisionEffect{Event: opcode.Event{Class: opcode.ClassCollisionEvent, Source: bob.id(0), Dest: bob.id(0)}},
		&opcode.ObjectCreateTeam{OwnerSlot: bob.slot, NetPlayerID: ann.PeerID(), Object: object},
		&opcode.StateUpdate{ObjectID: bob.id(0)},
		&opcode.StateUpdate{ObjectID: ann.id(0), Flags: opcode.StateSubsystems, Data: []byte{255}},
	}
	for _, m := range forged {
		ann.say(m)
	}
	w.run(time.Second)
	require.Equal(t, len(forged), dropped(w, "forged"))
	for _, g := range []*guest{ann, bob, cat} {
		require.Empty(t, g.heard, g.name)
	}
}

// What only a host sends, or nobody, is not taken either; nor is what cannot be read.
func TestNotForClients(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	ann.say(&opcode.DestroyObject{ObjectID: bob.id(0)})
	ann.say(&opcode.EndGame{})
	ann.say(&opcode.Unknown{Op: 0x77, Data: []byte{1}})
	for _, payload := range [][]byte{{byte(opcode.OpTorpedoFire), 1}, {}} {
		require.NoError(t, ann.Send(payload, transport.Reliable))
	}
	w.run(time.Second)
	require.Equal(t, 2, dropped(w, "direction"))
	require.Equal(t, 1, dropped(w, "unknown"))
	require.Equal(t, 1, dropped(w, "malformed"))
	require.Equal(t, 1, dropped(w, "empty"))
	require.Empty(t, bob.heard)
	require.False(t, w.match.ended)
}

func TestFloodOfMessages(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	for range 900 {
		ann.say(&opcode.TorpedoFire{TubeID: ann.id(9), Flags: opcode.TorpedoNoTarget})
	}
	w.run(20 * time.Second)
	require.Greater(t, dropped(w, "rate"), 100)
	require.Equal(t, 900, dropped(w, "rate")+bob.count(opcode.OpTorpedoFire))
	require.Nil(t, ann.ended)
	require.Nil(t, bob.ended)
}

func TestRequestedShip(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	cat.say(&opcode.RequestObject{ObjectID: ann.id(0)})
	cat.say(&opcode.RequestObject{ObjectID: 77})
	w.run(time.Second)
	require.Equal(t, 1, len(cat.heard))
	require.Equal(t, ann.id(0), last[*opcode.ObjectCreateTeam](cat).ObjectID)
	require.Empty(t, bob.heard)
}

// A new ship is told to the others, and its owner is asked whether it has it.
func TestLaunch(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	ann.launch("galaxy", 100)
	ann.launch("galaxy", 100) // again
	w.run(time.Second)
	require.Equal(t, ann.id(100), last[*opcode.ObjectNotFound](ann).ObjectID)
	require.Len(t, ann.heard, 1)
	require.Equal(t, 1, dropped(w, "repeated ship"))
	for _, g := range []*guest{bob, cat} {
		require.Len(t, g.heard, 2)
		require.Equal(t, &opcode.DestroyObject{ObjectID: ann.id(0)}, g.heard[0])
		require.Equal(t, opcode.SpeciesGalaxy, last[*opcode.ObjectCreateTeam](g).Species)
	}
	for range w.match.updates.ShipUpdates(w.match.gameTime()+1, ann.id(0)) {
		require.Fail(t, "an update of the ship that was replaced")
	}
}

// The owner of a ship hears of its subsystems, the others of its motion, too, and with
// power settings.
func TestUpdates(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	ann.tell(&opcode.StateUpdate{
		ObjectID: ann.id(0), GameTime: 10, Flags: opcode.StatePosition | opcode.StateSpeed | opcode.StatePower,
		Position: [3]float32{1, 2, 3}, Power: []opcode.PowerEntry{{Index: 1, Value: 102}},
	})
	w.run(3 * time.Second)
	for _, m := range ann.updates {
		if m.ObjectID == ann.id(0) {
			require.Equal(t, opcode.StateSubsystems, m.Flags)
		}
	}
	require.InDelta(t, 2*30, len(ann.updates), 4)
	require.Empty(t, cat.updates, "a player without a ship gets no updates")
	for _, g := range []*guest{bob} {
		pictures := stateupdate.Tracker{}
		ship := stateupdate.NewShip(ann.id(0), stateupdate.Stock().Named("akira"))
		object, err := ship.Object()
		require.NoError(t, err)
		_, err = pictures.Apply(&opcode.ObjectCreate{Object: object})
		require.NoError(t, err)
		for _, m := range g.updates {
			if m.ObjectID == ann.id(0) {
				_, err := pictures.Apply(&m)
				require.NoError(t, err)
			}
		}
		picture := pictures.Ship(ann.id(0))
		require.Equal(t, [3]float32{1, 2, 3}, picture.Position)
		require.Equal(t, uint8(50), picture.FirstOf(stateupdate.KindShield).Power.Percent())
		require.Equal(t, uint8(100), picture.FirstOf(stateupdate.KindSensor).Power.Percent())
	}
}

func TestStateThatIsNoState(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	nan := float32(0)
	nan /= nan
	ann.tell(&opcode.StateUpdate{ObjectID: ann.id(0), GameTime: nan})
	ann.tell(&opcode.StateUpdate{ObjectID: ann.id(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{nan}})
	w.run(time.Second)
	require.Equal(t, 2, dropped(w, "state"))
}

// A client of OpenBC signs its chat with its slot. The line is relayed with the peer ID, and
// nobody can speak for another player that way.
func TestChatOfOpenBC(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	speak := func(sender objectid.PeerID) {
		ann.say(&opcode.ChatMessage{SenderID: sender, Text: stream.Text("hello")})
		ann.say(&opcode.TeamChatMessage{SenderID: sender, Text: stream.Text("team")})
		w.run(time.Second)
	}
	speak(objectid.PeerID(ann.slot))
	require.Equal(t, 2, dropped(w, "forged"), "a client of the game signs with its peer ID")
	openBCAck := transport.Packet{PeerID: ann.PeerID(), Messages: []transport.Message{
		transport.NewMessage(0, &transport.Ack{Flags: 0x80}),
	}}
	b, err := openBCAck.MarshalBinary()
	require.NoError(t, err)
	w.match.hub.Receive(w.now, ann.w.order[0], b)
	speak(objectid.PeerID(ann.slot))
	require.EqualValues(t, ann.PeerID(), last[*opcode.ChatMessage](bob).SenderID)
	require.Equal(t, "hello", last[*opcode.ChatMessage](bob).Text.String())
	require.EqualValues(t, ann.PeerID(), last[*opcode.TeamChatMessage](bob).SenderID)
	speak(ann.PeerID())
	require.Equal(t, 2, bob.count(opcode.OpChatMessage))
	speak(objectid.PeerID(bob.slot))
	speak(bob.PeerID())
	require.Equal(t, 2+4, dropped(w, "forged"))
	require.Equal(t, 2, bob.count(opcode.OpChatMessage))
}
