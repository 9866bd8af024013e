package game

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// arena is a match of Ann and Bob, whose ships face each other, and of Cat, who looks on.
type arena struct {
	*world
	ann, bob, cat *guest
}

// newArena returns a match with combat. Bob's ship is some game units ahead of Ann's, at rest.
func newArena(t *testing.T, o options, anns, bobs string, distance float32) *arena {
	o.combat = true
	w := newWorld(t, o, nil)
	a := &arena{w, w.Join("Ann"), w.Join("Bob"), w.Join("Cat")}
	a.ann.Launch(anns, 0)
	a.bob.Launch(bobs, 0)
	a.cat.Launch("galaxy", 0)
	w.Run(500 * time.Millisecond)
	a.place(a.ann, [3]float32{}, 1)
	a.place(a.bob, [3]float32{0, distance, 0}, -1)
	a.place(a.cat, [3]float32{1000, 0, 0}, 1)
	w.Run(time.Second)
	for _, g := range []*guest{a.ann, a.bob, a.cat} {
		g.Heard, g.Updates = nil, nil
	}
	return a
}

// place reports the place of a ship, which looks along the axis Y or against it.
func (a *arena) place(g *guest, at [3]float32, nose float32) {
	g.Tell(&opcode.StateUpdate{
		ObjectID: g.Object(0), GameTime: float32(a.match.GameTime().Seconds()), Flags: opcode.StatePosition | opcode.StateForward | opcode.StateUp | opcode.StateSpeed,
		Position: at, Forward: compress.EncodeVector3(0, nose, 0), Up: compress.EncodeVector3(0, 0, 1),
	})
}

// part returns the object ID of a part of a guest's ship.
func (a *arena) part(g *guest, kind stateupdate.Kind, child int) objectid.ID {
	class := a.ship(g).Class
	for i := range class.Subsystems {
		if class.Subsystems[i].Kind == kind {
			id, ok := class.PartID(g.Object(0), i, child)
			require.True(a.T, ok)
			return id
		}
	}
	require.Fail(a.T, "no such part", kind)
	return 0
}

// ship returns the ship of a guest as the server computes it, or nil.
func (a *arena) ship(g *guest) *model.Ship { return a.match.world.Ship(g.Object(0)) }

// lost returns the points that a ship has lost: of its shields, and of its parts.
func lost(s *model.Ship) (shields, parts float64) {
	whole := new(model.World)
	if err := whole.Add(s.ID, s.Class, s.System, model.Motion{Forward: [3]float64{0, 1}}); err != nil {
		panic(err)
	}
	for i := range s.Shields {
		shields += whole.Ship(s.ID).Shields[i] - s.Shields[i]
	}
	for i := range s.Condition {
		parts += whole.Ship(s.ID).Condition[i] - s.Condition[i]
	}
	return shields, parts
}

// fire makes Ann's phasers fire at a target, and her tubes, until Bob's ship is destroyed.
func (a *arena) destroyBob() {
	a.T.Helper()
	for range 400 {
		a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
		a.Run(time.Second)
		if s := a.ship(a.bob); s == nil || !s.Alive() {
			return
		}
	}
	require.Fail(a.T, "Bob's ship is not destroyed")
}

// All hear of a death: which ship, which killer, and the scores. The points are a tenth of the damage.
func TestDeathByBeams(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "shuttle", 30)
	a.destroyBob()
	a.Run(time.Second)
	victim := a.named("Bob")
	for _, g := range []*guest{a.ann, a.bob, a.cat} {
		exploding := 0
		for _, m := range g.Heard {
			event, ok := m.(*opcode.PythonEvent)
			if !ok {
				continue
			}
			if ship, by, player, ok := event.Killed(); ok {
				exploding++
				require.Equal(t, []any{a.bob.Object(0), a.ann.Object(0), a.ann.PeerID()}, []any{ship, by, player})
			}
		}
		require.Equal(t, 1, exploding)
		change := last[*opcode.ScoreChange](g)
		require.Equal(t, a.named("Ann").Points, change.KillerScore)
		require.Equal(t, []any{a.ann.PeerID(), int32(1), a.bob.PeerID(), int32(1)}, []any{change.KillerID, change.KillerKills, change.VictimID, change.VictimDeaths})
		require.Empty(t, change.Damagers)
	}
	require.InDelta(t, victim.damage[0].points/scoreDivisor, a.named("Ann").Points, 1)
	require.Greater(t, victim.damage[0].points, 1600.0) // its hull
	require.Nil(t, victim.ship)
	a.bob.Launch("galaxy", 0)
	a.Run(time.Second)
	shields, parts := lost(a.ship(a.bob))
	require.Zero(t, shields+parts, "of the next ship")
}

