// Package pilot flies and fights ships of a [model.World]. The bot uses it for its own ship, in a World of
// its own, and tests let two pilots fight in one World.
//
//	p := pilot.New(seed, 3)
//	messages := p.Act(&world, now, ship, others) // ten times a second
//	events := world.Advance(now)
//
// A Pilot has no clock and no goroutine. The same calls have the same results on every platform.
package pilot

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// MaxSkill is the highest skill of a Pilot.
const MaxSkill = 3

// skills are what pilots of each skill are capable of.
var skills = [MaxSkill + 1]struct {
	think     float64 // seconds between two decisions
	aim       float64 // error of the aim, in radii of the target
	reach     float64 // GU, up to which the pilot fires
	turnsAway bool    // after an attack, instead of a stop in front of the enemy
	shields   bool    // turns the strongest face of the shields to the enemy
}{
	{think: 2, aim: 1.2, reach: 30},
	{think: 1, aim: 0.8, reach: 45, turnsAway: true},
	{think: 0.6, aim: 0.4, reach: 70, turnsAway: true, shields: true},
	{think: 0.3, reach: 90, turnsAway: true, shields: true},
}

const (
	arena      = 120 // GU from the origin, at which a ship without an enemy turns back
	places     = 8   // from which a new ship has the one that is farthest from others
	patrol     = 4.0 // seconds between two headings of a ship without an enemy, on average
	clearance  = 12  // GU between the spheres of two ships, from which they evade
	foresight  = 8.0 // seconds for which a pilot foresees collisions
	attackTime = 5   // seconds of turning away after an attack
	shortRange = 30  // GU at which a pilot fights
	drained    = 0.1 // part of the charge below which a phaser bank does not fire
	loaded     = 0.6 // part of the charge from which a phaser bank fires
	reluctance = 1.5 // times that another ship must be nearer, or weaker, than the target
)

// Pilot flies and fights a ship.
type Pilot struct {
	// Peaceful pilots fight nobody. They fly around.
	Peaceful bool

	skill   int
	rand    *rand.Rand
	thinkAt float64
	heading vec // of a ship without an enemy
	target  objectid.ID
	aim     [3]float64 // in radii of the target
	side    vec        // where the ship turns away
	awayTo  float64    // the time until which the ship turns away
	face    stateupdate.ShieldFace
	helm    stateupdate.Helm
	beams   map[int]bool // systems that fire, by index
}

// New returns a pilot with a skill from 0 to MaxSkill.
func New(seed uint64, skill int) *Pilot {
	return &Pilot{skill: max(0, min(skill, MaxSkill)), rand: rand.New(rand.NewPCG(seed, 16)), beams: map[int]bool{}}
}

// Place gives the pilot another ship, at a random place away from places that are taken, with the nose about to the
// middle of the arena. The time of Act begins again.
func (p *Pilot) Place(m *stateupdate.Motion, taken ...[3]float64) {
	*p = Pilot{Peaceful: p.Peaceful, skill: p.skill, rand: p.rand, beams: map[int]bool{}}
	var at vec
	for room, try := -1.0, 0; try < places; try++ {
		place, nearest := p.random().Times(arena/2), math.Inf(1)
		for _, other := range taken {
			nearest = min(nearest, place.Sub(other).Length())
		}
		if nearest > room {
			at, room = place, nearest
		}
	}
	to := p.random().Times(arena / 4).Sub(at)
	m.Position = [3]float32{float32(at[0]), float32(at[1]), float32(at[2])}
	m.SetHeading(float32(to[0]), float32(to[1]), float32(to[2]))
}

// Act decides at a time how the ship flies, and which of the other ships it fires at. It sets the helm of the
// ship and fires its weapons in the World. It returns the messages that its owner sends about that. For bolts,
// torpedoes and collisions, the World has events; see Message. A pilot without other ships flies around.
func (p *Pilot) Act(w *model.World, now time.Duration, s *model.Ship, others []*model.Ship) (messages []opcode.Message) {
	before, time := p.target, now.Seconds()
	if time >= p.thinkAt {
		p.think(time, s, others)
	}
	enemy := w.Ship(p.target)
	if enemy != nil && (!enemy.Alive() || enemy.System != s.System) {
		enemy, p.thinkAt = nil, 0
	}
	to, roof, throttle := p.heading, vec(s.Up), 0.7
	if enemy != nil {
		to, roof, throttle = p.attack(time, s, enemy)
	}
	to, _ = to.Unit()
	for _, other := range others {
		to = to.Add(p.evade(s, other))
	}
	course := s.Course()
	p.helm = course.Toward(s.Class.Physics, to, roof, throttle)
	s.Helm = &p.helm
	if p.target != before {
		messages = append(messages, opcode.NewTargetChanged(s.ID, before))
	}
	return append(messages, p.fire(w, s, enemy, p.target != before)...)
}

