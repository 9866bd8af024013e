package geometry

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSincos(t *testing.T) {
	for angle := -3 * math.Pi; angle < 3*math.Pi; angle += 0.01 {
		sin, cos := Sincos(angle)
		require.InDelta(t, math.Sin(angle), sin, 1e-12)
		require.InDelta(t, math.Cos(angle), cos, 1e-12)
	}
}

// Vectors without a direction have no frame. Others have one, also if the roof is parallel to the nose.
func TestFrame(t *testing.T) {
	for _, v := range []Vec{{}, {1e-12}, {math.NaN(), 1}, {math.Inf(1)}, {1e300, 1e300}} {
		_, ok := NewFrame(v, Vec{0, 0, 1})
		require.False(t, ok, v)
	}
	for _, up := range []Vec{{}, {0, 0, 1}, {3, 4, 0}, {math.NaN()}} {
		f, ok := NewFrame(Vec{3, 4, 0}, up)
		require.True(t, ok)
		require.InDeltaSlice(t, []float64{0.6, 0.8, 0}, f.Forward[:], 1e-12)
		require.InDeltaSlice(t, []float64{0, 0, 1}, f.Up[:], 1e-12)
		back := f.World(f.Local(Vec{1, 2, 3}))
		require.InDeltaSlice(t, []float64{1, 2, 3}, back[:], 1e-12)
	}
}

func TestEntry(t *testing.T) {
	ahead := Vec{0, 1, 0}
	at, distance, ok := Entry(Vec{}, ahead, Vec{0, 10, 0}, 3)
	require.True(t, ok)
	require.InDelta(t, 7, distance, 1e-12)
	require.InDelta(t, 7, at[1], 1e-12)
	for name, centre := range map[string]Vec{"beside": {4, 10, 0}, "behind": {0, -10, 0}} {
		_, _, ok = Entry(Vec{}, ahead, centre, 3)
		require.False(t, ok, name)
	}
	_, distance, ok = Entry(Vec{0, 9, 0}, ahead, Vec{0, 10, 0}, 3)
	require.True(t, ok, "inside")
	require.Zero(t, distance)
}
