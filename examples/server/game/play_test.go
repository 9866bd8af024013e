package game

import (
	"strings"
	"testing"
	"time"

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
	ann, bob, cat = w.Join("Ann"), w.Join("Bob"), w.Join("Cat")
	ann.Launch("akira", 0)
	bob.Launch("birdofprey", 0)
	w.Run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		g.Heard, g.Updates = nil, nil
	}
	return w, ann, bob, cat
}

func TestForwarded(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	torpedo := &opcode.TorpedoFire{TubeID: ann.Object(9), PlayerID: 2, Flags: opcode.TorpedoLaunched, TargetID: bob.Object(0)}
	ann.Say(torpedo)
	ann.Say(opcode.NewStartFiring(ann.Object(5), bob.Object(0)))
	w.Run(time.Second)
	require.Empty(t, ann.Heard)
	for _, g := range []*guest{bob, cat} {
		require.Equal(t, marshal(t, torpedo), marshal(t, g.Heard[0]))
		require.Equal(t, opcode.OpStartFiring, g.Heard[1].Opcode())
		require.Len(t, g.Heard, 2)
	}
}

// A line of the host is cut where the game's ends, not within a character, and loses
// nothing but what the game cannot show.
func TestLineOfTheHost(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	w.match.Command("say " + strings.Repeat("é", 300))
	w.Run(time.Second)
	require.Equal(t, strings.Repeat("é", opcode.MaxChat), last[*opcode.ChatMessage](ann).Text.String())
	w.match.Command("say café 日本")
	w.Run(time.Second)
	require.Equal(t, "café ??", last[*opcode.ChatMessage](ann).Text.String())
}

func TestChatReachesAll(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	bob.Say(&opcode.ChatMessage{SenderID: bob.PeerID(), Text: stream.Text("hello")})
	bob.Say(&opcode.TeamChatMessage{SenderID: bob.PeerID(), Text: stream.Text("team")})
	w.match.Command("say from the host €")
	w.Run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		require.Len(t, g.Heard, 3, g.Name)
		require.Equal(t, 2, g.Count(opcode.OpChatMessage))
		require.Equal(t, 1, g.Count(opcode.OpTeamChatMessage))
	}
}

// What is not the sender's to say goes nowhere.
func TestForged(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	object, err := stateupdate.NewShip(bob.Object(7), stateupdate.Stock().Named("akira")).Object()
	require.NoError(t, err)
	forged := []opcode.Message{
		&opcode.TeamMessage{PlayerID: bob.PeerID()},
		&opcode.TorpedoFire{TubeID: bob.Object(9), Flags: opcode.TorpedoNoTarget},
		&opcode.BeamFire{WeaponID: objectid.None},
		opcode.NewStartFiring(bob.Object(5), ann.Object(0)),
		&opcode.CollisionEffect{Event: opcode.Event{Class: opcode.ClassCollisionEvent, Source: bob.Object(0), Dest: bob.Object(0)}},
		&opcode.ObjectCreateTeam{OwnerSlot: bob.Slot, NetPlayerID: ann.PeerID(), Object: object},
		&opcode.StateUpdate{ObjectID: bob.Object(0)},
		&opcode.StateUpdate{ObjectID: ann.Object(0), Flags: opcode.StateSubsystems, Data: []byte{255}},
	}
	for _, m := range forged {
		ann.Say(m)
	}
	w.Run(time.Second)
	require.Equal(t, len(forged), dropped(w, "forged"))
	for _, g := range []*guest{ann, bob, cat} {
		require.Empty(t, g.Heard, g.Name)
	}
}

// What only a host sends, or nobody, is not taken either; nor is what cannot be read.
func TestNotForClients(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	ann.Say(&opcode.DestroyObject{ObjectID: bob.Object(0)})
	ann.Say(&opcode.EndGame{})
	ann.Say(&opcode.Unknown{Op: 0x77, Data: []byte{1}})
	for _, payload := range [][]byte{{byte(opcode.OpTorpedoFire), 1}, {}} {
		require.NoError(t, ann.Send(payload, transport.Reliable))
	}
	w.Run(time.Second)
	require.Equal(t, 2, dropped(w, "direction"))
	require.Equal(t, 1, dropped(w, "unknown"))
	require.Equal(t, 1, dropped(w, "malformed"))
	require.Equal(t, 1, dropped(w, "empty"))
	require.Empty(t, bob.Heard)
	require.False(t, w.match.ended)
}

func TestFloodOfMessages(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	for range 900 {
		ann.Say(&opcode.TorpedoFire{TubeID: ann.Object(9), Flags: opcode.TorpedoNoTarget})
	}
	w.Run(20 * time.Second)
	require.Greater(t, dropped(w, "rate"), 100)
	require.Equal(t, 900, dropped(w, "rate")+bob.Count(opcode.OpTorpedoFire))
	require.Nil(t, ann.Ended)
	require.Nil(t, bob.Ended)
}

