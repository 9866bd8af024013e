package model

import (
	"math"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	flatness     = 1.1
	shieldRadius = 1.21 // of the sphere of the shields, in bounding radii
	thinShield   = 0.1  // a face with a smaller part of its points lets everything through

	// measuredPass is what the measured medians of ten ranges lie below the published ramp. With it the
	// hits that pass a full shield have the measured sum.
	measuredPass = 0.025

	contactRadius = 1.5  // of the damage of a collision
	softContact   = 0.01 // change of speed up to which a contact does no damage
	contactGap    = 26.0 // between the spheres of two ships, the most at which a host accepts a collision
)

// radius returns the radius of the shield sphere.
func (s *Ship) radius() float64 { return float64(s.physics.Radius * shieldRadius) }

// face returns the face of the shield at a point from the centre of the ship, in its frame. A ship is flatter
// than a sphere, so a shot from 45 degrees above hits the top.
func face(at vec) (face stateupdate.ShieldFace) {
	z, most := float64(flatness*at[2]), 0.0
	for f, distance := range [...]float64{at[1], -at[1], z, -z, -at[0], at[0]} {
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
	return max(0, float64(0.6*(1-float64(2*(f-thinShield))))-measuredPass)
}

// hit is a hit of a shot.
type hit struct {
	by             objectid.ID
	weapon         stateupdate.Part
	points, radius float64 // of the damage
	low            bool    // a beam at LOW, which spares the hull if it can
	shield, at     vec     // the points on the shield sphere and on the ship, in its frame
}

func (s *Ship) event(w *World, kind Kind, h *hit, part stateupdate.Part) *Event {
	w.events = append(w.events, Event{Kind: kind, Ship: s.ID, By: h.by, Weapon: h.weapon, Part: part})
	return &w.events[len(w.events)-1]
}

// take damages the ship by a hit.
func (s *Ship) take(w *World, h *hit) {
	passed := h.points
	if y := s.shield; y != nil && y.on && !s.Cloaked && !s.disabled(y.index) {
		f := face(h.shield)
		passed = float64(h.points * passes(s.Shields[f]/max(1, float64(y.Facings[f]))))
		s.Shields[f] = max(0, s.Shields[f]-(h.points-passed)) // what the face takes beyond its points is lost
	}
	s.struck = w.now()
	e := s.event(w, Hit, h, stateupdate.Part{})
	e.Absorbed, e.Passed = h.points-passed, passed
	if s.HitPoint != nil {
		h.at = *s.HitPoint
	}
	if passed > 0 {
		s.damage(w, h, passed, h.at)
	}
}

// damage damages the hull and all parts near some points, each by the whole damage.
func (s *Ship) damage(w *World, h *hit, damage float64, points ...vec) {
	others := false
	for i := range s.parts {
		body := &s.physics.Parts[i]
		if i != s.hull.index && body.Targetable && s.Condition[i] > 0 && slices.ContainsFunc(points, func(at vec) bool {
			return vec(body.Position).Sub(at).Length() < body.Radius+h.radius
		}) {
			others = true
			s.lose(w, h, i, damage)
		}
	}
	if !h.low || !others {
		s.lose(w, h, s.hull.index, damage)
	}
}

// lose subtracts points from the condition of a part. Without a critical part, the ship explodes. Another
// part that is destroyed cannot be repaired.
func (s *Ship) lose(w *World, h *hit, i int, points float64) {
	destroyed := s.Condition[i] == 0                  // before
	if !destroyed && !slices.Contains(s.repairs, i) { // as long as it is in the list, also when a caller has repaired it
		s.repairs = append(s.repairs, i)
		s.event(w, Damaged, h, s.parts[i].Part)
	}
	s.Condition[i] = max(0, s.Condition[i]-points)
	switch {
	case s.Condition[i] > 0 || !s.Alive():
	case s.physics.Parts[i].Critical:
		s.explode(w, h)
	case !destroyed:
		s.event(w, RepairFailed, h, s.parts[i].Part)
	}
}

// explode begins the explosion of the ship.
func (s *Ship) explode(w *World, h *hit) {
	s.dies = w.now() + Lifetime.Seconds()
	for i := range s.parts {
		if y := &s.systems[s.parts[i].Index]; y.Kind >= stateupdate.KindPhaser && y.Kind <= stateupdate.KindPulse {
			s.cease(y)
			s.Condition[i] = 0
		}
	}
	s.event(w, Exploding, h, stateupdate.Part{})
}

// collide damages a ship by a collision. The shields do not matter. A part is damaged by one contact.
func (s *Ship) collide(w *World, other objectid.ID, impulse float64, contacts ...vec) {
	change := impulse / s.physics.Mass / float64(len(contacts))
	if change > softContact {
		s.touched, s.struck = w.now(), w.now()
		h := &hit{by: other, radius: contactRadius}
		points := float64(900*change) + 500
		s.event(w, Hit, h, stateupdate.Part{}).Passed = points
		s.damage(w, h, points, contacts...)
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
