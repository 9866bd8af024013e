package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/geometry"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	// regenFactor is the part of the charge in the scripts that the shields of a Galaxy were measured to
	// regain. The reason is not known. The model uses it for every class. The power setting of the shields
	// does not matter, as was measured at 50 %. The code of the game multiplies by the power that is received.
	regenFactor = 0.85
	unbreakable = 1e30         // points of a part whose points are unknown
	tolerance   = math.Pi / 12 // by which a shot of a client may be out of the arc of its weapon

	silence    = 2.0  // seconds without a report after which a ship stops
	maxExcess  = 1.3  // times MaxSpeed, the most that a host accepts
	arrival    = 2.0  // seconds in which a new ship may have any place
	patience   = 2.0  // seconds for which a ship may be faster
	leniency   = 1.5  // more seconds for a relative position: the loss of an absolute one makes it wrong by a second of flight
	fixPause   = 0.5  // seconds between two positions that are remembered
	afterTouch = 10.0 // seconds after a contact in which a ship may be faster
	slowest    = 1.0  // GU/s; a ship without engines may drift

	warpTime  = 12.0 // seconds from the StartWarp to the end of the measured set-to-set warp: 2.5, 2.25, 5 and 1.9
	warpPause = 30.0 // between two warps
)

// Ship is a ship in a [World]. Between two calls of Advance, the caller may change its exported fields.
type Ship struct {
	ID     objectid.ID
	Class  *stateupdate.Class
	System string // the star system
	Motion

	Condition []float64  // points of each subsystem, followed by its children; 1e30 for a part whose points are unknown
	Shields   [6]float64 // points of each face, by stateupdate.ShieldFace
	Charge    []float64  // charge of each part that is a weapon
	// Body is what shots meet behind the shields. A caller who knows the body of a class of a mod can set it.
	Body []Ellipsoid
	// HitPoint, if it is not nil, is the point where every shot hits the ship, in its frame.
	HitPoint *[3]float64
	// Helm, if it is not nil, lets the model fly the ship by the measured law of motion. Report sets it
	// to nil.
	Helm *stateupdate.Helm

	physics                                        *stateupdate.Physics
	parts                                          []part // each subsystem, followed by its children
	byOffset                                       []int  // index in parts, by the offset of the object ID
	systems                                        []system
	hull, shield, reactor, workshop, engines, warp *system // nil if there is none; every ship has a hull
	frame                                          frame
	passes                                         [6]float64  // part of a hit that each face lets through, since the last shield step
	repairs                                        []int       // indices of the parts that are to be repaired, in this order
	target                                         objectid.ID // of the last shot with a target
	main, received                                 float64     // points of the main battery; the part of the wanted power that the systems get
	inFlight                                       int         // shots
	fixes                                          []fix       // positions of the last two seconds or more, oldest first
	reported, touched, added, dies                 float64     // times; reported is the time of the last Report, dies the end of the explosion
	fired, struck, warped                          float64     // the times of the last shot by and at the ship, and of the last warp
}

// fix is where a ship was at a time.
type fix struct {
	at   vec
	time float64
}

// part is a part of a ship.
type part struct {
	stateupdate.Part
	body          *stateupdate.PartPhysics
	weapon        *stateupdate.Weapon // or nil
	max           float64
	arcs          [2]arc    // of a weapon: the arc of its script, and a wider one for clients
	burns, drains bool      // a beam that fires, and one that has fired in the last weapon step
	next          float64   // the time of the next quantum of the beam
	ready         float64   // when a pulse weapon or a tube fires again
	slots         []float64 // when each torpedo of a tube is ready
}

// system is a subsystem with its settings.
type system struct {
	*stateupdate.Subsystem
	index    int // in Ship.parts
	children []int
	on       bool
	power    float64 // wanted, 1 is normal
	level    opcode.PhaserLevel
	ammo     int
	rounds   []int // torpedoes of each type

	held   bool // fires whenever it can
	target objectid.ID
	aim    vec     // in radii of the target
	next   float64 // when the next weapon of the system may fire
	cursor int     // index of the child that fires next
}