// Shots at a ship that explodes are no fault, also on a strict server: the shooter learns of the death later.
func TestShotsAtTheDying(t *testing.T) {
	a := newArena(t, options{strict: true}, "kessokheavy", "shuttle", 30)
	a.destroyBob()
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.ann.Say(opcode.NewTorpedoFire(a.part(a.ann, stateupdate.KindTorpedo, 0), a.ann.PeerID(), compress.EncodeVector3(0, 1, 0), a.bob.Object(0), compress.Contact{}))
	a.Run(time.Second)
	require.Zero(t, a.noted)
	require.Zero(t, dropped(a.world, improbable))
	a.Run(15 * time.Second)
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.Run(time.Second)
	require.Equal(t, 1, a.noted, "long after the explosion")
}

// A player who has damaged a ship gets points when another player destroys it, or nobody.
func TestPointsOfOtherPlayers(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "galaxy", 30)
	a.place(a.cat, [3]float32{0, -30, 0}, 1)
	a.cat.Say(opcode.NewStartFiring(a.part(a.cat, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.Run(5 * time.Second)
	a.bob.Say(&opcode.HostMessage{})
	a.Run(time.Second)
	change := last[*opcode.ScoreChange](a.cat)
	require.Zero(t, change.KillerID)
	require.ElementsMatch(t, []opcode.DamagerScore{
		{ID: a.ann.PeerID(), Score: a.named("Ann").Points}, {ID: a.cat.PeerID(), Score: a.named("Cat").Points},
	}, change.Damagers)
	require.Positive(t, a.named("Ann").Points)
	require.Positive(t, a.named("Cat").Points)
	require.Zero(t, a.named("Ann").Kills)
}

// Damage to a ship of the own team costs points, and its death is no kill.
func TestFriendlyFire(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "shuttle", 30)
	for _, g := range []*guest{a.ann, a.bob} {
		g.Say(&opcode.TeamMessage{PlayerID: g.PeerID(), Team: opcode.TeamOne})
	}
	a.destroyBob()
	require.Zero(t, a.named("Ann").Kills)
	require.Negative(t, a.named("Ann").Points)
	require.EqualValues(t, 1, a.named("Bob").Deaths)
}

// Clients that compute nothing see the conditions of the host within 2 s.
func TestConditionsAreSeen(t *testing.T) {
	for i := range stateupdate.Stock()[:15] {
		class := stateupdate.Stock()[i].Key
		a := newArena(t, options{}, "kessokheavy", class, 30)
		pictures := map[*guest]*stateupdate.Tracker{a.ann: {}, a.bob: {}}
		for _, tracker := range pictures {
			creation, err := a.named("Bob").ship.Creation()
			require.NoError(t, err)
			_, err = tracker.Apply(creation)
			require.NoError(t, err)
		}
		a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
		a.Run(4 * time.Second)
		if a.ship(a.bob) == nil {
			continue // the shuttle
		}
		a.ann.Say(opcode.NewStopFiring(a.part(a.ann, stateupdate.KindPhaser, -1)))
		a.Run(200 * time.Millisecond)
		was := a.named("Bob").ship
		conditions := fmt.Sprint(was.Subsystems)
		shields, _ := lost(a.ship(a.bob))
		require.Positive(t, shields, class)
		a.ann.Updates, a.bob.Updates = nil, nil
		a.match.ended, a.match.restart = true, math.MaxInt64 // no more combat
		a.Run(2 * time.Second)
		require.Equal(t, conditions, fmt.Sprint(a.named("Bob").ship.Subsystems))
		for g, tracker := range pictures {
			for i := range g.Updates {
				if g.Updates[i].ObjectID == a.bob.Object(0) {
					_, err := tracker.Apply(&g.Updates[i])
					require.NoError(t, err)
				}
			}
			equalConditions(t, was, tracker.Ship(a.bob.Object(0)))
		}
	}
}

// A damaged part enters the repair list, and leaves it when it is repaired.
func TestRepairs(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "akira", 30)
	m, err := opcode.NewCollisionEffect(a.bob.Object(0), objectid.None, []compress.Contact{compress.EncodeContact(0, 0, 1, 1)}, 1)
	require.NoError(t, err)
	a.match.options.Host.Settings.CollisionDamage = true
	a.bob.Say(m)
	damaged, repaired := map[objectid.ID]bool{}, map[objectid.ID]bool{}
	a.Until(10*time.Minute, func() bool {
		for _, m := range a.cat.Heard {
			event, ok := m.(*opcode.PythonEvent)
			if !ok {
				continue
			}
			if part, repair, ok := event.Damaged(); ok {
				require.Equal(t, a.part(a.bob, stateupdate.KindRepair, -1), repair)
				damaged[part] = true
			}
			if ship, part, repair, ok := event.Repaired(); ok {
				require.Equal(t, a.bob.Object(0), ship)
				require.Equal(t, a.part(a.bob, stateupdate.KindRepair, -1), repair)
				require.True(t, damaged[part])
				repaired[part] = true
			}
		}
		a.cat.Heard = nil
		return len(repaired) > 0 && len(repaired) == len(damaged)
	})
	_, parts := lost(a.ship(a.bob))
	require.Zero(t, parts)
}

