package model_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	anns  objectid.ID = 0x3FFFFFFF // a Bird of Prey
	bens  objectid.ID = 0x4003FFFF // a Galaxy, 30 GU ahead of it
	carls objectid.ID = 0x4007FFFF // a Galaxy in another system
)

var (
	ahead  = [3]float64{0, 1, 0}
	centre = [3]float64{}
	nan    = math.NaN()
	inf    = math.Inf(1)
)

// harness is a World with the ships of three players.
type harness struct {
	*model.World
	*testing.T
	now    time.Duration
	events []model.Event
}

func newHarness(t *testing.T) *harness {
	h := &harness{World: new(model.World), T: t}
	h.add(anns, "birdofprey", "Multi1", centre, ahead)
	h.add(bens, "galaxy", "Multi1", [3]float64{0, 30, 0}, ahead)
	h.add(carls, "galaxy", "Multi2", [3]float64{0, 20, 0}, ahead)
	return h
}

func (h *harness) add(id objectid.ID, class, system string, at, forward [3]float64) {
	h.Helper()
	require.NoError(h, h.Add(id, stateupdate.Stock().Named(class), system, model.Motion{Position: at, Forward: forward}))
}

// run advances by some time, with reports of all ships that they do not move.
func (h *harness) run(d time.Duration) {
	for end := h.now + d; h.now < end; h.now += 50 * time.Millisecond {
		h.events = append(h.events, h.Advance(h.now)...)
	}
}

// weapon returns the object ID of a part of a ship.
func (h *harness) weapon(ship objectid.ID, kind stateupdate.Kind, child int) objectid.ID {
	system := slices.IndexFunc(h.Ship(ship).Class.Subsystems, func(s stateupdate.Subsystem) bool { return s.Kind == kind })
	id, ok := h.Ship(ship).Class.PartID(ship, system, child)
	require.True(h, ok)
	return id
}

// collide reports that a ship has collided with nobody.
func (h *harness) collide(ship objectid.ID, force float32) error {
	return h.Apply(&opcode.CollisionEffect{Event: opcode.Event{
		Class: opcode.ClassCollisionEvent, Code: opcode.ETObjectCollision, Dest: ship, Contacts: make([]compress.Contact, 1), Force: force,
	}})
}

// destroy destroys a ship, if it is alive, by a collision.
func (h *harness) destroy(ship objectid.ID) { _ = h.collide(ship, 1e9) }

