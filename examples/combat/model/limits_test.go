package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// A contact that changes the speed by 0.01 GU/s or less does nothing. A harder one does at least 500 points.
func TestSoftCollisions(t *testing.T) {
	h := newHarness(t)
	mass := h.Ship(bens).Class.Physics.Mass
	for range 100 {
		require.NoError(t, h.collide(bens, float32(0.0099*mass)))
	}
	h.run(time.Second)
	h.intact()
	require.False(t, h.Ship(bens).Used())
	require.NoError(t, h.collide(bens, float32(0.0101*mass)))
	h.run(100 * time.Millisecond)
	require.Equal(t, 1, h.count(model.Hit))
	require.InDelta(t, 509, h.events[0].Passed, 1)
	require.True(t, h.Ship(bens).Used())
}

// Two ships that the model flies and that touch slowly, or move apart, lose nothing.
func TestSoftTouch(t *testing.T) {
	for speed, hits := range map[float64]int{-1: 0, 0: 0, 0.0015: 0, 1: 2} {
		h := newHarness(t)
		ann, bird := h.Ship(anns), h.Ship(bens)
		ann.Helm, bird.Helm = new(stateupdate.Helm), new(stateupdate.Helm)
		ann.Position = [3]float64{0, 30 - 0.99*(ann.Class.Physics.Radius+bird.Class.Physics.Radius), 0}
		ann.Velocity = [3]float64{0, speed, 0}
		h.run(100 * time.Millisecond)
		require.Equal(t, hits, h.count(model.Hit), speed)
	}
}

// A warp excuses any speed for 12 s, in which the ship does not fire. The next warp begins 30 s after it at the
// earliest, and needs a warp engine that works.
func TestWarp(t *testing.T) {
	h := newHarness(t)
	h.Strict = true
	h.run(5 * time.Second)
	start, err := opcode.NewStartWarp(h.weapon(bens, stateupdate.KindWarp, -1), "Multi2", [4]float32{})
	require.NoError(t, err)
	away := 30.0
	flies := func() bool {
		err := h.Report(bens, "Multi1", model.Motion{Position: [3]float64{0, away + 70, 0}, Forward: [3]float64{0, -1, 0}}, false)
		if err == nil {
			away += 70
		}
		return err == nil
	}
	require.NoError(t, h.Fire(h.weapon(bens, tubes, -1), anns, centre))
	require.False(t, flies())

	excused := 0
	var warps []int
	for tick := range 600 {
		h.run(100 * time.Millisecond)
		if h.Apply(start) == nil {
			warps = append(warps, tick)
			require.ErrorIs(t, h.Shoot(h.weapon(bens, tubes, 0), anns, [3]float64{0, -1, 0}, centre), model.ErrRefused)
		}
		fired := h.count(model.Fired)
		if flies() {
			excused++
		}
		h.run(0)
		require.Equal(t, fired, h.count(model.Fired), "in warp")
	}
	require.Len(t, warps, 2)
	require.InDelta(t, 300, warps[1]-warps[0], 2)
	require.InDelta(t, 2*12*10, excused, 10)

	h.run(time.Minute)
	s := h.Ship(bens)
	s.Condition[s.Part("Port Warp")], s.Condition[s.Part("Star Warp")] = 0, 0
	require.ErrorIs(t, h.Apply(start), model.ErrRefused)
	require.ErrorIs(t, h.Apply(&opcode.StartWarp{Event: opcode.Event{Dest: 12}}), model.ErrRefused)
	flies() // slowly: a minute has passed
	require.False(t, flies())
}

// A part that the caller of the model repairs, as bots do, is in the repair list once.
func TestRepairListIsBounded(t *testing.T) {
	h := newHarness(t)
	s := h.Ship(bens)
	require.NoError(t, h.Apply(opcode.NewSubsystemStatus(h.weapon(bens, stateupdate.KindRepair, -1), false)))
	whole := append([]float64{}, s.Condition...)
	for range 1000 {
		require.NoError(t, h.collide(bens, 100))
		copy(s.Condition, whole)
	}
	h.run(time.Millisecond)
	require.LessOrEqual(t, h.count(model.Damaged), len(s.Condition))
	require.Positive(t, h.count(model.Damaged))
}

// A ship with the ID of an earlier one has neither the shots of that ship, nor credit from their end.
func TestReusedID(t *testing.T) {
	h := newHarness(t)
	require.NoError(t, h.Shoot(h.weapon(anns, tubes, 0), bens, ahead, centre))
	h.Remove(anns)
	h.add(anns, "birdofprey", "Multi1", centre, ahead)
	h.run(10 * time.Second)
	h.intact()

	fires := func() (shots int) {
		for range 500 {
			for k := range 8 {
				if h.Shoot(h.weapon(5, cannons, k), objectid.None, ahead, centre) == nil {
					shots++
				}
			}
			h.run(50 * time.Millisecond)
		}
		return shots
	}
	h.add(5, "cardstation", "Multi3", centre, ahead)
	first := fires()
	h.Remove(5)
	h.add(5, "cardstation", "Multi3", centre, ahead)
	require.Equal(t, first, fires())
	require.Greater(t, first, 64)
}

// The power setting of the shields does not change their charge, as was measured at 50 %. Missing power does.
func TestShieldsWithoutPower(t *testing.T) {
	gain := func(change func(h *harness, s *model.Ship)) float64 {
		h := newHarness(t)
		s := h.Ship(bens)
		change(h, s)
		s.Shields = [6]float64{}
		h.run(10 * time.Second)
		return s.Shields[stateupdate.FaceTop]
	}
	normal := gain(func(*harness, *model.Ship) {})
	half := gain(func(h *harness, s *model.Ship) {
		for i := range s.Class.Subsystems {
			require.NoError(t, h.Apply(&opcode.StateUpdate{ObjectID: bens, Power: []opcode.PowerEntry{{Index: uint8(i), Value: 102}}}))
		}
	})
	starved := gain(func(_ *harness, s *model.Ship) { s.Condition[s.Part("Warp Core")] = 1 })
	require.InDelta(t, 11*0.85*10, normal, 1)
	require.InDelta(t, normal, half, 1e-9)
	require.Less(t, starved, normal/10)
}