// Players are told once that a part on the repair list is destroyed. The engineering panel of a client
// waits for this message.
func TestRepairFails(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "akira", 30)
	a.match.options.Host.Settings.CollisionDamage = true
	bob, i := a.ship(a.bob), 0
	for _, sub := range bob.Class.Subsystems { // no child is critical
		for k := range 1 + len(sub.Children) {
			if k > 0 || !sub.Critical {
				bob.Condition[i] = 100
			}
			i++
		}
	}
	for range 3 {
		m, err := opcode.NewCollisionEffect(a.bob.Object(0), objectid.None, []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}, 1)
		require.NoError(t, err)
		a.bob.Say(m)
		a.Run(time.Second)
	}
	for _, g := range []*guest{a.ann, a.bob, a.cat} {
		damaged, failed := map[objectid.ID]bool{}, map[objectid.ID]bool{}
		for _, m := range g.Heard {
			event, ok := m.(*opcode.PythonEvent)
			if !ok {
				continue
			}
			if part, _, ok := event.Damaged(); ok {
				require.False(t, damaged[part] || failed[part], "a destroyed part is not damaged")
				damaged[part] = true
			}
			if ship, part, repair, ok := event.RepairFailed(); ok {
				require.Equal(t, a.bob.Object(0), ship)
				require.Equal(t, a.part(a.bob, stateupdate.KindRepair, -1), repair)
				require.True(t, damaged[part] && !failed[part])
				failed[part] = true
			}
		}
		require.NotEmpty(t, failed)
		require.NotContains(t, failed, a.part(a.bob, stateupdate.KindHull, -1))
	}
}

