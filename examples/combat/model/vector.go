package model

import (
	"math"

	"github.com/bcwire/bcwire/stateupdate"
)

// vec is a vector. Its products are rounded before they are added, so that no platform fuses a
// multiplication with an addition.
type vec [3]float64

func (a vec) add(b vec) vec { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) times(f float64) vec {
	return vec{float64(a[0] * f), float64(a[1] * f), float64(a[2] * f)}
}

func (a vec) dot(b vec) float64 { return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) }

func (a vec) cross(b vec) vec {
	return vec{float64(a[1]*b[2]) - float64(a[2]*b[1]), float64(a[2]*b[0]) - float64(a[0]*b[2]), float64(a[0]*b[1]) - float64(a[1]*b[0])}
}

func (a vec) length() float64 { return math.Sqrt(a.dot(a)) }

// unit returns the direction of a vector. It reports false if the vector has none.
func (a vec) unit() (vec, bool) {
	n := a.length()
	if !(n > 1e-9 && n < math.MaxFloat64) {
		return vec{}, false
	}
	return a.times(1 / n), true
}

// finite reports whether a vector is finite and so short that its square is finite, too.
func (a vec) finite() bool { return a.length() <= 1e12 }

// Sincos returns the sine and the cosine of an angle of at most one and a half turns. Unlike package math it
// has the same result on every platform.
func Sincos(angle float64) (sin, cos float64) {
	term := 1.0
	for n := 1.0; n < 50; n += 2 {
		cos += term
		term = float64(term*angle) / n
		sin += term
		term = -float64(term*angle) / (n + 1)
	}
	return sin, cos
}

// frame is the orientation of a ship or a weapon. Its vectors are perpendicular and of length 1.
type frame struct{ right, forward, up vec }

// newFrame returns the frame with a direction of the nose and, as far as possible, of the roof. It
// reports false if the nose has no direction.
func newFrame(forward, up vec) (frame, bool) {
	f, _ := forward.unit() // without a direction, no product has one
	for _, hint := range [...]vec{up, {0, 0, 1}, {0, 1, 0}} {
		if right, ok := f.cross(hint).unit(); ok {
			return frame{right, f, right.cross(f)}, true
		}
	}
	return frame{}, false
}

// local returns the components of a vector in the frame.
func (f frame) local(v vec) vec { return vec{v.dot(f.right), v.dot(f.forward), v.dot(f.up)} }

// world returns the vector with the components in the frame.
func (f frame) world(v vec) vec {
	return f.right.times(v[0]).add(f.forward.times(v[1])).add(f.up.times(v[2]))
}

// turned returns the frame after a rotation by a small angle about the axes of its vectors.
func (f frame) turned(angle vec) frame {
	axis := f.world(angle)
	if turned, ok := newFrame(f.forward.add(axis.cross(f.forward)), f.up.add(axis.cross(f.up))); ok {
		return turned
	}
	return f
}

// arc is the range of directions in which a weapon fires.
type arc struct {
	frame
	low, high [2]float64 // cosine and sine of the limits of the azimuth
	width     float64    // of the azimuths
	height    [2]float64 // sines of the limits of the elevation
}

// newArc returns the arc of a weapon, widened at each limit by an angle.
func newArc(w *stateupdate.Weapon, wider float64) (a arc) {
	a.frame, _ = newFrame(w.Direction, w.Up)
	a.width = w.ArcWidth[1] - w.ArcWidth[0] + float64(2*wider)
	a.low[1], a.low[0] = Sincos(w.ArcWidth[0] - wider)
	a.high[1], a.high[0] = Sincos(w.ArcWidth[1] + wider)
	a.height[0], _ = Sincos(max(w.ArcHeight[0]-wider, -math.Pi/2))
	a.height[1], _ = Sincos(min(w.ArcHeight[1]+wider, math.Pi/2))
	return a
}

// contains reports whether a direction of length 1, in the frame of the ship, is in the arc.
func (a *arc) contains(direction vec) bool {
	d := a.local(direction)
	const rounding = 1e-9
	if d[2] < a.height[0]-rounding || d[2] > a.height[1]+rounding {
		return false
	}
	afterLow := float64(d[0]*a.low[0])-float64(d[1]*a.low[1]) >= -rounding
	beforeHigh := float64(d[1]*a.high[1])-float64(d[0]*a.high[0]) >= -rounding
	return a.width >= 2*math.Pi || afterLow && beforeHigh || a.width > math.Pi && (afterLow || beforeHigh)
}

// entry returns the point where a ray from a point enters a sphere, and its distance. If the point is
// in the sphere, the ray enters there. It reports false if the ray misses the sphere.
func entry(from, direction, centre vec, radius float64) (at vec, distance float64, ok bool) {
	to := centre.sub(from)
	outside := to.dot(to) - float64(radius*radius)
	if outside <= 0 {
		return from, 0, true
	}
	along := to.dot(direction)
	depth := float64(along*along) - outside
	if along <= 0 || depth < 0 {
		return vec{}, 0, false
	}
	distance = along - math.Sqrt(depth)
	return from.add(direction.times(distance)), distance, true
}
