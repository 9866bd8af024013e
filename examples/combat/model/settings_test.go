package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// bolt fires a bolt of the Bird of Prey at the Galaxy, and returns its hit.
func (h *harness) bolt() model.Event {
	h.Helper()
	require.NoError(h, h.Shoot(h.weapon(anns, cannons, 0), bens, ahead, centre))
	h.events = nil
	h.run(2 * time.Second)
	for _, e := range h.events {
		if e.Kind == model.Hit {
			return e
		}
	}
	require.Fail(h, "no hit")
	return model.Event{}
}

// Shields that are off or cloaked absorb nothing and keep their points.
func TestShieldsOff(t *testing.T) {
	h := newHarness(t)
	require.InDelta(t, 110, h.bolt().Absorbed, 0)
	full := h.Ship(bens).Shields
	require.NoError(t, h.Apply(opcode.NewSubsystemStatus(h.weapon(bens, stateupdate.KindShield, -1), false)))
	require.InDelta(t, 110, h.bolt().Passed, 0)
	require.Equal(t, full, h.Ship(bens).Shields)
	require.NoError(t, h.Apply(opcode.NewSubsystemStatus(h.weapon(bens, stateupdate.KindShield, -1), true)))
	require.NoError(t, h.Report(bens, "Multi1", model.Motion{Position: h.Ship(bens).Position, Forward: ahead, Cloaked: true}, false))
	require.False(t, h.Ship(bens).Cloaked, "a Galaxy has no cloaking device")
	h.Ship(bens).Cloaked = true
	require.InDelta(t, 110, h.bolt().Passed, 0)
}

// A beam does two per cent of its damage to a cloaked ship.
func TestCloakedTarget(t *testing.T) {
	for cloaked, want := range map[bool]float64{false: 66.41, true: 66.41 * 0.02} {
		h := newHarness(t)
		require.NoError(t, h.Report(anns, "Multi1", model.Motion{Position: [3]float64{0, 60, 0}, Forward: ahead, Cloaked: cloaked}, false))
		require.NoError(t, h.Apply(opcode.NewStartFiring(h.weapon(bens, phasers, -1), anns)))
		h.run(1300 * time.Millisecond)
		require.Equal(t, model.Hit, h.events[0].Kind)
		require.InDelta(t, want, h.events[0].Absorbed+h.events[0].Passed, 0.01)
	}
}

// A damaged part enters the repair list and leaves it when it is whole. The owner can move a part to the
// beginning. A destroyed part stays destroyed, and leaves the list.
func TestRepair(t *testing.T) {
	h := newHarness(t)
	galaxy := h.Ship(bens)
	galaxy.Shields = [6]float64{}
	at := [3]float64{0, -0.41, -0.5} // near the sensors and the four forward tubes
	galaxy.HitPoint = &at
	galaxy.Condition[galaxy.Part("Forward Torpedo 1")] = 100
	h.bolt()
	require.Equal(t, 6, h.count(model.Damaged), "the hull, the sensors and four tubes")
	require.Zero(t, galaxy.Condition[galaxy.Part("Forward Torpedo 1")])
	require.Equal(t, 1, h.count(model.RepairFailed), "the tube")

	hull := galaxy.Part("Hull")
	before := galaxy.Condition[hull]
	require.NoError(t, h.Apply(&opcode.RepairListPriority{Event: opcode.Event{
		Dest: h.weapon(bens, stateupdate.KindRepair, -1), Object: h.weapon(bens, stateupdate.KindHull, -1),
	}}))
	h.run(10 * 330 * time.Millisecond) // ten weapon steps
	require.InDelta(t, 3.3*50/3/3, galaxy.Condition[hull]-before, 0.1, "a third of 50 points, by a complexity of 3")
	h.run(2 * time.Minute)
	require.Equal(t, 5, h.count(model.Repaired))
	require.Zero(t, galaxy.Condition[galaxy.Part("Forward Torpedo 1")])
}

// The state for the network has the levels of the model.
func TestStatus(t *testing.T) {
	h := newHarness(t)
	galaxy, state := h.Ship(bens), stateupdate.NewShip(bens, stateupdate.Stock().Named("galaxy"))
	galaxy.Status(state)
	require.Equal(t, stateupdate.NewShip(bens, galaxy.Class), state, "undamaged")
	galaxy.Condition[0], galaxy.Shields[stateupdate.FaceTop], galaxy.Condition[galaxy.Part("Port Warp")] = 7500, 1000, 0
	galaxy.Status(state)
	require.Equal(t, "50%", state.FirstOf(stateupdate.KindHull).Condition.String())
	require.Equal(t, "100/100/25/100/100/100%", state.FirstOf(stateupdate.KindShield).Parts.String())
	require.Equal(t, "0/100%", state.FirstOf(stateupdate.KindWarp).Parts.String())
}

// StopFiring ends the beams, and duplicates of StartFiring do not begin them again.
func TestStopFiring(t *testing.T) {
	h := newHarness(t)
	system := h.weapon(bens, phasers, -1)
	require.NoError(t, h.Report(anns, "Multi1", model.Motion{Position: [3]float64{0, 60, 0}, Forward: ahead}, false))
	for range 2 {
		require.NoError(t, h.Apply(opcode.NewStartFiring(system, anns)))
	}
	h.run(1300 * time.Millisecond)
	require.Equal(t, 1, h.count(model.Hit), "one bank at a time")
	require.NoError(t, h.Apply(opcode.NewStopFiring(system)))
	h.run(5 * time.Second)
	require.Equal(t, 2, h.count(model.Hit), "the damage since the first quantum")
	require.NoError(t, h.Apply(opcode.NewStartFiring(h.weapon(anns, cannons, -1), bens)))
	h.run(5 * time.Second)
	require.Equal(t, 2, h.count(model.Hit), "each bolt has a message")
}