func (h *harness) count(kind model.Kind) (n int) {
	for _, e := range h.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// intact requires that no ship has lost anything.
func (h *harness) intact() {
	h.Helper()
	require.Zero(h, h.count(model.Hit))
	for _, id := range []objectid.ID{anns, bens, carls} {
		s := h.Ship(id)
		require.NotNil(h, s)
		for i, sub := range s.Class.Subsystems {
			require.InDelta(h, sub.MaxCondition, s.Condition[s.Part(sub.Name)], 0, "%d", i)
			if sub.Kind == stateupdate.KindShield {
				require.InDelta(h, sub.Facings[0], s.Shields[0], 0)
			}
		}
	}
}

const (
	cannons = stateupdate.KindPulse
	tubes   = stateupdate.KindTorpedo
	phasers = stateupdate.KindPhaser
)

// Shots that make no sense are refused and hit nobody.
func TestRefusedShots(t *testing.T) {
	h := newHarness(t)
	cannon, tube := h.weapon(anns, cannons, 0), h.weapon(anns, tubes, 0)
	for name, err := range map[string]error{
		"NaN":                    h.Shoot(cannon, bens, [3]float64{nan, 1, 0}, centre),
		"infinite":               h.Shoot(cannon, bens, [3]float64{0, inf, 0}, centre),
		"a length of 0":          h.Shoot(cannon, bens, centre, centre),
		"too long":               h.Shoot(cannon, bens, [3]float64{0, 1e300, 0}, centre),
		"a NaN offset":           h.Shoot(tube, bens, ahead, [3]float64{nan, 0, 0}),
		"an infinite offset":     h.Shoot(tube, bens, ahead, [3]float64{0, 0, -inf}),
		"the hull":               h.Shoot(h.weapon(anns, stateupdate.KindHull, -1), bens, ahead, centre),
		"the system":             h.Shoot(h.weapon(anns, cannons, -1), bens, ahead, centre),
		"the ship":               h.Shoot(anns, bens, ahead, centre),
		"an unknown object":      h.Shoot(12, bens, ahead, centre),
		"the last object":        h.Shoot(math.MaxInt32, bens, ahead, centre),
		"a negative object":      h.Shoot(-5, bens, ahead, centre),
		"a beam at nobody":       h.Fire(h.weapon(bens, phasers, -1), objectid.None, centre),
		"a beam at itself":       h.Fire(h.weapon(bens, phasers, -1), bens, centre),
		"a beam to Multi2":       h.Fire(h.weapon(bens, phasers, -1), carls, centre),
		"a NaN aim":              h.Fire(h.weapon(bens, phasers, -1), anns, [3]float64{nan}),
		"a beam of the sensors":  h.Fire(h.weapon(bens, stateupdate.KindSensor, -1), anns, centre),
		"a beam of a ship":       h.Fire(bens, anns, centre),
		"a torpedo of a phaser":  h.Shoot(h.weapon(bens, phasers, 0), anns, ahead, centre),
		"a tractor beam":         h.Fire(h.weapon(bens, stateupdate.KindTractor, -1), anns, centre),
		"a level":                h.Apply(&opcode.SetPhaserLevel{Event: opcode.Event{Dest: cannon, Value: 3}}),
		"a negative level":       h.Apply(&opcode.SetPhaserLevel{Event: opcode.Event{Dest: cannon, Value: -1}}),
		"a type of torpedoes":    h.Apply(&opcode.TorpedoTypeChange{Event: opcode.Event{Dest: tube, Value: 1}}),
		"a setting of a ship":    h.Apply(&opcode.SubsystemStatus{Event: opcode.Event{Dest: anns, Value: 1}}),
		"a setting of no object": h.Apply(&opcode.StopFiring{}),
	} {
		require.ErrorIs(t, err, model.ErrRefused, name)
	}
	h.run(3 * time.Second)
	h.intact()
}

// A shot at nobody, at the own ship or at a ship in another system flies on without a target. It is
// noted, and refused by a strict World.
func TestShotsWithoutTarget(t *testing.T) {
	for name, target := range map[string]objectid.ID{"nobody": objectid.None, "itself": anns, "another system": carls, "an unknown ship": 77} {
		h := newHarness(t)
		beside := [3]float64{0, 1, 0.3} // beside the Galaxy, in the arc
		require.NoError(t, h.Shoot(h.weapon(anns, cannons, 0), target, beside, centre), name)
		h.run(3 * time.Second)
		h.intact()
		require.Equal(t, target != objectid.None, h.count(model.Noted) == 1, name)

		h = newHarness(t)
		h.Strict = true
		err := h.Shoot(h.weapon(anns, cannons, 0), target, ahead, centre)
		require.Equal(t, target == objectid.None, err == nil, name)
	}
}

// A shot that is far out of the arc of its weapon is noted, or refused by a strict World.
func TestShotsOutOfArc(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.Shoot(h.weapon(anns, cannons, 0), bens, [3]float64{1, 0, 0}, centre))
	h.run(time.Millisecond)
	require.Equal(t, 1, h.count(model.Noted))
	h.Strict = true
	require.ErrorIs(t, h.Shoot(h.weapon(anns, cannons, 1), bens, [3]float64{1, 0, 0}, centre), model.ErrRefused)
	require.NoError(t, h.Shoot(h.weapon(anns, tubes, 0), bens, [3]float64{1, 0, 0}, centre), "a tube has no arc")
}

