package model

import (
	"math"

	"github.com/bcwire/bcwire/examples/internal/geometry"
	"github.com/bcwire/bcwire/stateupdate"
)

type (
	vec   = geometry.Vec
	frame = geometry.Frame
)

// arc is the range of directions in which a weapon fires.
type arc struct {
	frame
	low, high [2]float64 // cosine and sine of the limits of the azimuth
	width     float64    // of the azimuths
	height    [2]float64 // sines of the limits of the elevation
}

// newArc returns the arc of a weapon, widened at each limit by an angle.
func newArc(w *stateupdate.Weapon, wider float64) (a arc) {
	a.frame, _ = geometry.NewFrame(w.Direction, w.Up)
	a.width = w.ArcWidth[1] - w.ArcWidth[0] + float64(2*wider)
	a.low[1], a.low[0] = geometry.Sincos(w.ArcWidth[0] - wider)
	a.high[1], a.high[0] = geometry.Sincos(w.ArcWidth[1] + wider)
	a.height[0], _ = geometry.Sincos(max(w.ArcHeight[0]-wider, -math.Pi/2))
	a.height[1], _ = geometry.Sincos(min(w.ArcHeight[1]+wider, math.Pi/2))
	return a
}

// contains reports whether a direction of length 1, in the frame of the ship, is in the arc.
func (a *arc) contains(direction vec) bool {
	d := a.Local(direction)
	const rounding = 1e-9
	if d[2] < a.height[0]-rounding || d[2] > a.height[1]+rounding {
		return false
	}
	afterLow := float64(d[0]*a.low[0])-float64(d[1]*a.low[1]) >= -rounding
	beforeHigh := float64(d[1]*a.high[1])-float64(d[0]*a.high[0]) >= -rounding
	return a.width >= 2*math.Pi || afterLow && beforeHigh || a.width > math.Pi && (afterLow || beforeHigh)
}
