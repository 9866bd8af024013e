package player

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// The same orders lead to the same position on every machine, to the last bit.
func TestMoverDeterministic(t *testing.T) {
	ship := stateupdate.NewShip(1, nil)
	m := newMover(ship)
	for i := range 1000 {
		k := float32(i%7) - 3
		m.step(0.1, helm{Speed: 2 * k, Yaw: 0.1 * k, Pitch: 0.05, Roll: -0.3})
	}
	require.Equal(t, stateupdate.Motion{
		Position: [3]float32{-2.4748576, 18.432964, 0.02825162},
		Forward:  compress.Vector3{X: -5, Y: 125, Z: -16}, Up: compress.Vector3{X: 106, Y: 13, Z: 67}, Speed: 0x338D,
	}, ship.Motion)
}

// The directions of the helm.
func TestMoverDirections(t *testing.T) {
	forward, up := compress.Vector3{Y: 127}, compress.Vector3{Z: 127}
	left, right, down := compress.Vector3{X: -127}, compress.Vector3{X: 127}, compress.Vector3{Z: -127}
	back := compress.Vector3{Y: -127}
	for name, v := range map[string]struct {
		order    helm
		nose, up compress.Vector3
	}{
		"ahead":      {helm{}, forward, up},
		"left":       {helm{Yaw: 1}, left, up},
		"right":      {helm{Yaw: -1}, right, up},
		"up":         {helm{Pitch: 1}, up, back},
		"down":       {helm{Pitch: -1}, down, forward},
		"roll right": {helm{Roll: 1}, forward, right},
		"roll left":  {helm{Roll: -1}, forward, left},
	} {
		ship := stateupdate.NewShip(1, nil)
		m := newMover(ship)
		const quarter = 1000 // steps
		for range quarter {
			m.step(math.Pi/2/quarter, v.order)
		}
		for i, c := range [2][2]compress.Vector3{{v.nose, ship.Forward}, {v.up, ship.Up}} {
			want, got := c[0], c[1]
			require.InDeltaSlice(t, []int8{want.X, want.Y, want.Z}, []int8{got.X, got.Y, got.Z}, 1, "%s %d", name, i)
		}
		require.Zero(t, ship.Position, name)
	}
}

func TestMoverSpeed(t *testing.T) {
	ship := stateupdate.NewShip(1, nil)
	ship.Position, ship.Speed = [3]float32{1, 2, 3}, compress.EncodeFloat16(4)
	start := ship.Speed.Float32()
	m := newMover(ship)
	m.step(1, helm{Speed: 100})
	require.InDelta(t, start+acceleration, ship.Speed.Float32(), 0.01)
	require.InDeltaSlice(t, []float32{1, 2 + start + acceleration, 3}, ship.Position[:], 1e-4)
	m.step(1, helm{Speed: -10})
	require.InDelta(t, start, ship.Speed.Float32(), 0.01)
	before := ship.Motion
	for _, seconds := range []float32{0, -1, nan, inf, -inf} {
		m.step(seconds, helm{Speed: 5, Yaw: 1})
	}
	require.Equal(t, before, ship.Motion, "no time passes")
}

// Any order leaves the ship at a finite position, with its axes at right angles. A peer that
// learns of the ship has the same state.
func TestMoverHostileHelm(t *testing.T) {
	wild := []float32{0, nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1e6, 0.1}
	ship := stateupdate.NewShip(1, stateupdate.Named("galaxy"))
	m := newMover(ship)
	for i, speed := range wild {
		for k := range 160 {
			seconds := []float32{0.1, 1e-30, 100, math.MaxFloat32}[k%4]
			m.step(seconds, helm{Speed: speed, Yaw: wild[k%9], Pitch: wild[(k/9+i)%9], Roll: wild[(k/27)%9]})
			checkFlight(t, ship)
		}
	}
}

func checkFlight(t *testing.T, ship *stateupdate.Ship) {
	t.Helper()
	for _, p := range ship.Position {
		require.False(t, math.IsNaN(float64(p)) || math.IsInf(float64(p), 0))
	}
	f, u := ship.Forward, ship.Up
	length := func(v compress.Vector3) float64 {
		return math.Hypot(math.Hypot(float64(v.X), float64(v.Y)), float64(v.Z))
	}
	require.InDelta(t, 126.5, length(f), 1.5)
	require.InDelta(t, 126.5, length(u), 1.5)
	product := float64(f.X)*float64(u.X) + float64(f.Y)*float64(u.Y) + float64(f.Z)*float64(u.Z)
	require.InDelta(t, 0, product/127, 3, "right angle of %v and %v", f, u)

	object, err := ship.Object()
	require.NoError(t, err)
	payload, err := (&opcode.ObjectCreateTeam{Object: object}).MarshalBinary()
	require.NoError(t, err)
	message, err := opcode.Decode(payload)
	require.NoError(t, err)
	change, err := new(stateupdate.Tracker).Apply(message)
	require.NoError(t, err)
	got := change.Ship
	require.Equal(t, ship.Position, got.Position)
	require.Equal(t, ship.Speed, got.Speed)
	for i, c := range [2][2]compress.Vector3{{f, got.Forward}, {u, got.Up}} {
		require.InDeltaSlice(t, []int8{c[0].X, c[0].Y, c[0].Z}, []int8{c[1].X, c[1].Y, c[1].Z}, 2, "%d", i)
	}
}
