package pilot_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/pilot"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// duelist is a pilot in a class.
type duelist struct {
	class string
	skill int
}

// duel lets two pilots fight, for at most 15 minutes, and returns the index of the winner, or -1, also if a collision
// destroys both.
func duel(tb testing.TB, seed uint64, sides [2]duelist, watch func(now time.Duration, ships []*model.Ship)) (winner int, length time.Duration) {
	var w model.World
	var pilots [2]*pilot.Pilot
	var ships []*model.Ship
	for i, side := range sides {
		pilots[i] = pilot.New(2*seed+uint64(i), side.skill)
		id, _ := objectid.Base(objectid.Slot(i))
		var motion stateupdate.Motion
		pilots[i].Place(&motion)
		require.NoError(tb, w.Add(id, stateupdate.Stock().Named(side.class), "Multi1", model.MotionOf(&motion)))
		ships = append(ships, w.Ship(id))
	}
	const tick = 100 * time.Millisecond
	for now := tick; now < 15*time.Minute; now += tick {
		for i, p := range pilots {
			p.Act(&w, now, ships[i], ships[1-i:2-i])
		}
		w.Advance(now)
		switch alive := [2]bool{ships[0].Alive(), ships[1].Alive()}; alive {
		case [2]bool{}:
			return -1, now
		case [2]bool{true, false}:
			return 0, now
		case [2]bool{false, true}:
			return 1, now
		}
		if watch != nil {
			watch(now, ships)
		}
	}
	return -1, 15 * time.Minute
}

// wins returns how many of some duels each side wins. The sides change places, unless they are equal: then a change
// would hide that the first one has an advantage.
func wins(t *testing.T, duels int, sides [2]duelist) (won [2]int) {
	var all time.Duration
	for seed := range duels {
		first := seed % 2
		if sides[0] == sides[1] {
			first = 0
		}
		winner, length := duel(t, uint64(seed), [2]duelist{sides[first], sides[1-first]}, nil)
		if all += length; winner >= 0 {
			won[winner^first]++
		}
	}
	t.Logf("%v against %v: %d, %d, %d without a winner, %v each", sides[0], sides[1], won[0], won[1], duels-won[0]-won[1], (all / time.Duration(duels)).Round(time.Second))
	return won
}

// Neither side of two equal bots wins more than 60 % of 200 duels. Of 12 duels, nine are won by one side by chance in
// one of seven tests, ten in one of 26.
func TestEqualDuels(t *testing.T) {
	t.Parallel()
	for _, class := range testdata.Either([]string{"galaxy", "birdofprey", "akira", "vorcha", "galor"}, []string{"galaxy"}) {
		duels := testdata.Either(200, 12)
		won := wins(t, duels, [2]duelist{{class, 3}, {class, 3}})
		require.LessOrEqual(t, max(won[0], won[1]), duels*testdata.Either(60, 80)/100)
		require.Greater(t, won[0]+won[1], duels/2, "with a winner")
	}
}

// A Warbird beats a Bird of Prey in at least 80 % of the duels.
func TestUnequalDuels(t *testing.T) {
	t.Parallel()
	duels := testdata.Either(200, 10)
	won := wins(t, duels, [2]duelist{{"warbird", 3}, {"birdofprey", 3}})
	require.GreaterOrEqual(t, won[0], duels*8/10)
}

// Of two pilots, the better one wins more often.
func TestSkill(t *testing.T) {
	t.Parallel()
	for skill := range pilot.MaxSkill {
		won := wins(t, testdata.Either(100, 3), [2]duelist{{"galaxy", skill + 1}, {"galaxy", skill}})
		require.Greater(t, won[0], won[1], skill)
	}
}

// Eight pilots fight as in a match: their ships move and turn, stay together, seldom touch, and are destroyed by fire.
func TestMelee(t *testing.T) {
	t.Parallel()
	classes := []string{"sovereign", "warbird", "birdofprey", "galor", "vorcha", "keldon", "kessokheavy", "akira"}
	shot, touched, samples, speeds, apart, turns := 0, 0, 0, 0.0, 0.0, 0.0
	for seed := range testdata.Either(20, 3) {
		var w model.World
		pilots, noses := map[objectid.ID]*pilot.Pilot{}, map[objectid.ID][3]float64{}
		var ships []*model.Ship
		for i, class := range classes {
			p := pilot.New(uint64(100*seed+i), 3)
			var motion stateupdate.Motion
			var taken [][3]float64
			for _, s := range ships {
				taken = append(taken, s.Position)
			}
			p.Place(&motion, taken...)
			id, _ := objectid.Base(objectid.Slot(i))
			require.NoError(t, w.Add(id, stateupdate.Stock().Named(class), "Multi1", model.MotionOf(&motion)))
			pilots[id], ships = p, append(ships, w.Ship(id))
		}
		const tick = 100 * time.Millisecond
		for now := tick; now < 2*time.Minute; now += tick {
			for i, s := range ships {
				others := append(slices.Clone(ships[:i]), ships[i+1:]...)
				pilots[s.ID].Act(&w, now, s, others)
			}
			for _, e := range w.Advance(now) {
				if e.Kind == model.Hit && e.Weapon.Subsystem == nil {
					touched++
				} else if e.Kind == model.Exploding && e.Weapon.Subsystem != nil {
					shot++
				}
			}
			ships = slices.DeleteFunc(ships, func(s *model.Ship) bool { return !s.Alive() })
			for _, s := range ships {
				samples++
				speeds += length(s.Velocity) / s.Class.Physics.MaxSpeed
				apart += length(s.Position)
				turns += length(minus(s.Forward, noses[s.ID])) / tick.Seconds()
				noses[s.ID] = s.Forward
			}
		}
	}
	n := float64(samples)
	t.Logf("%d shot down, %d touches, mean speed %.2f of the most, %.0f GU from the origin, turns %.2f rad/s", shot, touched, speeds/n, apart/n, turns/n)
	require.Greater(t, shot, testdata.Either(20, 2))
	require.Less(t, touched, 3*testdata.Either(20, 3))
	require.Greater(t, speeds/n, 0.4)
	require.Less(t, apart/n, 200.0)
	require.Greater(t, turns/n, 0.05)
}

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func length(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }
