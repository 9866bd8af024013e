package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/geometry"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	windup      = 1.156       // seconds from the start of a beam to its first quantum
	quantum     = 0.53125     // seconds between two quanta of a beam, each of which has the damage of this time
	stagger     = 3 * dt      // seconds between the starts of two beams of a system
	tubePause   = 0.6         // seconds between two tubes of a system, so that they fire in each second weapon step
	torpedoLife = 30.0        // seconds; the lifetime of torpedoes is not known
	tubeArc     = math.Pi / 3 // up to which a tube fires that the model aims; scripts have no arcs of tubes
	early       = 0.5         // seconds by which a shot of a client may be early
	cloakedPart = 0.02        // of the damage of a beam that a cloaked ship takes
	visible     = 2.0         // seconds after a shot in which a cloaked ship takes all of the damage
)

// The levels of a system: the damage and the drain of a beam, and the damage and the charge of a bolt. The
// measured charge at MED is 0.91 for a Bird of Prey and 0.97 for a Warbird; 0.93 is within the
// tolerances of both.
var (
	beamDamage = [...]float64{opcode.PhaserLow: 0.25, opcode.PhaserMedium: 0.5, opcode.PhaserHigh: 0.5}
	beamDrain  = [...]float64{opcode.PhaserLow: 0.35, opcode.PhaserMedium: 1, opcode.PhaserHigh: 1}
	boltDamage = [...]float64{opcode.PhaserLow: 0.2, opcode.PhaserMedium: 0.5, opcode.PhaserHigh: 1}
	boltCharge = [...]float64{opcode.PhaserLow: 0.5, opcode.PhaserMedium: 0.93, opcode.PhaserHigh: 2}
)

// Fire makes a weapon system fire at a ship or at one of its parts, until a StopFiring. The aim is the position of
// the part, or of the hull. An offset that is not 0 is another aim, from the centre of the target in its radii.
// Without a target, the system fires at the last one. The model then fires the weapons that bear when they are
// charged; see [World.Shoot] for the bolts and torpedoes of a client.
func (w *World) Fire(system, target objectid.ID, offset [3]float64) error {
	s, _, y := w.part(system)
	if s == nil || y.Kind != stateupdate.KindPhaser && y.Kind != stateupdate.KindPulse && y.Kind != stateupdate.KindTorpedo || !y.on || s.disabled(y.index) {
		return refused("no weapon that works")
	}
	if target == objectid.None {
		target = s.target
	}
	if t, _ := w.aim(s.ID, s.System, target, offset); t == nil || !vec(offset).Finite() {
		return w.missing(target)
	}
	first := !y.held
	y.held, y.target, y.aim, s.target = true, target, offset, target
	if first && y.Kind == stateupdate.KindPhaser {
		s.trigger(w, y, true)
	}
	return nil
}

// cease makes a system stop.
func (s *Ship) cease(w *World, y *system) {
	y.held = false
	for _, c := range y.children {
		s.stop(w, y, c)
	}
}

// stop ends a beam. It does the damage of the time since its last quantum.
func (s *Ship) stop(w *World, y *system, c int) {
	b := &s.parts[c]
	if rest := w.now() - (b.next - quantum); b.burns && rest > 0 {
		s.strike(w, y, c, rest)
	}
	b.burns = false
}

// missing returns the error of a shot that has no target. A shot at a ship that explodes has no error: its
// shooter learns of the explosion later.
func (w *World) missing(target objectid.ID) error {
	if t, _ := w.owner(target); t != nil && !t.Alive() {
		return nil
	}
	return errNoTarget
}

// aim returns the target of a shot from a ship in a star system, and the point that the shot is aimed at. The
// target is nil if the shot can have none.
func (w *World) aim(by objectid.ID, system string, target objectid.ID, offset vec) (*Ship, vec) {
	t, i := w.owner(target)
	if t == nil || t.ID == by || !t.Alive() || t.System != system {
		return nil, vec{}
	}
	switch {
	case offset != (vec{}):
		return t, t.point(offset.Times(t.physics.Radius))
	case i >= 0:
		return t, t.muzzle(i)
	}
	return t, t.muzzle(t.hull.index)
}

// muzzle returns the position of a part in the star system.
func (s *Ship) muzzle(i int) vec { return s.point(s.parts[i].body.Position) }

// bears reports whether a direction is in one of the arcs of a weapon.
func (s *Ship) bears(i, arc int, to vec) bool {
	return s.parts[i].arcs[arc].contains(s.frame.Local(to))
}

// Bears reports whether a living part is a weapon with a point in its arc.
func (s *Ship) Bears(part int, point [3]float64) bool {
	to, ok := vec(point).Sub(s.muzzle(part)).Unit()
	return ok && s.parts[part].weapon != nil && s.works(part) && s.bears(part, 0, to)
}

// trigger fires the weapons of a system that are charged and bear: the next one, or all of them. At the
// first moment a phaser bank needs no charge, because the host does not know the charge of a client.
func (s *Ship) trigger(w *World, y *system, first bool) {
	t, aim := w.aim(s.ID, s.System, y.target, y.aim)
	if t == nil {
		s.cease(w, y)
		return
	}
	single, began := y.SingleFire, 0
	if single && slices.ContainsFunc(y.children, func(c int) bool { return s.parts[c].burns }) {
		return
	}
	for pass := range 2 { // the second one is for uncharged banks
		for n := range y.children {
			c := y.children[(y.cursor+n)%len(y.children)]
			projectile, err := s.loaded(w, y, c, 0)
			if err != nil || pass == 0 && s.Charge[c] < s.parts[c].weapon.MinFiringCharge {
				continue
			}
			at := aim
			if projectile != nil {
				at = aim.Add(vec(t.Velocity).Times(aim.Sub(s.muzzle(c)).Length() / projectile.Speed))
			}
			to, ok := at.Sub(s.muzzle(c)).Unit()
			if !ok || !s.bears(c, pass, to) {
				continue
			}
			if projectile != nil {
				s.launch(w, y, c, projectile, to)
			} else { // measured were 0, 0.031, 0.125 and 0.156 s for the beams of a Kessok Heavy
				s.parts[c].burns, s.parts[c].drains, s.parts[c].next = true, false, w.now()+float64(float64(began)*stagger)+windup
			}
			if y.Kind == stateupdate.KindTorpedo {
				y.next = w.now() + tubePause
			}
			if began++; single || y.Kind == stateupdate.KindTorpedo {
				y.cursor = (y.cursor + n + 1) % len(y.children)
				return
			}
		}
		if began > 0 || !first {
			return
		}
	}
}

// fire lets the beams do their damage. In a weapon step, it lets them lose their charge, and fires the systems that
// are held.
func (s *Ship) fire(w *World) {
	step := w.onStep(1)
	for i := range s.systems {
		y := &s.systems[i]
		for _, c := range y.children {
			b := &s.parts[c]
			if b.burns && w.now() >= b.next {
				b.next += quantum
				b.burns = s.strike(w, y, c, quantum)
			}
			if step && b.burns && b.drains {
				s.Charge[c] = max(0, s.Charge[c]-float64(beamDrain[y.level]*weaponStep))
				if s.Charge[c] == 0 {
					s.stop(w, y, c)
				}
			}
			b.drains = b.burns && (step || b.drains)
		}
		if step && y.held && w.now() >= y.next {
			s.trigger(w, y, false)
		}
	}
}

// strike hits the target of a beam with the damage of some seconds. It reports whether the beam goes on.
func (s *Ship) strike(w *World, y *system, c int, seconds float64) bool {
	t, aim := w.aim(s.ID, s.System, y.target, y.aim)
	from, weapon := s.muzzle(c), s.parts[c].weapon
	to, ok := aim.Sub(from).Unit()
	if t == nil || !ok || !s.works(c) || s.warps(w) || !s.bears(c, 1, to) {
		return false
	}
	_, distance, ok := geometry.Entry(from, to, t.Position, t.radius())
	if !ok {
		return true // the aim is beside the target
	}
	h := &hit{by: s.ID, weapon: s.parts[c].Part, radius: weapon.DamageRadius, low: y.level == opcode.PhaserLow}
	distance = h.meet(t, from, to, aim, distance, false)
	h.points = float64(float64(float64(weapon.MaxDamage*beamDamage[y.level])*seconds)*s.fraction(c)) * s.fraction(y.index)
	h.points = float64(h.points * min(1, weapon.MaxDamageDistance/max(distance, 1e-9)))
	if s.fired = w.now(); t.Cloaked && (t.fired == 0 || w.now()-t.fired > visible) {
		h.points = float64(h.points * cloakedPart)
	}
	t.take(w, h)
	return true
}

// loaded returns what a weapon fires now, nil for a beam, or an error. The shot may be early by some seconds.
func (s *Ship) loaded(w *World, y *system, c int, early float64) (*stateupdate.Projectile, error) {
	p, weapon := &s.parts[c], s.parts[c].weapon
	switch {
	case weapon == nil || !s.works(c) || s.warps(w):
	case y.Kind == stateupdate.KindPhaser && !p.burns && s.Charge[c] > 0:
		return nil, nil
	case w.now() < p.ready-early || s.inFlight >= maxShots:
	case y.Kind == stateupdate.KindPulse:
		return weapon.Projectile, nil
	case y.ammo < len(y.Ammunition) && y.rounds[y.ammo] > 0 && len(p.slots) > 0 && w.now() >= slices.Min(p.slots)-early:
		return y.Ammunition[y.ammo].Projectile, nil
	}
	return nil, errNotReady
}