func newShip(id objectid.ID, class *stateupdate.Class, name string) *Ship {
	n := class.Objects() - 1
	s := &Ship{
		ID: id, Class: class, System: name, physics: class.Physics, Condition: make([]float64, n), Charge: make([]float64, n),
		byOffset: slices.Repeat([]int{-1}, n+1), systems: make([]system, len(class.Subsystems)), received: 1,
	}
	for i := range class.Subsystems {
		sub, y := &class.Subsystems[i], &s.systems[i]
		*y = system{Subsystem: sub, index: len(s.parts), on: true, power: 1, level: opcode.PhaserMedium}
		s.addPart(part{Part: stateupdate.Part{Subsystem: sub, Index: i, Child: -1}, body: &sub.PartPhysics}, sub.IDOffset, sub.MaxCondition)
		for _, a := range sub.Ammunition {
			y.rounds = append(y.rounds, a.Max)
		}
		for k := range sub.Children {
			child := &sub.Children[k]
			y.children = append(y.children, len(s.parts))
			p := part{Part: stateupdate.Part{Subsystem: sub, Index: i, Child: k}, body: &child.PartPhysics, weapon: child.Weapon}
			s.addPart(p, child.IDOffset, child.MaxCondition)
		}
	}
	s.hull, s.reactor, s.workshop = s.first(stateupdate.KindHull), s.first(stateupdate.KindReactor), s.first(stateupdate.KindRepair)
	s.engines, s.warp = s.first(stateupdate.KindImpulse), s.first(stateupdate.KindWarp)
	if s.shield = s.first(stateupdate.KindShield); s.shield != nil {
		for f, points := range s.shield.Facings {
			s.Shields[f] = float64(points)
		}
	}
	if s.reactor != nil {
		s.main = float64(s.reactor.MainBattery)
	}
	if s.hull != nil {
		s.Body = newBody(class, &s.hull.PartPhysics)
	}
	s.gate()
	return s
}

// first returns the first system of a kind, or nil.
func (s *Ship) first(kind stateupdate.Kind) *system {
	if i := slices.IndexFunc(s.systems, func(y system) bool { return y.Kind == kind }); i >= 0 {
		return &s.systems[i]
	}
	return nil
}

func (s *Ship) addPart(p part, offset uint16, points float32) {
	i := len(s.parts)
	if offset > 0 {
		s.byOffset[offset] = i
	}
	p.max = cmp.Or(float64(points), unbreakable)
	s.Condition[i] = p.max
	if w := p.weapon; w != nil {
		s.Charge[i], p.arcs = w.MaxCharge, [...]arc{newArc(w, 0), newArc(w, tolerance)}
		if p.Subsystem.Kind == stateupdate.KindTorpedo {
			p.slots = make([]float64, min(w.MaxReady, maxShots))
			p.arcs = [...]arc{newArc(w, tubeArc), newArc(w, math.Pi)}
		}
	}
	s.parts = append(s.parts, p)
}

// Part returns the index of the part with a name in Condition and Charge, or -1.
func (s *Ship) Part(name string) int {
	return slices.IndexFunc(s.parts, func(p part) bool {
		return p.Child < 0 && strings.EqualFold(p.Subsystem.Name, name) || p.Child >= 0 && strings.EqualFold(p.Subsystem.Children[p.Child].Name, name)
	})
}

// Alive reports whether the ship does not explode.
func (s *Ship) Alive() bool { return s.dies == 0 }

// fraction returns the condition of a part, from 0 to 1.
func (s *Ship) fraction(i int) float64 { return s.Condition[i] / s.parts[i].max }

// Used reports whether the ship has fired, or has been hit. Its owner must not have it back as new.
func (s *Ship) Used() bool { return s.fired > 0 || s.struck > 0 }

// warps reports whether the ship is in warp. It then flies at any speed, and does not fire.
func (s *Ship) warps(w *World) bool { return s.warped > 0 && w.now()-s.warped < warpTime }

// disabled reports whether a part does not work: its condition is low, or all its children are
// disabled.
func (s *Ship) disabled(i int) bool {
	if f := s.fraction(i); f <= 0 || f < s.parts[i].body.Disabled {
		return true
	}
	y := &s.systems[s.parts[i].Index]
	return y.index == i && len(y.children) > 0 && !slices.ContainsFunc(y.children, func(c int) bool { return !s.disabled(c) })
}

// works reports whether a weapon can fire: its system is on, and neither is disabled.
func (s *Ship) works(i int) bool {
	y := &s.systems[s.parts[i].Index]
	return y.on && !s.disabled(i) && !s.disabled(y.index)
}

