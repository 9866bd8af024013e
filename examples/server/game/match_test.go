package game

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// A match of 16 over a bad network: bots fly, fight, chat, collide, destroy themselves, leave
// and come back. When the network is clean again, all see the same.
func TestMatch(t *testing.T) {
	w := newWorld(t, options{maxPlayers: 16, collisions: true, combat: true, pause: 5 * time.Second}, nil)
	log := logTo(w)
	w.Weather = weather{Loss: 0.05, Repeat: 0.02, Delay: 30 * time.Millisecond, Jitter: 60 * time.Millisecond}
	var bots crew
	for i := range objectid.Slots {
		bots = append(bots, newBot(w.Now, i, bot.Options{Fire: true, Skill: 3, Say: "hello"}))
		w.Add(bots[i])
	}
	bots.InGame(w.World, time.Minute)
	require.NotZero(t, bots.ChatHeard())
	virtual := testdata.Either(30*time.Minute, time.Minute)
	for round := range int(virtual / (10 * time.Second)) {
		stir(bots, w, round)
		w.Run(10 * time.Second)
		bots.RequirePlaying(t)
	}
	t.Logf("%v of a match, %d datagrams", virtual, w.Sent)

	w.Loss, w.Repeat = 0, 0
	stopCombat(w, bots)
	w.Run(15 * time.Second)
	requireAgreement(bots, w)

	for _, p := range bots {
		p.Leave()
	}
	w.Run(20 * time.Second)
	requireEmpty(w)
	require.Contains(t, log.String(), "msg=destroyed")
	require.NotContains(t, log.String(), "panicked")
}

// The same match over a bad network, played twice, sends the same datagrams.
func TestMatchCanBeRepeated(t *testing.T) {
	play := func() (sum uint64, datagrams int) {
		w := newWorld(t, options{maxPlayers: 16, collisions: true, fragLimit: 2, pause: 5 * time.Second}, nil)
		w.Weather = weather{Loss: 0.05, Repeat: 0.02, Delay: 30 * time.Millisecond, Jitter: 60 * time.Millisecond}
		hash := fnv.New64a()
		transmit := w.Transmit
		w.Transmit = func(b []byte, to netip.AddrPort) (int, error) {
			_, _ = hash.Write(b)
			return transmit(b, to)
		}
		var bots crew
		for i := range objectid.Slots {
			bots = append(bots, newBot(w.Now, i, bot.Options{Fire: true, Say: "hello"}))
			w.Add(bots[i])
		}
		bots.InGame(w.World, time.Minute)
		for round := range testdata.Either(6, 3) {
			stir(bots, w, round)
			w.Run(5 * time.Second)
		}
		return hash.Sum64(), w.Sent
	}
	sum, datagrams := play()
	again, sameDatagrams := play()
	require.Equal(t, datagrams, sameDatagrams)
	require.Equal(t, sum, again)
}

// stir makes a bot do something out of the ordinary.
func stir(c crew, w *world, round int) {
	i := round % len(c)
	p, other := c[i], c[(i+1)%len(c)]
	switch round % 5 {
	case 0:
		require.NoError(w.T, p.Say(fmt.Sprintf("round %d", round)))
	case 1:
		_ = p.Send(&opcode.HostMessage{}) // self-destruction, without a ship, too
	case 2:
		if ship, rammed := p.Ship(), other.Ship(); ship != nil && rammed != nil {
			nose := []compress.Contact{{Dir: compress.Vector3{Y: 127}, Mag: 255}}
			m, err := opcode.NewCollisionEffect(ship.ID, rammed.ID, nose, 1e6)
			require.NoError(w.T, err)
			_ = p.Send(m)
		}
	case 3:
		p.Leave()
		w.Run(3 * time.Second)
		w.Remove(p)
		c[i] = newBot(w.Now, i, bot.Options{Fire: true, Skill: 3})
		w.Add(c[i])
	case 4:
		if round%25 == 4 {
			w.match.Command("restart")
		}
	}
}

// requireAgreement checks that everybody sees every ship as the server has it, and the
// server as its owner flies it.
func requireAgreement(c crew, w *world) {
	w.T.Helper()
	owners := map[objectid.PeerID]*robot{}
	for _, p := range c {
		owners[p.ID()] = p
	}
	for _, p := range c {
		seen := 0
		for id, picture := range p.Ships() {
			seen++
			owner := owners[id]
			require.NotNil(w.T, owner, "ship of nobody: %v", picture.ID)
			require.Equal(w.T, owner.Ship().ID, picture.ID, "%s sees %s of %s (%d)", p.Ship().PlayerName, picture.PlayerName, owner.Ship().PlayerName, id)
			near(w.T, owner.Ship(), picture)
			equal(w.T, w.named(owner.Ship().PlayerName).ship, picture)
		}
		require.Equal(w.T, len(c)-1, seen)
		require.Len(w.T, p.Peers(), len(c)-1)
		equalConditions(w.T, w.named(p.Ship().PlayerName).ship, p.Ship())
	}
}

// near checks that a picture is at most half a second behind the ship.
func near(t testing.TB, ship, picture *stateupdate.Ship) {
	t.Helper()
	require.Equal(t, ship.Class, picture.Class)
	var square float64
	for i := range ship.Position {
		d := float64(ship.Position[i] - picture.Position[i])
		square += d * d
	}
	speed := math.Abs(float64(ship.Speed.Float32())) + math.Abs(float64(picture.Speed.Float32()))
	require.Less(t, math.Sqrt(square), 0.5*speed+1, "%v and %v", ship.Position, picture.Position)
}

// equal checks the subsystems, with their power in per cent.
func equal(t testing.TB, ship, picture *stateupdate.Ship) {
	t.Helper()
	equalConditions(t, ship, picture)
	for i := range ship.Subsystems {
		require.Equal(t, ship.Subsystems[i].Power.Percent(), picture.Subsystems[i].Power.Percent(), "%v", &ship.Subsystems[i])
	}
}

func equalConditions(t testing.TB, ship, picture *stateupdate.Ship) {
	t.Helper()
	require.Len(t, picture.Subsystems, len(ship.Subsystems))
	for i := range ship.Subsystems {
		a, b := &ship.Subsystems[i], &picture.Subsystems[i]
		require.Equal(t, a.Condition, b.Condition, "%v and %v", a, b)
		require.Equal(t, a.Parts, b.Parts, "%v and %v", a, b)
		require.Equal(t, a.MainBattery, b.MainBattery)
	}
}

// requireEmpty checks that nothing is left of those who have gone.
func requireEmpty(w *world) {
	w.T.Helper()
	m := w.match
	require.Empty(w.T, m.Members())
	require.Zero(w.T, w.match.Hub().Len())
	require.True(w.T, w.match.Hub().Flushed())
	require.LessOrEqual(w.T, len(m.finished), maxFinished)
}
