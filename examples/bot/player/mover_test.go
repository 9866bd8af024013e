package player

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stateupdate"
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
		Position: [3]float32{-2.4748561, 18.432964, 0.028252417},
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
}