// Dead ships neither fire nor are hit. The explosion has no killer, and the ship is gone after it. A shot at a
// ship that explodes is no fault, also in a strict World: the shooter may not know.
func TestDeadShips(t *testing.T) {
	h := newHarness(t)
	h.Strict = true
	h.destroy(bens)
	h.destroy(bens)
	require.ErrorIs(t, h.Fire(h.weapon(bens, phasers, -1), anns, centre), model.ErrRefused)
	require.NoError(t, h.Fire(h.weapon(anns, cannons, -1), bens, centre))
	require.NoError(t, h.Shoot(h.weapon(anns, cannons, 0), bens, ahead, centre))
	h.run(5 * time.Second)
	require.Equal(t, 1, h.count(model.Hit), "by the collision")
	h.run(5 * time.Second)
	require.Nil(t, h.Ship(bens))
	var kinds []model.Kind
	for _, e := range h.events {
		if e.Kind != model.Fired && e.Kind != model.Damaged {
			kinds = append(kinds, e.Kind)
		}
		if e.Kind == model.Exploding {
			require.Equal(t, objectid.None, e.By)
		}
	}
	require.Equal(t, []model.Kind{model.Hit, model.Exploding}, kinds, "nothing is noted")
}

// A client that fires a thousand times a second fires no faster than its weapons.
func TestFlood(t *testing.T) {
	h := newHarness(t)
	cannon, tube, fired, launched := h.weapon(anns, cannons, 0), h.weapon(anns, tubes, 0), 0, 0
	for ms := range 10_000 {
		h.now = time.Duration(ms) * time.Millisecond
		h.events = append(h.events, h.Advance(h.now)...)
		if h.Shoot(cannon, bens, ahead, centre) == nil {
			fired++
		}
		if h.Shoot(tube, bens, ahead, centre) == nil {
			launched++
		}
	}
	require.Equal(t, 10*5+3, fired, "a cooldown of 0.2 s, and half a second ahead")
	require.Equal(t, 1, launched, "a reload of 20 s")
	damage := 0.0
	for _, e := range h.events {
		damage += e.Absorbed + e.Passed
	}
	require.LessOrEqual(t, damage, 110.0*float64(fired)+1400)
}

// A flood of bolts that hit nothing has a limit in flight.
func TestFloodInFlight(t *testing.T) {
	h := newHarness(t)
	h.add(5, "cardstation", "Multi3", centre, ahead)
	refused := 0
	for i := range 400 {
		for k := range 8 {
			if err := h.Shoot(h.weapon(5, cannons, k), objectid.None, ahead, centre); err != nil {
				refused++
			}
		}
		h.now = time.Duration(i) * model.Step
		h.Advance(h.now)
	}
	require.Positive(t, refused)
}

// A class without physics, a motion that is not finite, and an ID that is in use are refused.
func TestAddRefuses(t *testing.T) {
	h := newHarness(t)
	galaxy := stateupdate.Stock().Named("galaxy")
	for name, err := range map[string]error{
		"no physics":     h.Add(9, &stateupdate.Class{Subsystems: galaxy.Subsystems[:2]}, "", model.Motion{Forward: ahead}),
		"no class":       h.Add(9, nil, "", model.Motion{Forward: ahead}),
		"the same ID":    h.Add(anns, galaxy, "", model.Motion{Forward: ahead}),
		"no direction":   h.Add(9, galaxy, "", model.Motion{}),
		"a NaN position": h.Add(9, galaxy, "", model.Motion{Forward: ahead, Position: [3]float64{nan}}),
		"an infinite up": h.Add(9, galaxy, "", model.Motion{Forward: ahead, Up: [3]float64{inf}}),
	} {
		require.ErrorIs(t, err, model.ErrRefused, name)
		require.Nil(t, h.Ship(9), name)
	}
	n := 3
	for id := objectid.ID(1000); ; id += 1000 {
		if h.Add(id, galaxy, "", model.Motion{Forward: ahead}) != nil {
			break
		}
		n++
	}
	require.Equal(t, 256, n)
	h.Remove(carls)
	h.Remove(carls)
	require.NoError(t, h.Add(carls, galaxy, "", model.Motion{Forward: ahead}))
}

// Reports that are not finite are refused and change nothing.
func TestReportRefuses(t *testing.T) {
	h := newHarness(t)
	before := h.Ship(anns).Motion
	for _, m := range []model.Motion{
		{},
		{Forward: [3]float64{nan, 1, 0}},
		{Forward: ahead, Position: [3]float64{0, -inf, 0}},
		{Forward: ahead, Velocity: [3]float64{nan}},
		{Forward: ahead, Position: [3]float64{1e300}},
		{Forward: [3]float64{inf}},
		{Forward: ahead, Spin: [3]float64{nan}},
	} {
		require.ErrorIs(t, h.Report(anns, "Multi1", m, false), model.ErrRefused)
	}
	require.ErrorIs(t, h.Report(12, "Multi1", model.Motion{Forward: ahead}, false), model.ErrRefused)
	require.Equal(t, before, h.Ship(anns).Motion)
	h.Ship(anns).Helm = &stateupdate.Helm{Throttle: nan, Turn: [3]float64{inf}}
	h.run(time.Second)
	require.Equal(t, before.Position, h.Ship(anns).Position)
}

// The ship of a client that stops its reports goes on for two seconds, and then stops.
func TestSilentClient(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.Report(anns, "Multi1", model.Motion{Forward: ahead, Velocity: [3]float64{0, 6, 0}}, false))
	h.run(time.Minute)
	require.InDelta(t, 12, h.Ship(anns).Position[1], 0.2)
}

// A time that stands still or goes back does nothing. After a jump, the World computes a second.
func TestTimeJumps(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.Report(anns, "Multi1", model.Motion{Forward: ahead, Velocity: [3]float64{0, 1, 0}}, false))
	h.Advance(time.Second / 2)
	at := h.Ship(anns).Position
	for _, now := range []time.Duration{time.Second / 2, 0, -time.Hour, math.MinInt64} {
		h.Advance(now)
		require.Equal(t, at, h.Ship(anns).Position)
	}
	h.Advance(time.Hour)
	require.InDelta(t, 1.5, h.Ship(anns).Position[1], 0.05)
	h.Advance(math.MaxInt64)
	require.InDelta(t, 2, h.Ship(anns).Position[1], 0.5)
	h.Advance(math.MaxInt64)
}

// A ship that is faster than its class for 2 s is noted. It may have any place in its first two seconds. A
// strict World does not move it. Warp, another star system and a collision are exceptions.
func TestSpeed(t *testing.T) {
	fly := func(h *harness, speed float64, seconds int, report func(m model.Motion) error) (err error) {
		for i := range seconds * 10 {
			h.run(100 * time.Millisecond)
			err = report(model.Motion{Position: [3]float64{0, 0, float64(i) * speed / 10}, Forward: ahead})
		}
		return err
	}
	plain := func(h *harness) func(model.Motion) error {
		return func(m model.Motion) error { return h.Report(anns, "Multi1", m, false) }
	}
	h := newHarness(t)
	require.NoError(t, fly(h, 7.9, 10, plain(h)))
	require.Zero(t, h.count(model.Noted), "1.3 times the speed of the class")

	h = newHarness(t)
	require.NoError(t, fly(h, 9, 10, plain(h)))
	require.InDelta(t, 4, h.count(model.Noted), 1)
	require.InDelta(t, 9*9.9, h.Ship(anns).Position[2], 0.1, "the report counts")

	h = newHarness(t)
	h.Strict = true
	require.ErrorIs(t, fly(h, 9, 10, plain(h)), model.ErrRefused)
	require.Less(t, h.Ship(anns).Position[2], 50.0)

	h = newHarness(t)
	require.NoError(t, fly(h, 75, 10, func(m model.Motion) error { return h.Report(anns, "Multi1", m, true) }))
	require.Zero(t, h.count(model.Noted), "warp")

	h = newHarness(t)
	collision, err := opcode.NewCollisionEffect(anns, objectid.None, make([]compress.Contact, 1), 100)
	require.NoError(t, err)
	h.run(time.Second)
	require.NoError(t, h.Apply(collision))
	require.NoError(t, fly(h, 9, 9, plain(h)))
	require.Zero(t, h.count(model.Noted), "a collision")

	h = newHarness(t)
	require.NoError(t, h.Report(anns, "Multi2", model.Motion{Position: [3]float64{0, 500, 0}, Forward: ahead}, false))
	require.Equal(t, "Multi2", h.Ship(anns).System)
	require.ErrorIs(t, h.Fire(h.weapon(anns, cannons, -1), bens, centre), model.ErrRefused, "in another system")
}

// Two seconds of too much speed are noted whenever they begin, and so is a jump farther than a ship flies in two seconds.
func TestSprint(t *testing.T) {
	for slow := range 20 {
		h, at := newHarness(t), 0.0
		fly := func(speed float64, ticks int) (noted int) {
			for range ticks {
				h.run(100 * time.Millisecond)
				at += speed / 10
				require.NoError(t, h.Report(anns, "Multi1", model.Motion{Position: [3]float64{0, 0, at}, Forward: ahead}, false))
			}
			h.run(50 * time.Millisecond)
			return h.count(model.Noted)
		}
		require.Zero(t, fly(1.25*6.2, 50+slow))
		require.Zero(t, fly(1, 30))
		require.Zero(t, fly(1.5*6.2, 14))
		require.Equal(t, 1, fly(1.5*6.2, 9), slow)
		require.Equal(t, 1, fly(1, 30))
		require.Equal(t, 2, fly(170, 1), "a jump of 17 GU")
	}
}

// After the loss of an absolute position, relative positions are wrong by a second of flight. They are not noted, unless
// they lead farther away than a ship flies in 3.5 s.
func TestLostPosition(t *testing.T) {
	h := newHarness(t)
	h.Strict = true
	const speed = 1.25 * 6.2
	for tick := range 300 {
		h.run(100 * time.Millisecond)
		at, base := float64(tick)*speed/10, 0.0
		lost := tick/10%4 == 3 // each fourth position, of one a second
		if lost {
			base = speed
		}
		if tick%10 == 0 && lost {
			continue
		}
		m := model.Motion{Position: [3]float64{0, 0, at - base}, Forward: ahead, Relative: tick%10 != 0}
		require.NoError(t, h.Report(anns, "Multi1", m, false), tick)
	}
	far := model.Motion{Position: [3]float64{0, 30, 30 * speed}, Forward: ahead, Relative: true}
	require.ErrorIs(t, h.Report(anns, "Multi1", far, false), model.ErrRefused)
}

// A collision that cannot be is refused.
func TestRefusedCollisions(t *testing.T) {
	h := newHarness(t)
	h.add(7, "galaxy", "Multi1", [3]float64{500, 0, 0}, ahead)
	contacts := make([]compress.Contact, 1)
	collision := func(ship, other objectid.ID, contacts []compress.Contact, force float64) error {
		return h.Apply(&opcode.CollisionEffect{Event: opcode.Event{
			Class: opcode.ClassCollisionEvent, Code: opcode.ETObjectCollision, Source: other, Dest: ship, Contacts: contacts, Force: float32(force),
		}})
	}
	for name, err := range map[string]error{
		"no contact":       collision(anns, objectid.None, nil, 500),
		"NaN":              collision(anns, objectid.None, contacts, nan),
		"infinite":         collision(anns, objectid.None, contacts, inf),
		"negative":         collision(anns, objectid.None, contacts, -1),
		"itself":           collision(anns, anns, contacts, 500),
		"too far away":     collision(anns, 7, contacts, 500),
		"another system":   collision(anns, carls, contacts, 500),
		"an unknown ship":  collision(12, anns, contacts, 500),
		"no such event":    h.Apply(&opcode.CollisionEffect{}),
		"a destroyed ship": func() error { h.destroy(7); return collision(7, objectid.None, contacts, 500) }(),
	} {
		require.ErrorIs(t, err, model.ErrRefused, name)
	}
	h.run(100 * time.Millisecond)
	require.Equal(t, 1, h.count(model.Hit), "of the destroyed ship")
	require.NoError(t, collision(anns, bens, contacts, 90), "near enough")
	h.run(100 * time.Millisecond)
	require.Equal(t, 2, h.count(model.Hit))
	require.Equal(t, bens, h.events[len(h.events)-1].By)
}