// evade returns how the heading must change, so that the ship does not collide with another one: away from it if it
// is near, and away from where it will be nearest.
func (p *Pilot) evade(s, other *model.Ship) (change vec) {
	between := vec(other.Position).Sub(s.Position)
	radii := s.Class.Physics.Radius + other.Class.Physics.Radius
	gap, foresight := between.Length()-radii, foresight
	if other.ID == p.target {
		foresight = 5 // the pilot must face it to fire
	}
	if gap > foresight*15 || !other.Alive() {
		return vec{}
	}
	if away, ok := between.Unit(); ok && gap < clearance {
		change = away.Times(-3 * (1 - gap/clearance))
	}
	closing := vec(other.Velocity).Sub(s.Velocity)
	in := -between.Dot(closing) / max(1e-3, closing.Dot(closing)) // seconds until the ships are nearest
	if miss := between.Add(closing.Times(in)); in > 0 && in < foresight && miss.Length() < radii+clearance {
		aside, ok := miss.Unit()
		if !ok {
			aside = vec(s.Up)
		}
		change = change.Sub(aside.Times(6 * (1 - in/foresight)))
	}
	return change
}

// think chooses the target, the aim and the face of the shields.
func (p *Pilot) think(now float64, s *model.Ship, others []*model.Ship) {
	skill := &skills[p.skill]
	p.thinkAt = now + float64(skill.think*(0.75+float64(p.chance()/2)))
	p.aim = p.random().Times(skill.aim)
	best, least := objectid.None, math.Inf(1)
	for _, other := range others {
		if p.Peaceful || !other.Alive() || other.System != s.System {
			continue
		}
		d := float64(vec(other.Position).Sub(s.Position).Length() * (0.3 + health(other)))
		if other.ID == p.target {
			d /= reluctance
		}
		if d < least {
			best, least = other.ID, d
		}
	}
	p.target = best
	if best == objectid.None {
		p.thinkAt = now + float64(patrol*(0.5+p.chance()))
		p.heading, _ = p.random().Sub(vec(s.Position).Times(1.0 / arena)).Unit()
	}
	p.face = stateupdate.FaceFront
	if skill.shields {
		p.face = strongest(s, p.face)
	}
}

// health returns the part of the points that a ship has left: the mean of its shields and its hull.
func health(s *model.Ship) (part float64) {
	part = 1
	if hull := s.Part("Hull"); hull >= 0 {
		part = s.Condition[hull] / max(1, float64(first(s.Class, stateupdate.KindHull).MaxCondition))
	}
	if shield := first(s.Class, stateupdate.KindShield); shield != nil {
		var have, most float64
		for f, points := range s.Shields {
			have, most = have+points, most+float64(shield.Facings[f])
		}
		part = (part + have/max(1, most)) / 2
	}
	return part
}

// strongest returns the face with the largest part of its points, or the face before if it is nearly as good. The
// rear is no face to fight with.
func strongest(s *model.Ship, face stateupdate.ShieldFace) stateupdate.ShieldFace {
	shield := first(s.Class, stateupdate.KindShield)
	if shield == nil {
		return face
	}
	part := func(f stateupdate.ShieldFace) float64 { return s.Shields[f] / max(1, float64(shield.Facings[f])) }
	best := face
	for _, f := range []stateupdate.ShieldFace{stateupdate.FaceLeft, stateupdate.FaceRight, stateupdate.FaceTop, stateupdate.FaceBottom} {
		if part(f) > part(best) {
			best = f
		}
	}
	if part(face) > 0.6 || part(best) < part(face)+0.2 {
		return face
	}
	return best
}

// attack returns the heading of the nose and the roof, and the throttle, against an enemy.
func (p *Pilot) attack(now float64, s, enemy *model.Ship) (to, roof vec, throttle float64) {
	line := vec(enemy.Position).Sub(s.Position)
	radii := s.Class.Physics.Radius + enemy.Class.Physics.Radius
	distance, near, fight := line.Length(), radii+clearance, max(shortRange, radii+2*clearance)
	line, ok := line.Unit()
	if !ok {
		return p.side, vec(s.Up), 1
	}
	skill := &skills[p.skill]
	switch {
	case skill.turnsAway && now < p.awayTo && distance < 2*fight:
		return p.side.Sub(line.Times(0.5)), vec(s.Up), 1
	case skill.turnsAway && distance < near && p.face == stateupdate.FaceFront:
		p.awayTo = now + attackTime
		p.side, _ = line.Cross(p.random()).Unit()
		return p.side, vec(s.Up), 1
	case p.face == stateupdate.FaceFront || distance > 1.5*fight:
		throttle = 1
		if !skill.turnsAway {
			throttle = max(0, min(1, (distance-near)/near))
		}
		lead := vec(enemy.Velocity).Times(distance / 45) // about the speed of bolts
		return vec(enemy.Position).Add(lead).Sub(s.Position), vec(s.Up), throttle
	}
	along, ok := vec(s.Forward).Sub(line.Times(line.Dot(s.Forward))).Unit()
	if !ok {
		along, _ = line.Cross(p.random()).Unit()
	}
	switch p.face {
	case stateupdate.FaceLeft:
		roof = along.Cross(line)
	case stateupdate.FaceRight:
		roof = line.Cross(along)
	case stateupdate.FaceTop:
		roof = line
	default:
		roof = line.Times(-1)
	}
	return along.Add(line.Times(max(-0.7, min(0.7, distance/fight-1)))), roof, 0.8
}

