package game

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// fighters returns a match with bots who fight.
func fighters(tb testing.TB, bots, skill int) (w *world, all crew) {
	w = newWorld(tb, options{maxPlayers: objectid.Slots, perIP: objectid.Slots, collisions: true, combat: true, strict: true}, nil)
	for i := range bots {
		all = append(all, newBot(w.Now, i, bot.Options{Fire: true, Skill: skill}))
		w.Add(all[i])
	}
	return w, all
}

// accounts is what has been fired at ships, and what they have lost, in points.
type accounts struct {
	w       *world
	decoder opcode.Decoder
	fired   map[objectid.ID]float64 // by target
	lost    map[objectid.ID]float64 // of the shields and the hull
	left    map[objectid.ID][2]float64
	beams   map[objectid.ID]objectid.ID // the target of each phaser system that fires
}

// newAccounts follows the messages of the players, before the match handles them.
func newAccounts(w *world) *accounts {
	a := &accounts{
		w: w, fired: map[objectid.ID]float64{}, lost: map[objectid.ID]float64{}, left: map[objectid.ID][2]float64{},
		beams: map[objectid.ID]objectid.ID{},
	}
	handle := w.Server.Handler.Event
	w.Server.Handler.Event = func(now time.Time, e transport.Event) {
		if e.Kind == transport.EventPayload {
			if m, err := a.decoder.Decode(e.Payload); err == nil {
				a.message(m)
			}
		}
		handle(now, e)
	}
	return a
}

func (a *accounts) message(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		a.fired[m.TargetID] += a.damage(m.TubeID, 1)
	case *opcode.BeamFire:
		a.fired[m.TargetID] += a.damage(m.WeaponID, 0.5) // bolts are at the level MED
	case *opcode.StartFiring:
		system, target, _ := m.Fired()
		a.beams[system] = target
	case *opcode.StopFiring:
		delete(a.beams, m.Dest)
	case *opcode.CollisionEffect:
		if ship, _, ok := m.Collided(); ok && a.w.match.world.Ship(ship) != nil {
			a.fired[ship] += 500 + 900*float64(m.Force)/a.w.match.world.Ship(ship).Class.Physics.Mass
		}
	}
}

// damage returns the most that a bolt or a torpedo of a weapon can do.
func (a *accounts) damage(weapon objectid.ID, factor float64) (most float64) {
	for _, p := range a.w.match.players() {
		if p.ship == nil || weapon < p.ship.ID || weapon > p.ship.ID+1000 {
			continue
		}
		for _, system := range p.ship.Class.Subsystems {
			for _, ammunition := range system.Ammunition {
				most = max(most, ammunition.Projectile.Damage)
			}
			for _, child := range system.Children {
				if child.Weapon != nil && child.Weapon.Projectile != nil {
					most = max(most, factor*child.Weapon.Projectile.Damage)
				}
			}
		}
	}
	return most
}

// tick adds the damage of the beams of a tick, at most, and what the ships have lost.
func (a *accounts) tick() {
	for _, p := range a.w.match.players() {
		if p.ship == nil {
			continue
		}
		for i := range p.ship.Class.Subsystems {
			id, _ := p.ship.Class.PartID(p.ship.ID, i, -1)
			if target, fires := a.beams[id]; fires {
				for _, bank := range p.ship.Class.Subsystems[i].Children {
					if bank.Weapon != nil {
						a.fired[target] += bank.Weapon.MaxDamage * 0.51 * tick.Seconds()
					}
				}
			}
		}
		s := a.w.match.world.Ship(p.ship.ID)
		left := [2]float64{s.Condition[s.Part("Hull")]}
		for _, points := range s.Shields {
			left[1] += points
		}
		if before, ok := a.left[s.ID]; ok {
			a.lost[s.ID] += max(0, before[0]-left[0])
			if left[1] > 0 { // otherwise, the shield generator is disabled
				a.lost[s.ID] += max(0, before[1]-left[1])
			}
		}
		a.left[s.ID] = left
	}
}

// In a match of two, nobody loses condition before something was fired at the ship or it has touched the other one, and
// nobody loses more than was fired. The log of damage has the points for which the score is given.
func TestDamageHasACause(t *testing.T) {
	t.Parallel()
	for seed := range testdata.Either(20, 1) {
		w, bots := fighters(t, 0, 0)
		for i := range 2 {
			bots = append(bots, newBot(w.Now, 2*seed+i, bot.Options{Fire: true, Skill: 3}))
			w.Add(bots[i])
		}
		a := newAccounts(w)
		logged := map[objectid.ID]float64{} // by ship
		w.match.options.Hit = func(h damagelog.Hit) {
			for _, p := range w.match.players() {
				if p.PeerID == h.TargetPeer && h.Weapon != damagelog.Collision {
					require.Equal(t, p.Name, h.Target)
					require.NotContains(t, []string{p.Name, ""}, h.Player)
					logged[p.ship.ID] += h.Absorbed + h.Passed
				}
			}
		}
		bots.InGame(w.World, time.Minute)
		total := 0.0
		for range int(3 * time.Minute / tick) {
			w.Run(tick)
			a.tick()
			for _, p := range w.match.players() {
				if p.ship != nil && len(p.damage) > 0 {
					require.InDelta(t, p.damage[0].points, logged[p.ship.ID], 1e-6)
				}
			}
			for id, lost := range a.lost {
				require.LessOrEqual(t, lost, a.fired[id], "ship %v at %v", id, w.match.GameTime())
			}
		}
		for _, lost := range a.lost {
			total += lost
		}
		require.Positive(t, total)
	}
}