// supply distributes the power of a weapon step, charges weapons and repairs parts. In each second step it charges
// the shields, too. A dying ship goes on with all of it.
func (s *Ship) supply(w *World) {
	s.repair(w)
	if s.reactor != nil {
		s.distribute()
	}
	if w.onStep(2) {
		s.chargeShields()
	}
	for i := range s.parts {
		if weapon := s.parts[i].weapon; weapon != nil && !s.parts[i].burns {
			s.Charge[i] = min(weapon.MaxCharge, s.Charge[i]+float64(float64(weapon.RechargeRate*s.fraction(i))*weaponStep))
		}
	}
}

// chargeShields charges the faces. Without a generator that works, they have no points.
func (s *Ship) chargeShields() {
	for f := range s.Shields {
		switch {
		case s.shield == nil || s.disabled(s.shield.index):
			s.Shields[f] = 0
		case s.shield.on && !s.Cloaked:
			gain := float64(float64(s.physics.ShieldCharge[f]*regenFactor) * float64(s.received*float64(2*weaponStep)))
			s.Shields[f] = min(float64(s.shield.Facings[f]), s.Shields[f]+gain)
		}
	}
	s.gate()
}

// distribute gives the systems the power of a step. The reactor fills the main battery, and its conduit
// limits what the systems receive. If it is not enough, all of them receive the same part. The systems that
// use the backup battery, tractor beams and cloaking devices, are not in use.
func (s *Ship) distribute() {
	health, wanted, part := s.fraction(s.reactor.index), 0.0, 1.0
	s.main = min(float64(s.reactor.MainBattery), s.main+float64(float64(s.physics.PowerOutput*health)*weaponStep))
	for i := range s.systems {
		if y := &s.systems[i]; y.on && y.PowerMode == stateupdate.MainFirst {
			wanted += float64(float64(float64(y.NormalPower)*y.power) * weaponStep)
		}
	}
	if most := min(s.main, float64(float64(s.physics.MainConduit*health)*weaponStep)); wanted > most {
		part = most / wanted
	}
	s.main -= float64(wanted * part)
	s.received = part
}

// repair repairs the first parts of the repair list that are not destroyed. A destroyed part stays destroyed, and
// leaves the list.
func (s *Ship) repair(w *World) {
	if s.workshop == nil || len(s.repairs) == 0 || !s.workshop.on {
		return
	}
	done, teams := 0, min(s.workshop.RepairTeams, len(s.repairs))
	points := float64(float64(s.workshop.RepairPoints*s.fraction(s.workshop.index))*weaponStep) / float64(max(1, teams))
	s.repairs = slices.DeleteFunc(s.repairs, func(i int) bool {
		if s.Condition[i] > 0 && done < teams {
			s.Condition[i] = min(s.parts[i].max, s.Condition[i]+points/s.parts[i].body.RepairComplexity)
			done++
		}
		whole := s.Condition[i] >= s.parts[i].max
		if whole {
			s.event(w, Repaired, &hit{}, s.parts[i].Part)
		}
		return whole || s.Condition[i] <= 0
	})
}

// Status sets the conditions, the shields and the main battery of a state of the ship for the network. The
// state must have the class of the ship.
func (s *Ship) Status(to *stateupdate.Ship) {
	for i := range to.Subsystems {
		y, status := &s.systems[i], &to.Subsystems[i]
		status.Condition = level(s.Condition[y.index], s.parts[y.index].max)
		for k := range status.Parts {
			if y.Kind == stateupdate.KindShield {
				status.Parts[k] = byte(level(s.Shields[k], float64(y.Facings[k])))
			} else {
				status.Parts[k] = byte(level(s.Condition[y.children[k]], s.parts[y.children[k]].max))
			}
		}
		if y == s.reactor {
			status.MainBattery = level(s.main, float64(y.MainBattery))
		}
	}
}

func level(points, most float64) stateupdate.Level {
	return stateupdate.LevelOf(float32(points / most))
}

// Motion is the motion of a ship. Vectors are in game units, in the axes of the star system.
type Motion struct {
	Position [3]float64
	Velocity [3]float64
	Forward  [3]float64 // direction of the nose, of any length
	Up       [3]float64 // direction of the roof, as far as possible
	Spin     [3]float64 // radians per second about the axes of the ship, if the model flies it
	// Relative means that the position is relative to an earlier one, which the network may have lost.
	Relative bool
	// Cloaked means that the shields are down, and that beams do little damage until the ship fires. A ship
	// without a working cloaking device is not cloaked.
	Cloaked bool
}