// fire begins and ends the fire of weapon systems. It returns the messages about phasers.
func (p *Pilot) fire(w *model.World, s, enemy *model.Ship, changed bool) (messages []opcode.Message) {
	part := 0
	for i := range s.Class.Subsystems {
		sub := &s.Class.Subsystems[i]
		system, ok := s.Class.PartID(s.ID, i, -1)
		children := part + 1
		part += 1 + len(sub.Children)
		if !ok || sub.Kind != stateupdate.KindPhaser && sub.Kind != stateupdate.KindPulse && sub.Kind != stateupdate.KindTorpedo {
			continue
		}
		wants := enemy != nil && p.ready(s, enemy, sub, children, p.beams[i])
		was := p.beams[i]
		if was && (!wants || changed) {
			stop := opcode.NewStopFiring(system)
			_ = w.Apply(stop) // the system may be destroyed
			was = false
			if sub.Kind == stateupdate.KindPhaser {
				messages = append(messages, stop)
			}
		}
		if wants && !was {
			was = w.Fire(system, enemy.ID, p.aim) == nil
			if was && sub.Kind == stateupdate.KindPhaser {
				messages = append(messages, opcode.NewStartFiring(system, enemy.ID))
			}
		}
		p.beams[i] = was
	}
	return messages
}

// ready reports whether a system, whose children are parts from a first one on, has a weapon that should fire, or
// that should go on.
func (p *Pilot) ready(s, enemy *model.Ship, system *stateupdate.Subsystem, first int, fires bool) bool {
	distance := vec(enemy.Position).Sub(s.Position).Length()
	for k := range system.Children {
		c, weapon := first+k, system.Children[k].Weapon
		if weapon == nil || !s.Bears(c, enemy.Position) {
			continue
		}
		least := float64(loaded * weapon.MaxCharge)
		if fires {
			least = float64(drained * weapon.MaxCharge)
		}
		if distance < skills[p.skill].reach && (system.Kind != stateupdate.KindPhaser || s.Charge[c] >= least) {
			return true
		}
	}
	return false
}

// Message returns the message of a player about an event of the player's ship, a shot or a
// collision. Other events have none.
func (p *Pilot) Message(w *model.World, s *model.Ship, e model.Event, player objectid.PeerID) opcode.Message {
	weapon, ok := s.Class.PartID(s.ID, e.Weapon.Index, e.Weapon.Child)
	direction := encode(e.Direction)
	switch {
	case e.Ship != s.ID:
	case e.Kind == model.Hit && e.Weapon.Subsystem == nil:
		return collision(s, w.Ship(e.By), e.Passed)
	case e.Kind == model.Fired && ok && e.Weapon.Subsystem.Kind == stateupdate.KindPulse:
		return opcode.NewBeamFire(weapon, player, direction, p.target)
	case e.Kind == model.Fired && ok:
		offset := compress.EncodeContact(float32(p.aim[0]), float32(p.aim[1]), float32(p.aim[2]), 1)
		return opcode.NewTorpedoFire(weapon, player, direction, p.target, offset)
	}
	return nil
}

// collision returns the message about a collision with another ship that does some damage.
func collision(s, other *model.Ship, damage float64) opcode.Message {
	if other == nil {
		return nil
	}
	forward, up := vec(s.Forward), vec(s.Up)
	to, _ := vec(other.Position).Sub(s.Position).Unit()
	contact := compress.EncodeContact(float32(to.Dot(forward.Cross(up))), float32(to.Dot(forward)), float32(to.Dot(up)), 1)
	impulse := (damage - 500) / 900 * s.Class.Physics.Mass
	if m, err := opcode.NewCollisionEffect(s.ID, other.ID, []compress.Contact{contact}, float32(impulse)); err == nil {
		return m
	}
	return nil // the impulse is not finite
}

// first returns the first subsystem of a kind, or nil.
func first(class *stateupdate.Class, kind stateupdate.Kind) *stateupdate.Subsystem {
	for i := range class.Subsystems {
		if class.Subsystems[i].Kind == kind {
			return &class.Subsystems[i]
		}
	}
	return nil
}

// chance returns a number from 0 to 1. Its product is rounded before another number is added to it.
func (p *Pilot) chance() float64 { return float64(p.rand.Float64()) }

// random returns a vector with a length of at most 1.
func (p *Pilot) random() vec {
	for {
		v := vec{float64(2*p.chance()) - 1, float64(2*p.chance()) - 1, float64(2*p.chance()) - 1}
		if v.Length() <= 1 {
			return v
		}
	}
}