// levels returns the conditions of all parts of a ship, in their order.
func levels(s *stateupdate.Ship) (all []byte) {
	for i := range s.Subsystems {
		all = append(append(all, byte(s.Subsystems[i].Condition)), s.Subsystems[i].Parts...)
	}
	return all
}

// Over a whole fight, each condition that a client shows is one that the host had in the last 2 s and the way of the
// network. The clients compute nothing themselves.
func TestConditionsInAFight(t *testing.T) {
	t.Parallel()
	w, bots := fighters(t, 6, 3)
	bots.InGame(w.World, time.Minute)
	const old = 2*time.Second + 2*tick
	hosts := map[objectid.ID][][]byte{} // of the last ticks
	compared, damaged := 0, 0
	for range int(testdata.Either(5*time.Minute, 30*time.Second) / tick) {
		w.Run(tick)
		for _, p := range w.match.players() {
			if p.ship != nil {
				history := append(hosts[p.ship.ID], levels(p.ship))
				hosts[p.ship.ID] = history[max(0, len(history)-int(old/tick)):]
			}
		}
		for _, p := range bots {
			pictures := []*stateupdate.Ship{p.Ship()}
			for _, s := range p.Ships() {
				pictures = append(pictures, s)
			}
			for _, s := range pictures {
				if s == nil || len(hosts[s.ID]) < int(old/tick) || w.match.world.Ship(s.ID) == nil { // new, or destroyed
					continue
				}
				for i, level := range levels(s) {
					known := slices.ContainsFunc(hosts[s.ID], func(host []byte) bool { return host[i] == level })
					require.True(t, known, "%v shows %d for part %d of %v", p.ID(), level, i, s)
					if compared++; level < 255 {
						damaged++
					}
				}
			}
		}
	}
	t.Logf("%d conditions, %d of them damaged", compared, damaged)
	require.Greater(t, damaged, 1000)
}

// stopCombat waits until all have ships that the server knows, and ends the combat. Conditions then stay.
func stopCombat(w *world, bots crew) {
	w.Until(time.Minute, func() bool {
		return !slices.ContainsFunc(bots, func(p *robot) bool {
			ship, own := p.Ship(), w.seat(objectid.Slot(p.ID()-2))
			return ship == nil || own == nil || own.ship == nil || own.ship.ID != ship.ID
		})
	})
	w.match.ended, w.match.restart = true, math.MaxInt64
}

// A match of 15 who fight over a bad network: deaths, explosions and scores agree, nothing diverges, and nothing
// leaks.
func TestFight(t *testing.T) {
	t.Parallel()
	w, bots := fighters(t, 15, 3)
	log := logTo(w)
	w.Weather = weather{Loss: 0.05, Repeat: 0.02, Delay: 30 * time.Millisecond, Jitter: 60 * time.Millisecond}
	bots.InGame(w.World, time.Minute)
	cat := w.Join("Cat")
	var heaps []uint64
	deaths, kills, points := map[objectid.PeerID]int32{}, map[objectid.PeerID]int32{}, map[objectid.PeerID]int32{}
	var killers []objectid.PeerID // of explosions whose score has not come
	virtual := testdata.Either(30*time.Minute, 80*time.Second)
	listen := func() {
		for _, m := range cat.Heard {
			switch m := m.(type) {
			case *opcode.PythonEvent:
				if _, _, player, ok := m.Killed(); ok {
					killers = append(killers, player)
				}
			case *opcode.ScoreChange:
				require.NotEmpty(t, killers)
				if killer := killers[0]; killer.Valid() {
					require.Equal(t, killer, m.KillerID)
					kills[killer]++
					require.Equal(t, m.KillerKills, kills[killer])
					points[killer] = m.KillerScore
				} else {
					require.Zero(t, m.KillerID)
				}
				killers = killers[1:]
				deaths[m.VictimID]++
				require.Equal(t, m.VictimDeaths, deaths[m.VictimID])
				for _, d := range m.Damagers {
					points[d.ID] = d.Score
				}
			}
		}
		cat.Heard, cat.Lines, cat.Updates = nil, nil, nil
	}
	for range int(virtual / (10 * time.Second)) {
		w.Run(10 * time.Second)
		bots.RequirePlaying(t)
		listen()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heaps = append(heaps, m.HeapAlloc)
	}
	w.Loss, w.Repeat = 0, 0
	stopCombat(w, bots)
	w.Run(15 * time.Second)
	listen()
	require.Empty(t, killers)
	all := 0
	for _, p := range w.match.players() {
		require.Equal(t, []int32{p.Kills, p.Deaths, p.Points}, []int32{kills[p.PeerID], deaths[p.PeerID], points[p.PeerID]}, p.Name)
		all += int(p.Deaths)
	}
	require.Positive(t, all)
	cat.Close()
	w.Run(5 * time.Second)
	requireAgreement(bots, w)
	require.NotContains(t, log.String(), "panicked")
	require.NotContains(t, log.String(), "cannot keep up")
	t.Logf("%v: %d deaths, %d improbable messages, drops %v, heap %d to %d KiB", virtual, all, w.noted, w.drops, heaps[len(heaps)/2]>>10, heaps[len(heaps)-1]>>10)
	half, end := slices.Min(heaps[len(heaps)/2:3*len(heaps)/4]), slices.Min(heaps[3*len(heaps)/4:])
	if testdata.Either(true, false) {
		require.Less(t, float64(end), 1.1*float64(half), "a leak")
	}
	for _, p := range bots {
		p.Leave()
	}
	w.Run(20 * time.Second)
	requireEmpty(w)
}
