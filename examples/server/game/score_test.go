package game

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

func TestSelfDestruction(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	bob.Say(&opcode.HostMessage{})
	bob.Say(&opcode.HostMessage{}) // of no ship any more
	w.Run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		require.Equal(t, &opcode.ScoreChange{VictimID: 3, VictimDeaths: 1}, last[*opcode.ScoreChange](g))
		ship, killer, player, ok := last[*opcode.PythonEvent](g).Killed()
		require.True(t, ok)
		require.Equal(t, bob.Object(0), ship)
		require.Equal(t, objectid.None, killer)
		require.Equal(t, objectid.NoPeer, player)
		require.Len(t, g.Heard, 2)
	}
	require.Nil(t, w.seat(1).ship)
	bob.Launch("galaxy", 50)
	w.Run(time.Second)
	require.NotNil(t, w.seat(1).ship)
}

// crash reports collisions of Ann's ship with Bob's until it is destroyed. Bob reports them, too.
func crash(t *testing.T, w *world, ann, bob *guest) (reports int) {
	for ; w.seat(ann.Slot).ship != nil; reports++ {
		require.Less(t, reports, 100)
		bob.Say(collision(t, bob, ann, 1))
		ann.Say(collision(t, ann, bob, 1000))
		w.Run(100 * time.Millisecond)
	}
	w.Run(time.Second)
	return reports
}

// collision returns the report of a player about the collision of two ships.
func collision(t *testing.T, of, with *guest, force float32) opcode.Message {
	m, err := opcode.NewCollisionEffect(of.Object(0), with.Object(0), nil, force)
	require.NoError(t, err)
	return m
}

// A player who reports collisions that the other client does not report dies, and gives no kill
// away: otherwise he could end the round for another player.
func TestCollisionsThatNobodyElseSaw(t *testing.T) {
	w, ann, bob, _ := three(t, options{collisions: true, fragLimit: 1})
	for w.seat(ann.Slot).ship != nil {
		ann.Say(collision(t, ann, bob, 1e9))
		w.Run(100 * time.Millisecond)
	}
	w.Run(time.Second)
	require.False(t, w.match.ended)
	require.Zero(t, w.seat(bob.Slot).Kills)
	require.EqualValues(t, 1, w.seat(ann.Slot).Deaths)

	// An old report of the other client does not count either.
	ann.Launch("galaxy", 50)
	w.Run(2 * time.Second)
	bob.Say(collision(t, bob, ann, 1))
	w.Run(2 * contactTime)
	for w.seat(ann.Slot).ship != nil {
		hit, err := opcode.NewCollisionEffect(ann.Object(50), bob.Object(0), nil, 1e9)
		require.NoError(t, err)
		ann.Say(hit)
		w.Run(100 * time.Millisecond)
	}
	require.False(t, w.match.ended)
}

func TestCollisions(t *testing.T) {
	w, ann, bob, cat := three(t, options{collisions: true})
	require.Equal(t, 9, crash(t, w, ann, bob)) // of 9000 points
	for _, g := range []*guest{ann, bob, cat} {
		require.Equal(t, &opcode.ScoreChange{
			KillerID: 3, KillerKills: 1, KillerScore: killPoints, VictimID: 2, VictimDeaths: 1,
		}, last[*opcode.ScoreChange](g))
		ship, killer, player, ok := last[*opcode.PythonEvent](g).Killed()
		require.True(t, ok)
		require.Equal(t, ann.Object(0), ship)
		require.Equal(t, bob.Object(0), killer)
		require.Equal(t, bob.PeerID(), player)
	}
}

func TestHarmlessCollisions(t *testing.T) {
	w, ann, bob, _ := three(t, options{})
	for range 20 {
		hit, err := opcode.NewCollisionEffect(ann.Object(0), bob.Object(0), nil, 1000)
		require.NoError(t, err)
		ann.Say(hit)
	}
	w.Run(time.Second)
	require.Equal(t, 20, dropped(w, "collision"))
	require.Equal(t, float32(9000), w.seat(0).ship.FirstOf(stateupdate.KindHull).Points())
}