func TestRequestedShip(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	cat.Say(&opcode.RequestObject{ObjectID: ann.Object(0)})
	cat.Say(&opcode.RequestObject{ObjectID: 77})
	w.Run(time.Second)
	require.Equal(t, 1, len(cat.Heard))
	require.Equal(t, ann.Object(0), last[*opcode.ObjectCreateTeam](cat).ObjectID)
	require.Empty(t, bob.Heard)
}

// A new ship is told to the others, and its owner is asked whether it has it.
func TestLaunch(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	ann.Launch("galaxy", 100)
	ann.Launch("galaxy", 100) // again
	w.Run(time.Second)
	require.Equal(t, ann.Object(100), last[*opcode.ObjectNotFound](ann).ObjectID)
	require.Len(t, ann.Heard, 1)
	require.Equal(t, 1, dropped(w, "repeated ship"))
	for _, g := range []*guest{bob, cat} {
		require.Len(t, g.Heard, 2)
		require.Equal(t, &opcode.DestroyObject{ObjectID: ann.Object(0)}, g.Heard[0])
		require.Equal(t, opcode.SpeciesGalaxy, last[*opcode.ObjectCreateTeam](g).Species)
	}
	updates, err := w.match.updates.Restart(w.match.GameTime()+time.Second, ann.Object(0))
	require.NoError(t, err)
	require.Empty(t, updates, "of the ship that was replaced")
}

// The owner of a ship hears of its subsystems, the others of its motion, too, and with
// power settings.
func TestUpdates(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	ann.Tell(&opcode.StateUpdate{
		ObjectID: ann.Object(0), GameTime: 10, Flags: opcode.StatePosition | opcode.StateSpeed | opcode.StatePower,
		Position: [3]float32{1, 2, 3}, Power: []opcode.PowerEntry{{Index: 1, Value: 102}},
	})
	w.Run(3 * time.Second)
	for _, m := range ann.Updates {
		if m.ObjectID == ann.Object(0) {
			require.Equal(t, opcode.StateSubsystems, m.Flags)
		}
	}
	require.InDelta(t, 2*30, len(ann.Updates), 4)
	require.Empty(t, cat.Updates, "a player without a ship gets no updates")
	for _, g := range []*guest{bob} {
		pictures := stateupdate.Tracker{}
		ship := stateupdate.NewShip(ann.Object(0), stateupdate.Stock().Named("akira"))
		object, err := ship.Object()
		require.NoError(t, err)
		_, err = pictures.Apply(&opcode.ObjectCreate{Object: object})
		require.NoError(t, err)
		for _, m := range g.Updates {
			if m.ObjectID == ann.Object(0) {
				_, err := pictures.Apply(&m)
				require.NoError(t, err)
			}
		}
		picture := pictures.Ship(ann.Object(0))
		require.Equal(t, [3]float32{1, 2, 3}, picture.Position)
		require.Equal(t, uint8(50), picture.FirstOf(stateupdate.KindShield).Power.Percent())
		require.Equal(t, uint8(100), picture.FirstOf(stateupdate.KindSensor).Power.Percent())
	}
}

func TestStateThatIsNoState(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	nan := float32(0)
	nan /= nan
	ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(0), GameTime: nan})
	ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(0), GameTime: 5, Flags: opcode.StatePosition, Position: [3]float32{nan}})
	w.Run(time.Second)
	require.Equal(t, 2, dropped(w, "invalid"))
}

// A client of OpenBC signs its chat with its slot. The line is relayed with the peer ID, and
// nobody can speak for another player that way.
func TestChatOfOpenBC(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	speak := func(sender objectid.PeerID) {
		ann.Say(&opcode.ChatMessage{SenderID: sender, Text: stream.Text("hello")})
		ann.Say(&opcode.TeamChatMessage{SenderID: sender, Text: stream.Text("team")})
		w.Run(time.Second)
	}
	for i, sender := range []objectid.PeerID{objectid.PeerID(ann.Slot), ann.PeerID(), objectid.PeerID(bob.Slot), bob.PeerID(), 0, objectid.NoPeer} {
		speak(sender)
		require.Equal(t, &opcode.ChatMessage{SenderID: ann.PeerID(), Text: stream.Text("hello")}, last[*opcode.ChatMessage](bob))
		require.Equal(t, ann.PeerID(), last[*opcode.TeamChatMessage](bob).SenderID)
		require.Equal(t, i+1, bob.Count(opcode.OpChatMessage))
	}
}
