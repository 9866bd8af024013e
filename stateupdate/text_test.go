package stateupdate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

func TestShipText(t *testing.T) {
	ship := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("birdofprey"))
	ship.PlayerName, ship.SetName = "Ann", "Multi1"
	ship.Position, ship.Speed, ship.Cloaked = [3]float32{88, -66.123456, 1e7}, compress.EncodeFloat16(-5), true
	ship.FirstOf(stateupdate.KindHull).Condition = stateupdate.LevelOf(0.37)
	require.Equal(t, `Bird of Prey 0x3fffffff "Ann" in "Multi1" at (88 -66.123 1e+07) nose (0 1 0) speed -4.9978 hull 37% cloaked`, ship.String())
	ship.Life = stateupdate.Dying
	require.Regexp(t, "hull 37% cloaked dying$", ship.String())
}

// Incomplete ships and non-finite numbers have a text.
func TestTextOfIncompleteShips(t *testing.T) {
	classless := stateupdate.NewShip(5, nil)
	classless.Species = 46
	bare := &stateupdate.Ship{ID: 5, Class: stateupdate.Stock().Named("akira")} // no subsystems
	broken := stateupdate.NewShip(objectid.All, nil)
	broken.Position = [3]float32{nan, inf, -inf}
	hostile := stateupdate.NewShip(5, nil)
	hostile.PlayerName, hostile.SetName = "a\nb\x1b[2J"+strings.Repeat("x", 1000), strings.Repeat("\n", 1000)
	for ship, want := range map[*stateupdate.Ship]string{
		nil:                   "no ship",
		new(stateupdate.Ship): "Unknown 0x00000000 at (0 0 0) nose (0 0 0) speed 0 unknown",
		classless:             opcode.Species(46).String() + " 0x00000005 at (0 0 0) nose (0 1 0) speed 0",
		bare:                  "Akira 0x00000005 at (0 0 0) nose (0 0 0) speed 0 unknown",
		broken:                "Unknown 0xffffffff at (NaN +Inf -Inf) nose (0 1 0) speed 0",
		hostile:               `Unknown 0x00000005 "a\nb\x1b[2J` + strings.Repeat("x", 33) + `" in "` + strings.Repeat(`\n`, 40) + `" at (0 0 0) nose (0 1 0) speed 0`,
	} {
		require.Equal(t, want, ship.String())
	}
}

// A Status and a *Status print the same text.
func TestStatusPrints(t *testing.T) {
	ship := stateupdate.NewShip(1, stateupdate.Stock().Named("akira"))
	hull := ship.FirstOf(stateupdate.KindHull)
	hull.Condition = stateupdate.LevelOf(0.37)
	require.Equal(t, "Hull 37% Hull 37%", fmt.Sprint(hull, *hull))
	require.Equal(t, "no subsystem", fmt.Sprint(stateupdate.Status{}))
	require.Equal(t, "<nil>", fmt.Sprint(ship.FirstOf(stateupdate.KindCloak)))
	large := stateupdate.Status{Subsystem: &stateupdate.Subsystem{Name: "Tubes", Kind: stateupdate.KindTorpedo}, Parts: make(stateupdate.Levels, 3), Mode: 200}
	require.Equal(t, "Tubes 0% children 0/0/0% type 200", large.String())
	unknown := stateupdate.Status{Subsystem: &stateupdate.Subsystem{Name: "Odd", Kind: 77}, Mode: 1, HasPower: true}
	require.Equal(t, "Odd 0%", unknown.String())
}

// A lookup of a missing subsystem returns nil, which has no points.
func TestMissingSubsystems(t *testing.T) {
	akira := stateupdate.NewShip(1, stateupdate.Stock().Named("akira"))
	for name, ship := range map[string]*stateupdate.Ship{
		"nil": nil, "zero": {}, "without a class": stateupdate.NewShip(1, nil), "without subsystems": {Class: akira.Class}, "without a cloak": akira,
	} {
		for _, s := range []*stateupdate.Status{ship.FirstOf(stateupdate.KindCloak), ship.FirstOf(stateupdate.Kind(99))} {
			require.Nil(t, s, name)
			require.Zero(t, s.Points())
		}
	}
	require.Same(t, &akira.Subsystems[0], akira.FirstOf(stateupdate.KindHull), "the bridge is a hull, too")
	for kind := range stateupdate.KindRepair + 1 {
		if s := akira.FirstOf(kind); s != nil {
			require.Equal(t, kind, s.Subsystem.Kind)
		} else {
			require.Less(t, firstOf(akira.Class, kind), 0)
		}
	}
}

// SetHeading sets the direction of the nose, within the precision of the codes.
// The roof is perpendicular to it and near its old direction.
func TestHeading(t *testing.T) {
	ship := stateupdate.NewShip(1, nil)
	for _, v := range []struct{ x, y, z float32 }{
		{0, 1, 0}, {1, 0, 0}, {-3, 4, 0}, {1e-3, 0, 5e-4}, {1e18, -1e18, 1e18}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {math.MaxFloat32, 1, 0},
	} {
		roof := ship.Up
		ship.SetHeading(v.x, v.y, v.z)
		length := math.Sqrt(float64(v.x)*float64(v.x) + float64(v.y)*float64(v.y) + float64(v.z)*float64(v.z))
		x, y, z := ship.Forward.Float32()
		require.InDeltaSlice(t, []float64{float64(v.x) / length, float64(v.y) / length, float64(v.z) / length}, []float32{x, y, z}, 0.015, "%v", v)
		require.InDelta(t, 1, x*x+y*y+z*z, 0.03)
		ux, uy, uz := ship.Up.Float32()
		require.InDelta(t, 0, x*ux+y*uy+z*uz, 0.02, "%v", v)
		rx, ry, rz := roof.Float32()
		require.GreaterOrEqual(t, rx*ux+ry*uy+rz*uz, float32(-0.02), "%v", v)
	}
	level := stateupdate.NewShip(1, nil)
	level.SetHeading(3, 4, 0)
	require.Equal(t, compress.Vector3{Z: 127}, level.Up, "a horizontal turn keeps the roof")
	level.SetHeading(0, 0, 9) // in the direction of the roof, which turns to the back
	require.Equal(t, compress.Vector3{X: -76, Y: -101}, level.Up)

	for _, v := range [][3]float32{{}, {nan, 1, 0}, {0, inf, 0}, {1e-9, 0, 0}, {0.99e-6, 0, 0}} {
		before := level.Motion
		level.SetHeading(v[0], v[1], v[2])
		require.Equal(t, before, level.Motion, "%v", v)
	}
	level.SetHeading(1.01e-6, 0, 0)
	require.Equal(t, compress.Vector3{X: 127}, level.Forward, "long enough")
	long := stateupdate.Motion{Up: compress.Vector3{Y: 127, Z: 127}}
	long.SetHeading(0.99e-6, 0, 0)
	require.Equal(t, stateupdate.Motion{Up: compress.Vector3{Y: 127, Z: 127}}, long, "the length of the roof does not count")
	lost := stateupdate.Motion{} // neither nose nor roof
	lost.SetHeading(0, 0, 1)
	require.Equal(t, [2]compress.Vector3{{Z: 127}, {Y: 127}}, [2]compress.Vector3{lost.Forward, lost.Up})
}