// MotionOf returns a motion that a message of the network reports.
func MotionOf(m *stateupdate.Motion) Motion {
	forward := wide(m.Forward.Float32())
	return Motion{
		Position: wide(m.Position[0], m.Position[1], m.Position[2]), Velocity: forward.Times(float64(m.Speed.Float32())),
		Forward: forward, Up: wide(m.Up.Float32()), Cloaked: m.Cloaked,
	}
}

// place sets the motion of a ship. It returns an error wrapping ErrRefused if it is not finite, or if the
// nose has no direction.
func (s *Ship) place(m Motion) error {
	f, ok := geometry.NewFrame(m.Forward, m.Up)
	for _, v := range [...]vec{m.Forward, m.Up, m.Position, m.Velocity, m.Spin} {
		ok = ok && v.Finite()
	}
	if !ok {
		return refused("a motion that is not finite, or without a direction")
	}
	s.Motion, s.frame = m, f
	s.Forward, s.Up = f.Forward, f.Up
	cloak := s.first(stateupdate.KindCloak)
	s.Cloaked = s.Cloaked && cloak != nil && cloak.on && !s.disabled(cloak.index)
	return nil
}

// Report sets the star system and the motion that the owner of a ship reports. A ship that is faster than
// its class for 2 s, or farther away than it can fly in this time, is noted, or stays where the World had it
// if the World is Strict. A ship may have any speed in its first two seconds, and for 12 s of a warp. A trusted
// report may have any motion.
func (w *World) Report(id objectid.ID, system string, m Motion, trusted bool) error {
	s := w.Ship(id)
	if s == nil {
		return refused("no such ship")
	}
	before, now, allowed := *s, w.now(), patience
	if err := s.place(m); err != nil {
		return err
	}
	s.Helm, s.reported, s.System = nil, now, system
	if trusted || s.warps(w) || system != before.System || s.touched > 0 && now-s.touched < afterTouch || now-s.added < arrival {
		s.fixes = s.fixes[:0]
	}
	if m.Relative {
		allowed += leniency
	}
	most := max(slowest, float64(maxExcess*s.physics.MaxSpeed))
	for _, f := range s.fixes {
		way, elapsed := vec(m.Position).Sub(f.at).Length(), now-f.time
		if way <= float64(most*max(elapsed, allowed)) {
			continue
		}
		if err := w.note(s, w.Strict, refused("a way of %.1f GU in %.1f s, at most %.1f GU/s", way, elapsed, most)); err != nil {
			*s = before
			return err
		}
		s.fixes = s.fixes[:0]
		break
	}
	s.remember(now)
	return nil
}

// remember adds the position to those of the last two seconds. A relative one is only added if there are no others.
func (s *Ship) remember(now float64) {
	if n := len(s.fixes); n == 0 || now-s.fixes[n-1].time >= patience+leniency || !s.Relative && now-s.fixes[n-1].time >= fixPause {
		s.fixes = append(s.fixes, fix{s.Position, now})
	}
	for len(s.fixes) > 1 && now-s.fixes[1].time >= patience {
		s.fixes = slices.Delete(s.fixes, 0, 1)
	}
}

// move moves a ship by a step.
func (s *Ship) move(w *World) {
	if s.Helm == nil {
		if w.now()-s.reported > silence {
			s.Velocity = vec{}
		}
		s.Position = vec(s.Position).Add(vec(s.Velocity).Times(dt))
		return
	}
	c := s.Course()
	c.Step(s.physics, *s.Helm, s.enginePower())
	s.Position, s.Velocity, s.Forward, s.Up, s.Spin = c.Position, c.Velocity, c.Forward, c.Up, c.Spin
	s.frame = frame{Right: c.Right, Forward: c.Forward, Up: c.Up}
}

// Course returns the motion of the ship for the law of motion.
func (s *Ship) Course() stateupdate.Course {
	return stateupdate.Course{
		Position: s.Position, Velocity: s.Velocity, Right: s.frame.Right, Forward: s.frame.Forward, Up: s.frame.Up, Spin: s.Spin,
	}
}

// enginePower returns the factor of speeds and accelerations: the power setting, without the engines
// that are damaged.
func (s *Ship) enginePower() float64 {
	y := s.engines
	if y == nil || !y.on || s.disabled(y.index) {
		return 0
	}
	whole := 1.0
	for _, i := range y.children {
		health := s.fraction(i)
		if s.disabled(i) {
			health = 0
		}
		whole -= (1 - health) / float64(len(y.children))
	}
	return float64(float64(y.power*s.received) * max(0, whole))
}
