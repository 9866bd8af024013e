// Package geometry computes with vectors. Every platform has the same bits: each product is rounded before it is added,
// and of package math only functions with exact results are in use.
package geometry

import "math"

// Vec is a vector.
type Vec [3]float64

// Add returns the sum of two vectors.
func (a Vec) Add(b Vec) Vec { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub returns the difference of two vectors.
func (a Vec) Sub(b Vec) Vec { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Times returns a multiple of the vector.
func (a Vec) Times(f float64) Vec {
	return Vec{float64(a[0] * f), float64(a[1] * f), float64(a[2] * f)}
}

// Dot returns the scalar product.
func (a Vec) Dot(b Vec) float64 { return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2]) }

// Cross returns the vector product.
func (a Vec) Cross(b Vec) Vec {
	return Vec{float64(a[1]*b[2]) - float64(a[2]*b[1]), float64(a[2]*b[0]) - float64(a[0]*b[2]), float64(a[0]*b[1]) - float64(a[1]*b[0])}
}

// Length returns the length of the vector.
func (a Vec) Length() float64 { return math.Sqrt(a.Dot(a)) }

// Unit returns the direction of a vector. It reports false if the vector has none.
func (a Vec) Unit() (Vec, bool) {
	n := a.Length()
	if !(n > 1e-9 && n < math.MaxFloat64) {
		return Vec{}, false
	}
	return a.Times(1 / n), true
}

// Finite reports whether a vector is finite and so short that its square is finite, too.
func (a Vec) Finite() bool { return a.Length() <= 1e12 }

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

// Frame is the orientation of a ship or a weapon. Its vectors are perpendicular and of length 1.
type Frame struct{ Right, Forward, Up Vec }

// NewFrame returns the frame with a direction of the nose and, as far as possible, of the roof. It
// reports false if the nose has no direction.
func NewFrame(forward, up Vec) (Frame, bool) {
	f, _ := forward.Unit() // without a direction, no product has one
	for _, hint := range [...]Vec{up, {0, 0, 1}, {0, 1, 0}} {
		if right, ok := f.Cross(hint).Unit(); ok {
			return Frame{right, f, right.Cross(f)}, true
		}
	}
	return Frame{}, false
}

// Local returns the components of a vector in the frame.
func (f Frame) Local(v Vec) Vec { return Vec{v.Dot(f.Right), v.Dot(f.Forward), v.Dot(f.Up)} }

// World returns the vector with the components in the frame.
func (f Frame) World(v Vec) Vec {
	return f.Right.Times(v[0]).Add(f.Forward.Times(v[1])).Add(f.Up.Times(v[2]))
}

// Entry returns the point where a ray from a point enters a sphere, and its distance. If the point is
// in the sphere, the ray enters there. It reports false if the ray misses the sphere.
func Entry(from, direction, centre Vec, radius float64) (at Vec, distance float64, ok bool) {
	to := centre.Sub(from)
	outside := to.Dot(to) - float64(radius*radius)
	if outside <= 0 {
		return from, 0, true
	}
	along := to.Dot(direction)
	depth := float64(along*along) - outside
	if along <= 0 || depth < 0 {
		return Vec{}, 0, false
	}
	distance = along - math.Sqrt(depth)
	return from.Add(direction.Times(distance)), distance, true
}
