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

// untilHit advances step by step until there is a hit, for at most five seconds, and returns it. Before each step it
// calls a function.
func (h *harness) untilHit(before func()) model.Event {
	h.Helper()
	for end := h.now + 5*time.Second; h.now < end; {
		before()
		h.now += model.Step
		for _, e := range h.Advance(h.now) {
			if e.Kind == model.Hit {
				return e
			}
		}
	}
	require.Fail(h, "no hit")
	return model.Event{}
}

// lostParts returns the points that the parts of a ship have lost, by name.
func lostParts(s *model.Ship) map[string]float64 {
	lost, full := map[string]float64{}, stateOf(s)
	for _, sub := range s.Class.Subsystems {
		names := []string{sub.Name}
		for _, child := range sub.Children {
			names = append(names, child.Name)
		}
		for _, name := range names {
			if i := s.Part(name); s.Condition[i] < full[i] {
				lost[name] = math.Round(full[i] - s.Condition[i])
			}
		}
	}
	return lost
}

// A face that takes nothing does not stop a torpedo: it flies on to the body, also if the face has points again
// meanwhile.
func TestShotBehindFace(t *testing.T) {
	flight := func(rear float64) (hit model.Event, seconds float64) {
		h := newHarness(t)
		galaxy := h.Ship(bens)
		galaxy.Shields[stateupdate.FaceRear] = rear
		h.run(time.Second)
		start := h.now
		require.NoError(t, h.Shoot(h.weapon(anns, tubes, 0), bens, ahead, centre))
		return h.untilHit(func() {
			if seconds = (h.now - start).Seconds(); seconds > 2.5 { // the torpedo is in the sphere
				rear = 4000
			}
			galaxy.Shields[stateupdate.FaceRear] = rear
		}), seconds
	}
	hit, sphere := flight(4000)
	require.Equal(t, []float64{1400, 0}, []float64{hit.Absorbed, hit.Passed})
	hit, body := flight(0)
	require.Equal(t, []float64{0, 1400}, []float64{hit.Absorbed, hit.Passed})
	require.Greater(t, body, 2.5)
	require.InDelta(t, 0.27, body-sphere, 0.05, "2.7 GU from the sphere to the engineering hull, at 10 GU/s")
}

// Shots without another aim are aimed at the hull. They hit the body where they enter it, or the aim if they miss the
// body.
func TestAim(t *testing.T) {
	hit := func(body []model.Ellipsoid, part string, offset [3]float64) map[string]float64 {
		h := newHarness(t)
		galaxy := h.Ship(bens)
		galaxy.Shields = [6]float64{}
		h.run(time.Second)
		galaxy.Body = body
		target := bens
		if part != "" {
			i := slices.IndexFunc(galaxy.Class.Subsystems, func(s stateupdate.Subsystem) bool { return s.Name == part })
			target, _ = galaxy.Class.PartID(bens, i, -1)
		}
		require.NoError(t, h.Fire(h.weapon(anns, cannons, -1), target, offset))
		h.untilHit(func() {})
		return lostParts(galaxy)
	}
	galaxy := newHarness(t).Ship(bens)
	radius := galaxy.Class.Physics.Radius
	require.Equal(t, map[string]float64{"Hull": 220}, hit(galaxy.Body, "", centre), "the stern of the body")
	for name, lost := range map[string]map[string]float64{
		"no body":            hit(nil, "", centre),
		"a flat body":        hit([]model.Ellipsoid{{HalfAxes: [3]float64{1, 0, 1}}}, "", centre),
		"a body beside":      hit([]model.Ellipsoid{{Centre: [3]float64{9, 9, 9}, HalfAxes: [3]float64{1, 1, 1}}}, "", centre),
		"a body behind":      hit([]model.Ellipsoid{{Centre: [3]float64{0, 2, -0.5}, HalfAxes: [3]float64{1, 1, 1}}}, "", centre),
		"an offset":          hit(nil, "", [3]float64{0, -1.5 / radius, -0.5 / radius}),
		"a body at the core": hit([]model.Ellipsoid{{Centre: [3]float64{0, -1.4, -0.48}, HalfAxes: [3]float64{0.1, 0.1, 0.1}}}, "", centre),
	} {
		require.Equal(t, map[string]float64{"Hull": 220, "Warp Core": 220}, lost, name)
	}
	require.Equal(t, map[string]float64{"Hull": 220, "Warp Core": 220, "Aft Torpedo 1": 220, "Aft Torpedo 2": 220}, hit(nil, "Warp Core", centre))
	require.Contains(t, hit(nil, "Sensor Array", centre), "Sensor Array")
	require.Contains(t, hit(nil, "Sensor Array", [3]float64{0, 1.2 / radius, 0.56 / radius}), "Bridge", "the offset, not the part")
}

// A shot without a target that hits a ship is one at its hull.
func TestStrayShot(t *testing.T) {
	h := newHarness(t)
	galaxy := h.Ship(bens)
	galaxy.Shields, galaxy.Body = [6]float64{}, nil
	h.run(time.Second)
	require.NoError(t, h.Shoot(h.weapon(anns, tubes, 0), objectid.None, ahead, centre))
	h.untilHit(func() {})
	require.Contains(t, lostParts(galaxy), "Aft Torpedo 1")
	require.NotContains(t, lostParts(galaxy), "Forward Torpedo 1", "beside the centre")
}

// The body of a class is in proportion to its hull.
func TestBody(t *testing.T) {
	h := newHarness(t)
	h.add(5, "warbird", "Multi3", centre, ahead)
	body := h.Ship(5).Body
	require.Len(t, body, 1)
	require.InDeltaSlice(t, []float64{0, -0.44, 1.3}, body[0].Centre[:], 1e-9)
	require.InDeltaSlice(t, []float64{3.2, 4.36, 1.6}, body[0].HalfAxes[:], 1e-9)
	require.Len(t, h.Ship(bens).Body, 2)
}

// A ship that dies explodes at its body.
func TestExplosions(t *testing.T) {
	damaged := func(body []model.Ellipsoid) (parts int) {
		h := newHarness(t)
		galaxy := h.Ship(bens)
		h.destroy(bens)
		before := slices.Clone(galaxy.Condition)
		galaxy.Body = body
		h.run(9 * time.Second)
		for i := range before {
			if galaxy.Condition[i] < before[i] {
				parts++
			}
		}
		return parts
	}
	require.Greater(t, damaged(newHarness(t).Ship(bens).Body), 5)
	require.Zero(t, damaged([]model.Ellipsoid{{Centre: [3]float64{9, 9, 9}, HalfAxes: [3]float64{1, 1, 1}}}), "the hull is at 0 already")
}

// The points that a hit takes from parts that do not have them hit once more, in a radius that grows with them. What
// the second pass has left is lost.
func TestOverflow(t *testing.T) {
	h := newHarness(t)
	galaxy := h.Ship(bens)
	at := [3]float64{0, -0.41, -0.5}
	galaxy.Shields, galaxy.HitPoint = [6]float64{}, &at
	h.run(time.Second)
	for _, tube := range []string{"1", "2", "3", "4"} {
		galaxy.Condition[galaxy.Part("Forward Torpedo "+tube)] = 10
	}
	galaxy.Condition[galaxy.Part("Sensor Array")] = 1500
	require.NoError(t, h.Shoot(h.weapon(anns, tubes, 0), bens, ahead, centre))
	h.untilHit(func() {})
	lost := lostParts(galaxy)
	const over = 4 * 1390
	require.InDelta(t, 1400+over, lost["Hull"], 0)
	require.InDelta(t, 8000, lost["Sensor Array"], 0)
	require.InDelta(t, over, lost["Shield Generator"], 0, "0.7 GU away: in the reach of the second pass")
	require.InDelta(t, over, lost["Warp Core"], 0)
	require.NotContains(t, lost, "Port Warp")
}

// The contacts of a collision share it: each one has what the parts near the one before did not have.
func TestCollisionOfContacts(t *testing.T) {
	h := newHarness(t)
	galaxy := h.Ship(bens)
	up, down := compress.EncodeContact(0, 0, 1, 1), compress.EncodeContact(0, 0, -1, 1)
	collide := func(contacts ...compress.Contact) map[string]float64 {
		copy(galaxy.Condition, stateOf(galaxy))
		require.NoError(t, h.Apply(&opcode.CollisionEffect{Event: opcode.Event{
			Class: opcode.ClassCollisionEvent, Code: opcode.ETObjectCollision, Dest: bens, Source: objectid.None,
			Contacts: contacts, Force: 120 * float32(len(contacts)),
		}}))
		return lostParts(galaxy)
	}
	require.Equal(t, map[string]float64{"Hull": 1400}, collide(up, down), "no part is near")
	require.Equal(t, map[string]float64{"Hull": 1400}, collide(up))
	bow, over := compress.EncodeContact(0, 0.6, 0.12, 1), 0.0 // near phaser banks
	lost := collide(bow)
	require.InDelta(t, 1400, lost["Hull"], 0)
	for _, points := range lost {
		over += 1400 - points
	}
	require.Greater(t, over, 400.0)
	require.InDelta(t, 1400+over, collide(bow, down)["Hull"], 0)
}

// Each torpedo of a tube reloads on its own.
func TestSlots(t *testing.T) {
	h := newHarness(t)
	h.add(5, "warbird", "Multi3", centre, ahead)
	var at []float64
	for h.now < 31*time.Second {
		h.now += 100 * time.Millisecond
		h.Advance(h.now)
		if h.Shoot(h.weapon(5, tubes, 0), objectid.None, ahead, centre) == nil {
			at = append(at, h.now.Seconds())
		}
	}
	// A client may be half a second early: 2 s after a torpedo of the tube, and 10 s after the torpedo of the slot.
	require.InDeltaSlice(t, []float64{0.1, 1.6, 9.6, 11.1, 19.6, 21.1, 29.6}, at, 0.3)
}

// A generator that is destroyed drops the faces at the next shield step, also of a dying ship.
func TestShieldSteps(t *testing.T) {
	for _, dying := range []bool{false, true} {
		h := newHarness(t)
		galaxy := h.Ship(bens)
		h.run(time.Second)
		if dying {
			h.destroy(bens)
		}
		galaxy.Condition[galaxy.Part("Shield Generator")] = 0
		full, steps := galaxy.Shields, 0
		for ; galaxy.Shields == full && steps < 100; steps++ {
			h.now += model.Step
			h.Advance(h.now)
		}
		require.Equal(t, [6]float64{}, galaxy.Shields)
		require.Positive(t, steps)
		require.LessOrEqual(t, steps, 40)
	}
}