// A collision has no killer, and needs the setting.
func TestCollisionsInCombat(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "galaxy", 8)
	ram := func() {
		m, err := opcode.NewCollisionEffect(a.bob.Object(0), a.ann.Object(0), []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}, 720)
		require.NoError(t, err)
		a.bob.Say(m)
		a.Run(time.Second)
	}
	ram()
	shields, parts := lost(a.ship(a.bob))
	require.Zero(t, shields+parts)
	require.Equal(t, 1, dropped(a.world, "collision"))

	a.match.options.Host.Settings.CollisionDamage = true
	ram()
	_, parts = lost(a.ship(a.bob))
	require.Greater(t, parts, 5800.0) // 900 · 720 / 120 + 500, less the repairs of a second
	shields, parts = lost(a.ship(a.ann))
	require.Zero(t, shields+parts, "nobody reports the collisions of another ship")
	for a.ship(a.bob) != nil {
		ram()
	}
	_, by, player, ok := last[*opcode.PythonEvent](a.cat).Killed()
	require.True(t, ok)
	require.Equal(t, []any{objectid.None, objectid.NoPeer}, []any{by, player})
	require.Zero(t, last[*opcode.ScoreChange](a.cat).KillerID)
}

// A torpedo whose ship is gone still has its player as the killer.
func TestKillerWithoutShip(t *testing.T) {
	a := newArena(t, options{}, "warbird", "galaxy", 60)
	bob := a.ship(a.bob)
	bob.Shields, bob.Condition[bob.Part("Hull")] = [6]float64{}, 1
	tube := a.part(a.ann, stateupdate.KindTorpedo, 0)
	a.ann.Say(opcode.NewTorpedoFire(tube, a.ann.PeerID(), compress.EncodeVector3(0, 1, 0), a.bob.Object(0), compress.Contact{}))
	a.Run(500 * time.Millisecond)
	a.ann.Say(&opcode.HostMessage{})
	a.Until(time.Minute, func() bool { return a.ship(a.bob) == nil })
	a.Run(time.Second)
	ship, by, player, ok := last[*opcode.PythonEvent](a.cat).Killed()
	require.True(t, ok)
	require.Equal(t, []any{a.bob.Object(0), a.ann.Object(0), a.ann.PeerID()}, []any{ship, by, player})
	require.EqualValues(t, 1, a.named("Ann").Kills)
}

// The round ends at the frag limit, and the next one has no shots of the last.
func TestFragLimitInCombat(t *testing.T) {
	a := newArena(t, options{fragLimit: 1, pause: 5 * time.Second}, "kessokheavy", "shuttle", 30)
	a.destroyBob()
	a.Run(time.Second)
	require.Equal(t, opcode.EndScoreLimit, last[*opcode.EndGame](a.cat).Reason)
	a.Run(10 * time.Second)
	require.False(t, a.match.ended)
	require.Equal(t, 1, a.cat.Count(opcode.OpRestartGame))
	require.Zero(t, a.named("Ann").Points)
	a.ann.Launch("galaxy", 0)
	a.Run(time.Second)
	shields, parts := lost(a.ship(a.ann))
	require.Zero(t, shields+parts)
}

