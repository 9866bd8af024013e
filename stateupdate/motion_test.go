package stateupdate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// capturedShips returns the ships of captured creations by the names of their vectors.
func capturedShips(t testing.TB) map[string]*opcode.ObjectCreateTeam {
	ships := map[string]*opcode.ObjectCreateTeam{}
	for _, v := range testdata.Load[payload](t, "payloads.json") {
		m, err := opcode.Decode(v.Hex)
		if create, ok := m.(*opcode.ObjectCreateTeam); ok && err == nil {
			ships[v.Name] = create
		}
	}
	return ships
}

// Packet #56 of a capture has the quaternion of a ship, and its nose and roof in a
// StateUpdate. The ship of packet #311 moves in the direction of the nose that its quaternion
// gives.
func TestCapturedOrientation(t *testing.T) {
	ships := capturedShips(t)
	spawn := ships["object-create-team-akira-spawn"]
	forward, up := stateupdate.Axes(spawn.Orientation)
	require.Equal(t, compress.Vector3{X: 0x0B, Y: 0x68, Z: 0x46}, forward)
	require.Equal(t, compress.Vector3{X: 0x30, Y: -0x45, Z: 0x5E}, up)
	back := stateupdate.Orientation(forward, up)
	require.InDeltaSlice(t, spawn.Orientation[:], back[:], 0.01)

	moving := ships["object-create-team-akira-moving"]
	forward, up = stateupdate.Axes(moving.Orientation)
	require.Equal(t, compress.Vector3{X: -57, Y: 81, Z: 79}, forward)
	back = stateupdate.Orientation(forward, up)
	require.InDeltaSlice(t, moving.Orientation[:], back[:], 0.01)
	var d stateupdate.Tracker
	ship := apply(t, &d, moving).Ship
	require.Equal(t, forward, ship.Forward)
	require.InDelta(t, 5.1245, ship.Speed.Float32(), 0.003)
}

// Orientation is the inverse of Axes, within the precision of the codes and up to the sign. It
// always returns a unit quaternion.
func TestOrientationOfAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20_000 {
		q := randomQuaternion(rng)
		if i < 8 { // half turns, which divide by x, y or z
			q = [4]float32{}
			q[i%4] = float32(1 - i/4*2)
		}
		forward, up := stateupdate.Axes(q)
		got := stateupdate.Orientation(forward, up)
		require.InDelta(t, 1, dot(got, got), 1e-6)
		require.InDelta(t, 1, math.Abs(dot(q, got)), 4e-4, "%v became %v", q, got)
		again, _ := stateupdate.Axes(got)
		for k, v := range [3]int8{forward.X, forward.Y, forward.Z} {
			require.InDelta(t, v, [3]int8{again.X, again.Y, again.Z}[k], 2)
		}
	}
}

func randomQuaternion(rng *rand.Rand) (q [4]float32) {
	for i := range q {
		q[i] = float32(rng.NormFloat64())
	}
	length := float32(math.Sqrt(dot(q, q)))
	for i := range q {
		q[i] /= length
	}
	return q
}

func dot(p, q [4]float32) (sum float64) {
	for i := range p {
		sum += float64(p[i]) * float64(q[i])
	}
	return sum
}

// Directions that define no orientation give the quaternion of a new ship. All directions give
// a unit quaternion.
func TestDegenerateOrientation(t *testing.T) {
	x, z := compress.Vector3{X: 127}, compress.Vector3{Z: 127}
	for _, v := range [][2]compress.Vector3{
		{{}, z},
		{x, {}},
		{{}, {}},
		{x, x},
		{x, {X: -128}},
		{{X: 3, Y: 6, Z: -9}, {X: -1, Y: -2, Z: 3}},
		{{X: 35, Y: 77, Z: 119}, {X: 5, Y: 11, Z: 17}},
	} {
		require.Equal(t, [4]float32{1}, stateupdate.Orientation(v[0], v[1]), "%v", v)
	}
	half := stateupdate.Orientation(compress.Vector3{X: 2, Y: -25, Z: 10}, compress.Vector3{X: 10, Y: 10, Z: 23}) // a half turn, except for rounding
	require.InDeltaSlice(t, []float64{0, 1, 1, 5}, []float64{float64(half[0]), float64(half[1]) * math.Sqrt(27), float64(half[2]) * math.Sqrt(27), float64(half[3]) * math.Sqrt(27)}, 1e-5)
	require.Equal(t, stateupdate.Orientation(x, z), stateupdate.Orientation(compress.Vector3{X: 1}, compress.Vector3{X: 100, Z: 1}), "the directions are neither unit vectors nor perpendicular")
	extremes := []int8{-128, -127, -1, 0, 1, 127}
	all := make([]compress.Vector3, 0, 6*6*6)
	for _, a := range extremes {
		for _, b := range extremes {
			for _, c := range extremes {
				all = append(all, compress.Vector3{X: a, Y: b, Z: c})
			}
		}
	}
	for _, f := range all {
		for _, u := range all {
			if q := stateupdate.Orientation(f, u); !(math.Abs(dot(q, q)-1) < 1e-6) {
				t.Fatalf("%v %v: %v", f, u, q)
			}
		}
	}
	for _, q := range [][4]float32{{nan, 0, 0, 0}, {0, inf, 0, 0}, {0, 0, -inf, 1}, {0, 0, 0, nan}} {
		forward, up := stateupdate.Axes(q)
		require.Zero(t, forward, "%v", q)
		require.Zero(t, up, "%v", q)
	}
	forward, up := stateupdate.Axes([4]float32{})
	require.Equal(t, [2]compress.Vector3{{Y: 127}, {Z: 127}}, [2]compress.Vector3{forward, up}, "no rotation")
	stateupdate.Axes([4]float32{1e30, -1e30, 1e38, 3e38})
}
