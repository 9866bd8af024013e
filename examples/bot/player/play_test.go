package player

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// last returns the last message of a type that a client has sent.
func last[M opcode.Message](c *hosttest.Client) (m M, n int) {
	for _, got := range c.Got {
		if got, ok := got.(M); ok {
			m = got
			n++
		}
	}
	return m, n
}

// exploding returns the explosion of a ship that a player has destroyed.
func exploding(t testing.TB, ship objectid.ID, killer objectid.PeerID) opcode.Message {
	m, err := opcode.NewObjectExploding(ship, objectid.None, killer, 9.5)
	require.NoError(t, err)
	return m
}

// A player who dies chooses another ship, whose IDs are new.
func TestDeath(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	c := l.join()
	first := l.player.Ship().ID
	l.hostSends(otherShip(t, 3, 1))
	l.reports("")

	l.hostSends(exploding(t, first, 3))
	require.Equal(t, Joined, l.player.State())
	require.Nil(t, l.player.Ship())
	require.Equal(t, []string{"Bot loses 0x3fffffff to Ben"}, l.reports(""))

	l.waitUntil("another ship", 2*time.Second, func() bool { return l.player.State() == InGame })
	l.advance(time.Second)
	second, n := last[*opcode.ObjectCreateTeam](c)
	require.Equal(t, 2, n)
	require.Equal(t, first+1+31, second.ObjectID, "an Akira and its parts have 32 IDs")
	require.Equal(t, second.ObjectID, c.Updates[len(c.Updates)-1].ObjectID)
	l.hostSends(exploding(t, first, 0), &opcode.DestroyObject{ObjectID: first})
	l.hostSends(&opcode.StateUpdate{ObjectID: first, GameTime: 9, Flags: opcode.StateSpeed})
	l.advance(5 * time.Second)
	_, n = last[*opcode.RequestObject](c)
	require.Zero(t, n, "a late update of the player's own ship")
	require.Equal(t, InGame, l.player.State(), "the first ship was removed")
	l.hostSends(&opcode.DestroyObject{ObjectID: second.ObjectID})
	require.Equal(t, Joined, l.player.State())
}

// The host receives ten updates a second, and tracks the ship where it is.
func TestFlight(t *testing.T) {
	l := newLink(t, Options{Ship: stateupdate.Stock().Named("birdofprey"), Seed: 7}, hosttest.Options{})
	c := l.join()
	create, _ := last[*opcode.ObjectCreateTeam](c)
	var tracker stateupdate.Tracker
	_, err := tracker.Apply(create)
	require.NoError(t, err)

	l.player.Ship().Cloaked = true
	c.Updates = nil
	l.advance(20 * time.Second)
	require.InDelta(t, 200, len(c.Updates), 2)
	for _, u := range c.Updates {
		_, err := tracker.Apply(u)
		require.NoError(t, err)
	}
	own, tracked := l.player.Ship(), tracker.Ship(create.ObjectID)
	require.True(t, tracked.Cloaked)
	for i := range own.Position {
		require.InDelta(t, own.Position[i], tracked.Position[i], 1.5)
	}
	moved := distance(&create.Position, &tracked.Position)
	require.Greater(t, moved, 100.0, "it flies")
	require.Less(t, moved, 200.0*200)
}

// The same seed flies the same course.
func TestSeed(t *testing.T) {
	course := func(seed uint64) [3]float32 {
		l := newLink(t, Options{Ship: akira(), Seed: seed}, hosttest.Options{})
		l.join()
		l.advance(5 * time.Second)
		return l.player.Ship().Position
	}
	require.Equal(t, course(1), course(1))
	require.NotEqual(t, course(1), course(2))
}

// A restart removes the ships and the scores of the game before.
func TestEndAndRestart(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	c := l.join()
	first := l.player.Ship().ID
	l.hostSends(otherShip(t, 3, 1), &opcode.ScoreChange{KillerID: 2, KillerKills: 1, KillerScore: 900, VictimID: 3, VictimDeaths: 1})
	l.reports("")

	l.hostSends(&opcode.EndGame{Reason: opcode.EndTimeUp})
	require.Equal(t, GameOver, l.player.State())
	require.Equal(t, []string{"the game is over: time up"}, l.reports(""))
	c.Updates = nil
	l.advance(5 * time.Second)
	require.Empty(t, c.Updates)
	require.NoError(t, l.player.Say("good game"))
	l.hostSends(exploding(t, first, 0))
	require.Equal(t, GameOver, l.player.State())
	require.Equal(t, []string{"Bot loses 0x3fffffff", "Bot: good game"}, l.reports(""))

	l.hostSends(&opcode.RestartGame{}, &opcode.Score{PlayerID: 2, Kills: 1, Score: 900})
	require.Equal(t, Joined, l.player.State())
	require.Equal(t, []string{"the game restarts", "Bot has 1 kills, 0 deaths, 900 points"}, l.reports(""))
	for range l.player.Ships() {
		require.Fail(t, "a ship is left")
	}
	l.waitUntil("another ship", 2*time.Second, func() bool { return l.player.State() == InGame })
	require.NotEqual(t, first, l.player.Ship().ID)
	l.hostSends(otherShip(t, 3, 1))
	require.Equal(t, []string{"Ben has Galaxy 0x4003ffff"}, l.reports("Ben"), "an ID may be used again")
}