// launch fires a pulse weapon or a tube in a direction.
func (s *Ship) launch(w *World, y *system, c int, projectile *stateupdate.Projectile, direction vec) {
	p, weapon := &s.parts[c], s.parts[c].weapon
	life, points := cmp.Or(projectile.Lifetime, max(torpedoLife, projectile.Guided)), projectile.Damage
	if y.Kind == stateupdate.KindPulse {
		points = float64(points * boltDamage[y.level])
		s.Charge[c] = max(0, s.Charge[c]-boltCharge[y.level])
		p.ready = max(p.ready, w.now()-early) + weapon.Cooldown
	} else {
		slot := &p.slots[slices.Index(p.slots, slices.Min(p.slots))]
		*slot = max(*slot, w.now()) + weapon.ReloadDelay // a torpedo of a client may be early
		p.ready = w.now() + weapon.ImmediateDelay
		y.rounds[y.ammo]--
	}
	s.fired, s.inFlight = w.now(), s.inFlight+1
	w.events = append(w.events, Event{Kind: Fired, Ship: s.ID, By: s.ID, Weapon: p.Part, Direction: direction})
	w.shots = append(w.shots, &shot{
		hit: hit{by: s.ID, weapon: p.Part, points: points, radius: projectile.DamageRadius, bursts: true}, system: s.System, target: y.target,
		aim: y.aim, projectile: projectile, from: s.muzzle(c), direction: direction, born: w.now(), dies: w.now() + life,
	})
}

// Shoot fires one pulse weapon or torpedo tube of a client in a direction of any length. The target may be
// None. The offset is as in Fire.
func (w *World) Shoot(weapon, target objectid.ID, direction, offset [3]float64) error {
	s, i, y := w.part(weapon)
	to, ok := vec(direction).Unit()
	if s == nil || y.Kind == stateupdate.KindPhaser || !ok || !vec(offset).Finite() {
		return refused("no such weapon, or a shot without a direction")
	}
	projectile, err := s.loaded(w, y, i, early)
	if err == nil && !s.bears(i, 1, to) {
		err = w.note(s, w.Strict, refused("%v fires out of its arc", s.parts[i].Part))
	}
	if t, _ := w.aim(s.ID, s.System, target, offset); err == nil && target != objectid.None && t == nil {
		target, err = objectid.None, w.note(s, w.Strict, w.missing(target))
	}
	if err != nil {
		return err
	}
	if weapon := s.parts[i].weapon; y.Kind == stateupdate.KindPulse && s.Charge[i]+float64(early*weapon.RechargeRate) < weapon.MinFiringCharge {
		w.note(s, false, refused("%v fires with a charge of %.2f", s.parts[i].Part, s.Charge[i]))
	}
	if y.target, y.aim = target, offset; target != objectid.None {
		s.target = target
	}
	s.launch(w, y, i, projectile, to)
	return nil
}

// shot is a torpedo or a bolt in flight.
type shot struct {
	hit
	target, inside       objectid.ID // inside is the ship whose shields the shot has passed
	system               string
	projectile           *stateupdate.Projectile
	from, direction, aim vec // the aim is in radii of the target
	born, dies, turnRate float64
}

// fly moves all shots by a step.
func (w *World) fly() {
	w.shots = slices.DeleteFunc(w.shots, func(q *shot) bool {
		over := !q.fly(w)
		if s := w.Ship(q.by); over && s != nil {
			s.inFlight--
		}
		return over
	})
}

// fly moves a shot by a step, and reports whether it is still in flight.
func (q *shot) fly(w *World) bool {
	t, aim := w.aim(q.by, q.system, q.target, q.aim)
	if t != nil && w.now()-q.born <= q.projectile.Guided {
		q.steer(aim)
	}
	way := float64(q.projectile.Speed * dt)
	var struck *Ship
	var found hit
	for _, s := range w.ships {
		to, reach := vec(s.Position).Sub(q.from), s.radius()+way
		if to.Dot(to) > float64(reach*reach) || s.ID == q.by || !s.Alive() || s.System != q.system {
			continue // most ships are far away
		}
		_, distance, ok := geometry.Entry(q.from, q.direction, s.Position, s.radius())
		if !ok || distance > way {
			continue
		}
		h, at := q.hit, aim
		if s != t {
			at = s.muzzle(s.hull.index)
		}
		if distance = h.meet(s, q.from, q.direction, at, distance, q.inside == s.ID); distance <= way {
			struck, found, way = s, h, distance
		} else {
			q.inside = s.ID
		}
	}
	if struck != nil {
		struck.take(w, &found)
		return false
	}
	q.from = q.from.Add(q.direction.Times(way))
	return w.now() < q.dies
}

// steer turns a guided torpedo to its aim. Its turn rate grows by the acceleration of its script.
func (q *shot) steer(aim vec) {
	q.turnRate += float64(q.projectile.MaxTurnAcceleration * dt)
	to, _ := aim.Sub(q.from).Unit()
	ahead := to.Dot(q.direction)
	aside := to.Sub(q.direction.Times(ahead))
	most := float64(q.turnRate * dt)
	if ahead > 0 && aside.Length() <= most {
		q.direction = to
	} else if side, ok := aside.Unit(); ok {
		q.direction, _ = q.direction.Add(side.Times(most)).Unit()
	}
}
