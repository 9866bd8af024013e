package model

import (
	"github.com/bcwire/bcwire/examples/internal/geometry"
	"github.com/bcwire/bcwire/stateupdate"
)

// Ellipsoid is a part of the body of a ship, in its frame.
type Ellipsoid struct{ Centre, HalfAxes [3]float64 }

// newBody returns the body of a class. It is centred on the Hull, at which shots without another aim are aimed. The
// body of the Galaxy, whose Hull has a radius of 1, was fitted to the parts that shots from eight directions damage.
// That of other classes is not known: they have the Galaxy's engineering hull, in proportion to their Hull.
func newBody(class *stateupdate.Class, hull *stateupdate.PartPhysics) []Ellipsoid {
	body := []Ellipsoid{{hull.Position, vec{0.80, 1.09, 0.40}.Times(hull.Radius)}}
	if class.Key == "galaxy" { // the saucer
		body = append(body, Ellipsoid{[3]float64{0, 1.27, 0.33}, [3]float64{2.10, 2.05, 0.30}})
	}
	return body
}

// entry returns the distance at which a ray enters the ellipsoid, or false if the ray misses it.
func (e *Ellipsoid) entry(from, direction vec) (distance float64, ok bool) {
	for axis, half := range e.HalfAxes { // so that the ellipsoid is a sphere of radius 1
		from[axis] = (from[axis] - e.Centre[axis]) / half
		direction[axis] /= half
	}
	to, ok := direction.Unit()
	if ok {
		_, distance, ok = geometry.Entry(from, to, vec{}, 1)
	}
	return distance / direction.Length(), ok
}

// surface returns the point where a ray enters the body, and its distance. If the ray misses the body or enters it
// behind the aim, the point is the one of the ray that is nearest to the aim. All is in the frame of the ship.
func (s *Ship) surface(from, direction, aim vec) (at vec, distance float64) {
	distance = max(0, aim.Sub(from).Dot(direction))
	for i := range s.Body {
		if entry, ok := s.Body[i].entry(from, direction); ok {
			distance = min(distance, entry)
		}
	}
	return from.Add(direction.Times(distance)), distance
}

// point returns a point of the ship in the star system.
func (s *Ship) point(local vec) vec { return vec(s.Position).Add(s.frame.World(local)) }

// local returns a point in the star system relative to the ship.
func (s *Ship) local(point vec) vec { return s.frame.Local(point.Sub(s.Position)) }
