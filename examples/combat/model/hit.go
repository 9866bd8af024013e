package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	shieldRadius = 1.21 // of the sphere of the shields, in bounding radii
	thinShield   = 0.1  // a face with a smaller part of its points lets everything through

	explosionPoints = 600.0 // of an explosion of a dying ship
	explosionRadius = 0.25  // in bounding radii
	explosionTicks  = 60    // steps between two explosions, about a second; measured were four in 3.7 s

	contactRadius = 1.5  // of the damage of a collision
	softContact   = 0.01 // change of speed up to which a contact does no damage
	contactGap    = 26.0 // between the spheres of two ships, the most at which a host accepts a collision
)

// radius returns the radius of the shield sphere.
func (s *Ship) radius() float64 { return float64(s.physics.Radius * shieldRadius) }

// face returns the face of the shield at a point from the centre of the ship, in its frame.
func face(at vec) (face stateupdate.ShieldFace) {
	most := 0.0
	for f, distance := range [...]float64{at[1], -at[1], at[2], -at[2], -at[0], at[0]} {
		if distance > most {
			face, most = stateupdate.ShieldFace(f), distance
		}
	}
	return face
}

// passes returns the part of a hit that a face lets through, by the part of its points that it has. A face
// with 60 % lets nothing through.
func passes(f float64) float64 {
	if f < thinShield {
		return 1
	}
	return max(0, float64(0.6*(1-float64(2*(f-thinShield)))))
}

// gate sets the part of a hit that each face lets through until the next shield step.
func (s *Ship) gate() {
	for f, points := range s.Shields {
		s.passes[f] = 1
		if y := s.shield; y != nil && y.on && !s.Cloaked {
			s.passes[f] = passes(points / max(1, float64(y.Facings[f])))
		}
	}
}

// hit is a hit of a shot.
type hit struct {
	by             objectid.ID
	weapon         stateupdate.Part
	points, radius float64 // of the damage
	bursts         bool    // a bolt or a torpedo, whose radius is in proportion to the points of a pass
	low            bool    // a beam at LOW, which spares the hull if it can
	face           stateupdate.ShieldFace
	passes         float64 // part that the face lets through; at 1 it takes nothing
	at             vec     // the point on the ship, in its frame
}

// meet sets where the ray of a shot that enters the shield sphere at a distance meets the ship. It returns the
// distance to what stops the shot: the face, or the body behind a face that takes nothing. A shot that is inside has
// no face before it.
func (h *hit) meet(s *Ship, from, direction, aim vec, sphere float64, inside bool) (distance float64) {
	h.face = face(s.local(from.Add(direction.Times(sphere))))
	if h.passes = s.passes[h.face]; inside {
		h.passes = 1
	}
	h.at, distance = s.surface(s.local(from), s.frame.Local(direction), s.local(aim))
	if s.HitPoint != nil {
		h.at = *s.HitPoint
	}
	if h.passes < 1 {
		return sphere
	}
	return distance
}

func (s *Ship) event(w *World, kind Kind, h *hit, part stateupdate.Part) *Event {
	w.events = append(w.events, Event{Kind: kind, Ship: s.ID, By: h.by, Weapon: h.weapon, Part: part})
	return &w.events[len(w.events)-1]
}

// take damages the ship by the two passes of a hit. The first one is the shield's, or the hull's if the shield takes
// nothing. The second one is the hull's, with what the first has left.
func (s *Ship) take(w *World, h *hit) {
	s.struck = w.now()
	e := s.event(w, Hit, h, stateupdate.Part{})
	e.Passed = float64(h.points * h.passes)
	e.Absorbed = h.points - e.Passed
	left := e.Passed
	if h.passes < 1 {
		s.Shields[h.face] = max(0, s.Shields[h.face]-e.Absorbed) // what the face takes beyond its points is lost
	} else {
		left = s.damage(w, h, left, h.at)
	}
	s.damage(w, h, left, h.at)
}

// damage damages the hull and all parts near a point, each by all of the points. It returns the points that they did
// not have.
func (s *Ship) damage(w *World, h *hit, points float64, at vec) (left float64) {
	if points <= 0 {
		return 0
	}
	others, radius := false, h.radius
	if h.bursts {
		radius = float64(radius * (points / h.points))
	}
	for i := range s.parts {
		body := s.parts[i].body
		if i != s.hull.index && body.Targetable && s.Condition[i] > 0 && vec(body.Position).Sub(at).Length() < body.Radius+radius {
			others = true
			left += s.lose(w, h, i, points)
		}
	}
	if s.Condition[s.hull.index] > 0 && !(h.low && others) {
		left += s.lose(w, h, s.hull.index, points)
	}
	return left
}