// At the frag limit the match ends; nobody can come in or launch until the next one, which
// begins without ships and scores.
func TestFragLimitAndRestart(t *testing.T) {
	w, ann, bob, cat := three(t, options{collisions: true, fragLimit: 1, pause: 20 * time.Second})
	crash(t, w, ann, bob)
	for _, g := range []*guest{ann, bob, cat} {
		require.Equal(t, opcode.EndScoreLimit, last[*opcode.EndGame](g).Reason)
	}
	require.True(t, w.match.ended)
	late := w.Connect("Dan", "", nil)
	ann.Launch("galaxy", 60)
	w.Run(5 * time.Second)
	require.Equal(t, objectid.NoPeer, late.PeerID())
	require.Nil(t, w.seat(0).ship)

	w.Until(20*time.Second, func() bool { return !w.match.ended })
	w.Run(time.Second)
	for _, g := range []*guest{ann, bob, cat} {
		require.Equal(t, 1, g.Count(opcode.OpRestartGame))
	}
	require.Zero(t, w.seat(1).Kills)
	require.Nil(t, w.seat(1).ship)
	w.Until(10*time.Second, func() bool { return late.Count(opcode.OpDeletePlayerUI) > 0 })
	ann.Launch("galaxy", 120)
	w.Run(time.Second)
	require.NotNil(t, w.seat(0).ship)
}

// A match ends at its frag limit with the reason that the scripts of its mission give.
func TestReasonOfFragLimit(t *testing.T) {
	for mission, want := range map[string]opcode.EndReason{
		"Multiplayer.Episode.Mission1.Mission1": opcode.EndScoreLimit,
		"Multiplayer.Episode.Mission2.Mission2": opcode.EndScoreLimit,
		"Multiplayer.Episode.Mission3.Mission3": opcode.EndScoreLimit,
		"Multiplayer.Episode.Mission5.Mission5": opcode.EndFragLimit,
		"Multiplayer.Episode.Mission7.Mission7": opcode.EndFragLimit,
		"Mission1":                              opcode.EndScoreLimit,
	} {
		o := options{mission: mission, collisions: true, fragLimit: 1, pause: time.Minute}
		w, ann, bob, cat := three(t, o)
		crash(t, w, ann, bob)
		for _, g := range []*guest{ann, bob, cat} {
			require.Equal(t, want, last[*opcode.EndGame](g).Reason, mission)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	w := newWorld(t, options{timeLimit: 5, pause: time.Minute}, nil)
	w.Run(10 * time.Second)
	g := w.Join("Ann")
	init := last[*opcode.MissionInit](g)
	require.EqualValues(t, 5, init.TimeLimit)
	require.EqualValues(t, 300, init.EndTime)
	w.Run(4 * time.Minute)
	require.False(t, w.match.ended)
	w.Until(time.Minute, func() bool { return w.match.ended })
	w.Run(time.Second)
	require.Equal(t, opcode.EndTimeUp, last[*opcode.EndGame](g).Reason)
	w.match.Command("restart")
	w.Run(time.Second)
	require.False(t, w.match.ended)
}

// A stranger who comes under many names, dies and leaves deletes the scores of nobody else. The oldest of its own scores
// go.
func TestScoresOfManyNames(t *testing.T) {
	w := newWorld(t, options{combat: true}, nil)
	for i := range 3 {
		ann := w.Join(fmt.Sprint("Ann ", i))
		w.named(ann.Name).Kills, w.named(ann.Name).Points = 12, 3456
		ann.Close()
		w.Run(time.Second)
	}
	for i := range maxFinished + 6 {
		eve := w.ConnectAt(fmt.Sprint("Eve ", i), "", netip.AddrPortFrom(netip.AddrFrom4([4]byte{6, 6, 6, byte(6 + i%2)}), uint16(1000+i)))
		eve.WaitForGame()
		eve.Launch("akira", 0)
		w.Run(500 * time.Millisecond)
		eve.Say(&opcode.HostMessage{})
		w.Run(500 * time.Millisecond)
		eve.Close()
		w.Run(500 * time.Millisecond)
		w.Drop(eve)
	}
	require.Len(t, w.match.finished, maxFinished)
	require.NotContains(t, w.match.finished, "Eve 0")
	require.Contains(t, w.match.finished, fmt.Sprint("Eve ", maxFinished+5))
	for i := range 3 {
		back := w.Join(fmt.Sprint("Ann ", i))
		require.EqualValues(t, 12, w.named(back.Name).Kills)
		require.EqualValues(t, 3456, w.named(back.Name).Points)
	}
}

// A player whose name comes late gets the score with which it has left, too.
func TestScoreOfALateName(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	w.named("Ann").Deaths = 11
	ann.Close()
	w.Run(time.Second)
	late := w.connectOdd("", odd{noName: true})
	late.WaitForGame()
	late.Launch("akira", 0)
	w.Run(time.Second)
	late.Say(&opcode.HostMessage{})
	w.Run(time.Second)
	late.SayName("Ann")
	w.Run(time.Second)
	require.EqualValues(t, 12, w.named("Ann").Deaths)
	require.Equal(t, &opcode.Score{PlayerID: late.PeerID(), Deaths: 12}, last[*opcode.Score](bob))
	require.Empty(t, w.match.finished)
}