func TestScores(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{})
	l.join()
	l.reports("")
	l.hostSends(
		&opcode.Score{PlayerID: 3, Kills: 1, Deaths: 2, Score: 300}, // not in the match yet
		opcode.NewPlayerJoined(3), opcode.NewPlayerJoined(4),
		&opcode.ScoreInit{PlayerID: 4, Kills: 5, Deaths: 6, Score: 700, Team: opcode.TeamTwo},
		&opcode.ScoreChange{
			KillerID: 3, KillerKills: 2, KillerScore: 1300, VictimID: 4, VictimDeaths: 7,
			Damagers: []opcode.DamagerScore{{ID: 2, Score: 55}, {}},
		},
		&opcode.ScoreChange{VictimID: 4, VictimDeaths: 7},
	)
	require.Equal(t, []string{
		"peer 3 is in the game",
		"peer 3 has 1 kills, 2 deaths, 300 points",
		"peer 4 is in the game",
		"peer 4 has 5 kills, 6 deaths, 700 points",
		"Bot has 0 kills, 0 deaths, 55 points",
		"peer 3 has 2 kills, 2 deaths, 1300 points",
		"peer 4 has 5 kills, 7 deaths, 700 points",
	}, l.reports(""), "a score that does not change is not reported")
}

// Say and Send reach the host.
func TestActions(t *testing.T) {
	l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
	require.ErrorIs(t, l.player.Say("too early"), transport.ErrNotOpen)
	c := l.join()
	require.ErrorIs(t, l.player.Say(string(make([]byte, 250))), stream.ErrInvalid)
	require.Error(t, l.player.Say("☃"))
	require.NoError(t, l.player.Say("hello"))
	require.NoError(t, l.player.Send(&opcode.HostMessage{}))
	l.advance(time.Second)
	chat, _ := last[*opcode.ChatMessage](c)
	require.Equal(t, "hello", chat.Text.String())
	require.EqualValues(t, 2, chat.SenderID)
	_, n := last[*opcode.HostMessage](c)
	require.Equal(t, 1, n)
	counters := l.player.Counters()
	require.EqualValues(t, 1, counters.Received[opcode.OpChatMessage])
}

// The limits of a game, and the loss of a ship without a killer, are reported.
func TestReports(t *testing.T) {
	l := newLink(t, Options{Name: "Ann"}, hosttest.Options{})
	l.join()
	l.reports("")
	ship := otherShip(t, 7, 1)
	ship.PlayerName = nil
	l.hostSends(
		&opcode.MissionInit{PlayerLimit: 4, System: 8, TimeLimit: 10, FragLimit: 255},
		&opcode.MissionInit{PlayerLimit: 4, System: 2, TimeLimit: 255, FragLimit: 3},
		ship, exploding(t, ship.ObjectID, 0),
		&opcode.ChatMessage{SenderID: 1, Text: stream.Text("x")},
		&opcode.TeamChatMessage{SenderID: 2, Text: stream.Text("x")},
	)
	name(t, l.host.Last(), 7, "Ben")
	l.hostSends(opcode.NewPlayerLeft(7))
	require.Equal(t, []string{
		"plays in Albirea, at most 4 players",
		"plays in Multi2, at most 4 players",
		"peer 7 is in the game",
		"peer 7 has Galaxy 0x4003ffff",
		"peer 7 loses 0x4003ffff",
		"the host: x",
		"Ann to the team: x",
		"peer 7 is now Ben",
		"Ben leaves",
	}, l.reports(""))
}

// A line is cut after 512 characters.
func TestLongLine(t *testing.T) {
	l := newLink(t, Options{}, hosttest.Options{})
	l.join()
	l.reports("")
	l.hostSends(&opcode.ChatMessage{SenderID: 1, Text: stream.Text(strings.Repeat("\xF6", 600))})
	require.Equal(t, []string{"the host: " + strings.Repeat("ö", 502)}, l.reports(""))
}

// A host that acknowledges nothing fills the send queue. The player continues after it does.
func TestQueueFull(t *testing.T) {
	l := newLinkWith(t, transport.Options{MaxQueue: 2}, Options{Ship: akira()}, hosttest.Options{})
	l.waitUntil("joined", time.Minute, func() bool { return l.player.Counters().Received[opcode.OpMissionInit] > 0 })
	l.silence = true
	require.NoError(t, l.player.Say("one"))
	require.NoError(t, l.player.Say("two"))
	require.ErrorIs(t, l.player.Say("three"), transport.ErrQueueFull)
	l.advance(5 * time.Second)
	require.Equal(t, Joined, l.player.State())
	require.Greater(t, l.player.Counters().Unsent, uint64(2))
	l.silence = false
	l.waitUntil("a ship", 5*time.Second, func() bool { return l.player.State() == InGame })
}
