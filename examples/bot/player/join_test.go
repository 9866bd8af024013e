package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// A join as captured, with the probes of our host: the order of the messages, how they are delivered, and the sequence
// numbers of each channel.
func TestJoinTranscript(t *testing.T) {
	l := newLink(t, Options{Name: "Ann", Ship: akira()}, hosttest.Options{})
	l.join()
	l.waitUntil("first update", time.Second, func() bool { return len(l.host.Last().Updates) > 0 })
	require.Equal(t, []string{
		"client -1: Connect 0!",
		"host 1: Ack system 0, Connect 0!, probe, probe, probe, probe, probe, ChecksumRequest 0",
		"client 2: Ack system 0, Ack 49728, Ack 49729, Ack 49730, Ack 49731, Ack 49732, Ack 0, NameChange 1!, ChecksumResponse 0",
		"host 1: Ack system 1, Ack 0, NameChange 1!, ChecksumRequest 1",
		"client 2: Ack system 1, Ack 1, ChecksumResponse 1",
		"host 1: Ack 1, ChecksumRequest 2",
		"client 2: Ack 2, part 0 of 2",
		"client 2: part 1 of 2, part 2 of 2",
		"host 1: Ack 2.0, Ack 2.1, Ack 2.2, ChecksumRequest 3",
		"client 2: Ack 3, ChecksumResponse 3",
		"host 1: Ack 3, ChecksumRequest 4",
		"client 2: Ack 4, ChecksumResponse 4",
		"host 1: Ack 4, ChecksumComplete 5, Settings 6, GameInit 7",
		"client 2: Ack 5, Ack 6, Ack 7, NewPlayerInGame 5",
		"host 1: Ack 5, MissionInit 8, DeletePlayerUI 9",
		"client 2: Ack 8, Ack 9",
		"client 2: ObjectCreateTeam 6, StateUpdate",
	}, l.wire)
	l.player.Leave()
	require.Equal(t, ErrLeft, l.ended())
	require.Contains(t, l.wire, "client 2: Disconnect 2!")
	require.Equal(t, "Ann", l.host.Last().Name)
}

// The first ship: its slot, its owner, its IDs, and the form of its first update.
func TestFirstShip(t *testing.T) {
	settings := &opcode.Settings{GameTime: 23.5, PlayerSlot: 3, Map: stream.Text(hosttest.Map)}
	l := newLink(t, Options{Name: "Ann", Ship: stateupdate.Stock().Named("sovereign")}, hosttest.Options{Settings: settings})
	c := l.join()
	l.waitUntil("second update", time.Second, func() bool { return len(c.Updates) > 1 })

	create, ok := c.Got[len(c.Got)-1].(*opcode.ObjectCreateTeam)
	require.True(t, ok)
	base, _ := objectid.Base(3)
	require.Equal(t, base, create.ObjectID)
	require.EqualValues(t, 3, create.OwnerSlot)
	require.EqualValues(t, 2, create.NetPlayerID)
	require.Equal(t, "Ann", create.PlayerName.String())
	require.Equal(t, "Multi1", create.SetName.String())
	require.NoError(t, opcode.Validate(create))

	first, second := c.Updates[0], c.Updates[1]
	require.Equal(t, base, first.ObjectID)
	require.Equal(t, opcode.StateFlags(0x9D), first.Flags)
	require.False(t, first.HasHash)
	require.Equal(t, create.Position, first.Position)
	require.InDelta(t, 23.5+1, first.GameTime, 0.2, "the clock continues the clock of the host")
	require.InDelta(t, 0.1, second.GameTime-first.GameTime, 0.01)
	require.Len(t, first.Power, 3)
}

// A player reports its progress in the order of the join.
func TestJoinReports(t *testing.T) {
	l := newLink(t, Options{Name: "Ann", Ship: akira(), Say: "hello"}, hosttest.Options{})
	l.join()
	l.advance(100 * time.Millisecond)
	require.Equal(t, []string{
		"accepted as player 2 in slot 0 of Multiplayer.Episode.Mission1.Mission1",
		"plays in Multi1, at most 8 players",
		"Ann has Akira 0x3fffffff",
		"Ann: hello",
	}, l.reports(""))
	require.Empty(t, l.player.Peers())
}

// OpenBC sends scores and ships with GameInit, and MissionInit and the players after
// NewPlayerInGame, with one DeletePlayerUI for each player.
func TestJoinOpenBC(t *testing.T) {
	other := otherShip(t, 3, 1)
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{
		AfterInit: []opcode.Message{
			&opcode.Score{PlayerID: 2}, &opcode.Score{PlayerID: 3, Kills: 2, Deaths: 1, Score: 2500}, other,
		},
		Ready: []opcode.Message{
			hosttest.Mission(), opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(2), opcode.NewPlayerJoined(2),
		},
	})
	l.join()
	require.Equal(t, map[objectid.PeerID]string{3: "Ben"}, l.player.Peers())
	for owner, ship := range l.player.Ships() {
		require.Equal(t, objectid.PeerID(3), owner)
		require.Equal(t, other.ObjectID, ship.ID)
	}
	require.Equal(t, []string{
		"accepted as player 2 in slot 0 of Multiplayer.Episode.Mission1.Mission1",
		"Ben is in the game",
		"Ben has 2 kills, 1 deaths, 2500 points",
		"Ben has Galaxy 0x4003ffff",
		"plays in Multi1, at most 8 players",
		"Bot has Akira 0x3fffffff",
	}, l.reports(""))
}

// A player also has a ship without MissionInit, which some mods do not send.
func TestJoinWithoutMission(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{Ready: []opcode.Message{opcode.NewPlayerJoined(2)}})
	l.waitUntil("a ship", 10*time.Second, func() bool { return l.player.State() == InGame })
	require.Equal(t, "Multi1", l.player.Ship().SetName)
}

// A player without a ship can talk.
func TestJoinWithoutShip(t *testing.T) {
	l := newLink(t, Options{Say: "hello"}, hosttest.Options{})
	c := l.join()
	l.advance(10 * time.Second)
	require.Equal(t, Joined, l.player.State())
	require.Nil(t, l.player.Ship())
	require.Equal(t, []string{"Bot: hello"}, l.reports(": "))
	require.Empty(t, c.Updates)
}

// A player joins although a third of all datagrams is lost.
func TestJoinThroughLoss(t *testing.T) {
	for seed := range uint64(20) {
		l := newLink(t, Options{Ship: akira(), Seed: seed, Say: "hello"}, hosttest.Options{})
		l.loss = 0.33
		c := l.join()
		l.waitUntil("chat", time.Minute, func() bool { return len(l.reports("Bot: hello")) > 0 })
		l.player.Leave()
		require.Equal(t, ErrLeft, l.ended())
		l.waitUntil("gone", time.Minute, func() bool { return c.Ended })
	}
}

// otherShip returns the ship of another player, "Ben".
func otherShip(t testing.TB, id objectid.PeerID, slot objectid.Slot) *opcode.ObjectCreateTeam {
	base, _ := objectid.Base(slot)
	ship := stateupdate.NewShip(base, stateupdate.Stock().Named("galaxy"))
	ship.PlayerName, ship.SetName, ship.Position = "Ben", "Multi1", [3]float32{10, 20, 30}
	object, err := ship.Object()
	require.NoError(t, err)
	return &opcode.ObjectCreateTeam{OwnerSlot: slot, NetPlayerID: id, Object: object}
}