// lose subtracts points from the condition of a part, and returns those that it did not have. Without a critical
// part, the ship explodes. Another part that is destroyed cannot be repaired.
func (s *Ship) lose(w *World, h *hit, i int, points float64) (left float64) {
	destroyed := s.Condition[i] == 0 // before
	// A part is in the list until a step of repair, also when a caller has repaired it. A dying ship takes no more
	// parts into its list: of one with a damaged generator, the hull was repaired alone.
	if s.Alive() && !destroyed && !slices.Contains(s.repairs, i) {
		s.repairs = append(s.repairs, i)
		s.event(w, Damaged, h, s.parts[i].Part)
	}
	left = max(0, points-s.Condition[i])
	s.Condition[i] = max(0, s.Condition[i]-points)
	switch {
	case s.Condition[i] > 0 || !s.Alive():
	case s.parts[i].body.Critical:
		s.explode(w, h)
	case !destroyed:
		s.event(w, RepairFailed, h, s.parts[i].Part)
	}
	return left
}

// explode begins the explosion of the ship.
func (s *Ship) explode(w *World, h *hit) {
	s.dies = w.now() + Lifetime.Seconds()
	for i := range s.systems {
		if y := &s.systems[i]; y.Kind >= stateupdate.KindPhaser && y.Kind <= stateupdate.KindPulse {
			s.Condition[y.index] = 0
		}
	}
	s.event(w, Exploding, h, stateupdate.Part{})
}

// burn damages a dying ship by an explosion at a random point of its body. The ship and the time decide the point.
func (s *Ship) burn(w *World) {
	chance := rand.New(rand.NewPCG(uint64(s.ID), uint64(w.step)))
	var at vec
	for axis := range at {
		at[axis] = float64(chance.Float64()) - 0.5
	}
	if at, _ = at.Unit(); len(s.Body) > 0 {
		e := s.Body[chance.IntN(len(s.Body))]
		for axis, half := range e.HalfAxes {
			at[axis] = e.Centre[axis] + float64(half*at[axis])
		}
	}
	s.damage(w, &hit{by: objectid.None, radius: float64(s.physics.Radius * explosionRadius)}, explosionPoints, at)
}

// collide damages a ship by a collision. The shields do not matter. Each contact gets what the parts near the one
// before did not have.
func (s *Ship) collide(w *World, other objectid.ID, impulse float64, contacts ...vec) {
	change := impulse / s.physics.Mass / float64(len(contacts))
	if change > softContact {
		s.touched, s.struck = w.now(), w.now()
		h := &hit{by: other, radius: contactRadius}
		points := float64(900*change) + 500
		s.event(w, Hit, h, stateupdate.Part{}).Passed = points
		for _, at := range contacts {
			points = s.damage(w, h, points, at)
		}
	}
}

// report applies a collision that the owner of a ship reports. Each owner reports the damage of its own
// ship, so nobody can damage another ship with it.
func (w *World) report(m *opcode.CollisionEffect) error {
	id, other, ok := m.Collided()
	s, with := w.Ship(id), w.Ship(other)
	switch {
	case !ok || s == nil || !s.Alive() || id == other:
		return refused("no such ships")
	case !(m.Force >= 0 && m.Force <= math.MaxFloat32) || len(m.Contacts) == 0:
		return refused("an impulse of %v at %d contacts", m.Force, len(m.Contacts))
	case with == nil:
		other = objectid.None
	case with.System != s.System || vec(with.Position).Sub(s.Position).Length() > s.physics.Radius+with.physics.Radius+contactGap:
		return refused("the ships are too far apart")
	}
	contacts := make([]vec, len(m.Contacts))
	for i, c := range m.Contacts {
		contacts[i] = wide(c.Float32(1)).Times(s.physics.Radius)
	}
	s.collide(w, other, float64(m.Force), contacts...)
	return nil
}

// touch bounces the ships that the model flies off other ships. A client reports its collisions itself.
func (w *World) touch() {
	for i, a := range w.ships {
		for _, b := range w.ships[i+1:] {
			between := vec(b.Position).Sub(a.Position)
			if a.Helm == nil && b.Helm == nil || a.System != b.System || !a.Alive() || !b.Alive() || between.Length() > a.physics.Radius+b.physics.Radius {
				continue
			}
			normal, ok := between.Unit()
			closing := vec(a.Velocity).Sub(b.Velocity).Dot(normal)
			ma, mb := a.physics.Mass, b.physics.Mass
			if impulse := float64(2*closing) * (float64(ma*mb) / (ma + mb)); ok && closing > 0 && impulse <= math.MaxFloat32 {
				a.push(w, b, impulse, normal.Times(-1))
				b.push(w, a, impulse, normal)
			}
		}
	}
}

// push changes the velocity of a ship by an impulse, and damages it if the model flies it.
func (s *Ship) push(w *World, other *Ship, impulse float64, direction vec) {
	s.Velocity = vec(s.Velocity).Add(direction.Times(impulse / s.physics.Mass))
	if s.Helm != nil {
		s.collide(w, other.ID, impulse, s.frame.Local(direction.Times(-s.physics.Radius)))
	}
}