// Shots that make no sense damage nobody. They are noted, and only a strict server does not relay them.
func TestBadShots(t *testing.T) {
	for _, strict := range []bool{false, true} {
		a := newArena(t, options{strict: strict}, "sovereign", "galaxy", 30)
		tube, phasers := a.part(a.ann, stateupdate.KindTorpedo, 0), a.part(a.ann, stateupdate.KindPhaser, -1)
		ahead := compress.EncodeVector3(0, 1, 0)
		torpedo := func(tube objectid.ID, direction compress.Vector3) opcode.Message {
			return opcode.NewTorpedoFire(tube, a.ann.PeerID(), direction, a.bob.Object(0), compress.Contact{})
		}
		bad := map[string]opcode.Message{
			"no weapon":       torpedo(a.part(a.ann, stateupdate.KindHull, -1), ahead),
			"no part":         torpedo(a.ann.Object(3000), ahead),
			"a phaser":        torpedo(a.part(a.ann, stateupdate.KindPhaser, 0), ahead),
			"a whole system":  torpedo(a.part(a.ann, stateupdate.KindTorpedo, -1), ahead),
			"no direction":    torpedo(tube, compress.Vector3{}),
			"a pulse":         opcode.NewBeamFire(a.part(a.ann, stateupdate.KindHull, -1), a.ann.PeerID(), ahead, a.bob.Object(0)),
			"at nobody":       opcode.NewStartFiring(phasers, a.bob.Object(5000)+1<<30),
			"at a free ID":    opcode.NewStartFiring(phasers, a.cat.Object(70)+1<<18),
			"at oneself":      opcode.NewStartFiring(phasers, a.ann.Object(0)),
			"at nothing":      opcode.NewStartFiring(phasers, objectid.None),
			"level of a hull": &opcode.SubsystemStatus{Event: opcode.NewSubsystemStatus(a.ann.Object(3000), false).Event},
		}
		for name, m := range bad {
			noted, relayed := a.noted, len(a.cat.Heard)
			a.ann.Say(m)
			a.Run(time.Second)
			require.Equal(t, noted+1, a.noted, name)
			require.Equal(t, !strict, len(a.cat.Heard) > relayed, name)
		}
		a.bob.Set = "Multi2"
		a.bob.Launch("galaxy", 100)
		a.Run(2 * time.Second)
		noted := a.noted
		for _, target := range []objectid.ID{a.bob.Object(0), a.bob.Object(100)} { // removed, and in another system
			a.ann.Say(opcode.NewStartFiring(phasers, target))
			a.Run(3 * time.Second)
		}
		require.Equal(t, noted+2, a.noted)
		for _, s := range []*model.Ship{a.match.world.Ship(a.bob.Object(100)), a.ship(a.ann), a.ship(a.cat)} {
			shields, parts := lost(s)
			require.Zero(t, shields+parts)
		}
	}
}

// A thousand shots a second do no more than those of a ship.
func TestManyShots(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "galaxy", 30)
	torpedoes := 0
	for i := range a.ship(a.ann).Class.Subsystems {
		if sub := &a.ship(a.ann).Class.Subsystems[i]; sub.Kind == stateupdate.KindTorpedo {
			torpedoes = len(sub.Children)
		}
	}
	for range 1000 {
		a.ann.Say(opcode.NewTorpedoFire(a.part(a.ann, stateupdate.KindTorpedo, 0), a.ann.PeerID(), compress.EncodeVector3(0, 1, 0), a.bob.Object(0), compress.Contact{}))
	}
	a.Run(10 * time.Second)
	require.Positive(t, dropped(a.world, "rate"))
	shields, parts := lost(a.ship(a.bob))
	require.Positive(t, shields)
	require.LessOrEqual(t, shields+parts, 500*float64(torpedoes))
}

// A ship that is faster than its class is noted. A strict server leaves it where it was.
func TestImpossibleSpeed(t *testing.T) {
	for _, strict := range []bool{false, true} {
		a := newArena(t, options{strict: strict}, "galaxy", "galaxy", 30)
		log := logTo(a.world)
		fly := func(speed float32, seconds int) {
			for range 10 * seconds {
				at := a.named("Ann").ship.Position
				a.place(a.ann, [3]float32{at[0], at[1] + speed/10, 0}, 1)
				a.Run(tick)
			}
		}
		fly(6.3*1.25, 20)
		require.Zero(t, a.noted)
		before := a.named("Ann").ship.Position[1]
		for i := range 100 {
			a.place(a.ann, [3]float32{0, before + float32(i), 0}, 1)
			a.Run(tick)
		}
		require.Positive(t, a.noted)
		require.Contains(t, log.String(), "improbable")
		if strict {
			require.Positive(t, dropped(a.world, improbable))
			require.Less(t, a.named("Ann").ship.Position[1], before+50)
		} else {
			require.InDelta(t, before+99, a.named("Ann").ship.Position[1], 2)
		}
		noted := a.noted
		a.Run(3 * time.Second)
		require.Equal(t, noted, a.noted)
	}
}

// In warp, a ship may have any speed.
func TestSpeedOfWarp(t *testing.T) {
	a := newArena(t, options{strict: true}, "galaxy", "galaxy", 30)
	m, err := opcode.NewStartWarp(a.part(a.ann, stateupdate.KindWarp, -1), "Multi1", [4]float32{})
	require.NoError(t, err)
	a.ann.Say(m)
	a.Run(time.Second)
	for i := range 50 {
		a.place(a.ann, [3]float32{0, 7.5 * float32(i), 0}, 1)
		a.Run(tick)
	}
	require.Zero(t, a.noted)
	require.Equal(t, float32(7.5*49), a.named("Ann").ship.Position[1])
}

