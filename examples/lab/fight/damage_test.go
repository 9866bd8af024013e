package main

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// account is what was fired at a ship, at most, and what the ship has lost, at least, in points.
type account struct {
	fired, lost float64
	levels      map[part]stateupdate.Level
}

// part is the hull of a ship, or a face of its shields.
type part struct{ subsystem, face int }

// ledger has the accounts of all ships of a recording.
type ledger struct {
	ships map[objectid.ID]*account
	beams map[objectid.ID]beam // by system
	now   time.Duration
}

// beam is a system that fires at a ship.
type beam struct {
	target objectid.ID
	rate   float64 // points per second, at most
}

func (l *ledger) account(ship objectid.ID) *account {
	if l.ships[ship] == nil {
		l.ships[ship] = &account{levels: map[part]stateupdate.Level{}}
	}
	return l.ships[ship]
}

// projectile returns the most that a bolt or a torpedo of a ship can do. Bolts are at the level MED.
func projectile(s *stateupdate.Ship, bolt bool) (most float64) {
	for _, system := range s.Class.Subsystems {
		for _, child := range system.Children {
			if bolt && child.Weapon != nil && child.Weapon.Projectile != nil {
				most = max(most, 0.5*child.Weapon.Projectile.Damage)
			}
		}
		for _, a := range system.Ammunition {
			if !bolt {
				most = max(most, a.Projectile.Damage)
			}
		}
	}
	return most
}

// fire adds a message about a shot or a collision.
func (l *ledger) fire(step *match.Step) {
	switch m := step.Game.(type) {
	case *opcode.TorpedoFire:
		l.shoot(step, m.TargetID, m.Direction, projectile(step.Ship, false))
	case *opcode.BeamFire:
		l.shoot(step, m.TargetID, m.Direction, projectile(step.Ship, true))
	case *opcode.StartFiring:
		system, target, _ := m.Fired()
		b := beam{target: target}
		for _, bank := range step.Part.Subsystem.Children {
			if bank.Weapon != nil {
				b.rate += 0.51 * bank.Weapon.MaxDamage
			}
		}
		l.beams[system] = b
	case *opcode.StopFiring:
		delete(l.beams, m.Dest)
	case *opcode.CollisionEffect:
		if ship, _, ok := m.Collided(); ok && step.Ship != nil {
			l.account(ship).fired += 500 + 900*float64(m.Force)/step.Ship.Class.Physics.Mass
		}
	}
}

// shoot adds a shot at its target, and at the ships that are in its line of fire: a shot hits the first ship in its way.
func (l *ledger) shoot(step *match.Step, target objectid.ID, direction compress.Vector3, points float64) {
	x, y, z := direction.Float32()
	for other := range step.Link.Ships.Ships() {
		if other.ID == step.Ship.ID {
			continue
		}
		var to [3]float64
		along, square := 0.0, 0.0
		for axis, d := range [3]float32{x, y, z} {
			to[axis] = float64(other.Position[axis] - step.Ship.Position[axis])
			along += to[axis] * float64(d)
			square += to[axis] * to[axis]
		}
		const moves = 10 // GU, of the ships and of guided torpedoes
		beside := math.Sqrt(max(0, square-along*along))
		if other.ID == target || along > 0 && beside < 1.21*other.Class.Physics.Radius+moves {
			l.account(other.ID).fired += points
		}
	}
}

// pass adds the damage of the beams until a time.
func (l *ledger) pass(now time.Duration) {
	for _, b := range l.beams {
		l.account(b.target).fired += b.rate * (now - l.now).Seconds()
	}
	l.now = now
}

// lose adds what the hull and the shields of a ship have lost. A level has a rounding error of one.
func (l *ledger) lose(s *stateupdate.Ship) {
	a := l.account(s.ID)
	set := func(p part, level stateupdate.Level, most float32) {
		if before, ok := a.levels[p]; ok && before > level {
			a.lost += float64(before-level-1) / 255 * float64(most)
		}
		a.levels[p] = level
	}
	for i := range s.Subsystems {
		switch sub := &s.Subsystems[i]; sub.Subsystem.Kind {
		case stateupdate.KindHull:
			set(part{i, -1}, sub.Condition, sub.Subsystem.MaxCondition)
		case stateupdate.KindShield:
			if sub.Condition == 0 || sub.Condition.Fraction() < 0.76 {
				continue // without a generator, there are no shields
			}
			for f, level := range sub.Parts {
				set(part{i, f}, stateupdate.Level(level), sub.Subsystem.Facings[f])
			}
		}
	}
}

// In the recorded match, no ship loses anything before something was fired at it or past it, or it has touched
// another ship, and none loses more than that. Explosions, kills and scores agree.
func TestDamageAndDeaths(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../testdata/fight.jsonl")
	require.NoError(t, err)
	defer file.Close()
	m := match.Match{Events: true}
	l := &ledger{ships: map[objectid.ID]*account{}, beams: map[objectid.ID]beam{}}
	var exploded []objectid.PeerID // killers whose score has not come
	kills, deaths := map[objectid.PeerID]int32{}, map[objectid.PeerID]int32{}
	explosions, events, named := 0, 0, map[string]int32{}
	for step, err := range match.Read(file, &m) {
		require.NoError(t, err)
		l.pass(step.Time)
		for _, e := range step.Events {
			if e.Kind == match.Kill {
				events++
				named[e.Killer]++
				require.NotEqual(t, e.Killer, e.Victim)
			} else if e.Kind == match.Score {
				require.Equal(t, named[e.Player], e.Kills, e.Player)
			}
		}
		switch g := step.Game.(type) {
		case nil:
			continue
		case *opcode.StateUpdate:
			if step.Ship != nil {
				l.lose(step.Ship)
				a := l.account(step.Ship.ID)
				require.LessOrEqual(t, a.lost, a.fired, "%v at %v", step.Ship, step.Time)
			}
		case *opcode.PythonEvent:
			if ship, by, killer, ok := g.Killed(); ok {
				explosions++
				exploded = append(exploded, killer)
				require.Positive(t, l.account(ship).fired)
				require.Equal(t, by != objectid.None, killer.Valid())
				delete(l.ships, ship)
			}
		case *opcode.ScoreChange:
			require.NotEmpty(t, exploded)
			require.Equal(t, exploded[0], g.KillerID)
			kills[g.KillerID]++
			deaths[g.VictimID]++
			require.Equal(t, []int32{kills[g.KillerID], deaths[g.VictimID]}, []int32{g.KillerKills, g.VictimDeaths})
			exploded = exploded[1:]
		}
		if step.Ship != nil {
			l.fire(step)
		}
	}
	require.Equal(t, explosions, events)
	require.Empty(t, exploded)
	require.GreaterOrEqual(t, explosions, 3)
	total := 0.0
	for _, a := range l.ships {
		total += a.lost
	}
	require.Greater(t, total, 1000.0)
}