// A motion without a direction is not a motion, and NaN and infinity are refused before.
func TestMotionThatIsNoMotion(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "galaxy", 30)
	nan := float32(math.NaN())
	for _, x := range []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1))} {
		a.ann.Tell(&opcode.StateUpdate{ObjectID: a.ann.Object(0), GameTime: 99, Flags: opcode.StatePosition, Position: [3]float32{0, x}})
	}
	a.ann.Tell(&opcode.StateUpdate{ObjectID: a.ann.Object(0), GameTime: 99, Flags: opcode.StateForward | opcode.StatePosition, Position: [3]float32{9}})
	a.Run(time.Second)
	require.Equal(t, 3, dropped(a.world, "invalid"))
	require.Equal(t, 1, dropped(a.world, improbable))
	require.Equal(t, [3]float32{}, a.named("Ann").ship.Position)
}

// A client that stops sending its motion leaves its ship where it is, and the ship can be hit.
func TestSilentClient(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "galaxy", 30)
	a.bob.Tell(&opcode.StateUpdate{ObjectID: a.bob.Object(0), GameTime: 50, Flags: opcode.StateSpeed, Speed: compress.EncodeFloat16(6)})
	a.Run(30 * time.Second)
	require.InDelta(t, 30-12, a.ship(a.bob).Position[1], 2) // for 2 s towards Ann
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.Run(5 * time.Second)
	shields, _ := lost(a.ship(a.bob))
	require.Positive(t, shields)
}

// A ship whose class has no physics flies, and neither fires nor is hit.
func TestClassWithoutPhysics(t *testing.T) {
	a := newArena(t, options{}, "galaxy", "galaxy", 30)
	ship := a.bob.Launch("galaxy", 200)
	ship.Class = &stateupdate.Class{}
	object, err := (&stateupdate.Ship{ID: a.bob.Object(400), Species: 99, SetName: "Multi1", PlayerName: "Bob"}).Object()
	require.NoError(t, err)
	a.Run(3 * time.Second)
	a.bob.Say(&opcode.ObjectCreateTeam{OwnerSlot: a.bob.Slot, NetPlayerID: a.bob.PeerID(), Object: object})
	a.Run(time.Second)
	require.Equal(t, a.bob.Object(400), a.named("Bob").ship.ID)
	require.Nil(t, a.match.world.Ship(a.bob.Object(400)))
	a.bob.Tell(&opcode.StateUpdate{ObjectID: a.bob.Object(400), GameTime: 60, Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}})
	a.bob.Say(opcode.NewTorpedoFire(a.bob.Object(405), a.bob.PeerID(), compress.EncodeVector3(0, 1, 0), a.ann.Object(0), compress.Contact{}))
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(400)))
	a.Run(5 * time.Second)
	require.Equal(t, [3]float32{1, 2, 3}, a.named("Bob").ship.Position)
	shields, parts := lost(a.ship(a.ann))
	require.Zero(t, shields+parts)
}

// Time that jumps does no damage, and the model does not compute a year of it, which would take hours.
func TestTimeThatJumps(t *testing.T) {
	a := newArena(t, options{}, "kessokheavy", "galaxy", 30)
	a.ann.Say(opcode.NewStartFiring(a.part(a.ann, stateupdate.KindPhaser, -1), a.bob.Object(0)))
	a.Run(500 * time.Millisecond)
	for _, jump := range []time.Duration{-time.Hour, 24 * 365 * time.Hour, -24 * 365 * time.Hour} {
		before, _ := lost(a.ship(a.bob))
		a.match.Tick(a.Now.Add(jump))
		after, _ := lost(a.ship(a.bob))
		require.LessOrEqual(t, after-before, 1000.0) // of a second
	}
}
