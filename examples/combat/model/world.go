package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Step is the step of time, an update of the game.
const Step = 16500 * time.Microsecond

const (
	dt = 0.0165 // Step in seconds

	// Tubes, charge, power and repairs change in weapon steps, the shields in each second one. In the game, the next
	// step comes within 0.33 s after a command to fire, at random. In the model, the first one comes after 0.25 s, as
	// in the capture whose shield steps are known best.
	weaponTicks = 20
	weaponStep  = weaponTicks * dt // 0.33 s
	firstStep   = 15

	maxJump  = time.Second // the most that one Advance computes; a World stands still for the rest
	maxShips = 256
	maxShots = 64   // in flight, of a ship
	maxPower = 1.25 // of the sliders
)

// ErrRefused means that a call has no effect. The text of the error has the reason.
var ErrRefused = errors.New("refused")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// The errors that a ship which holds its fire meets in every step.
var (
	errNoTarget = refused("no target that lives in the star system of the ship")
	errNotReady = refused("the weapon does not work, is not loaded or fires too often, or %d shots of the ship are in flight", maxShots)
)

// World has ships and shots. The zero value is empty and ready to use.
type World struct {
	// Strict refuses what is only improbable; see [Noted].
	Strict bool

	step   int64
	clock  time.Duration // of the last Advance
	ships  []*Ship       // by ID
	shots  []*shot       // in flight
	events []Event
}

// Event is something that happened to a ship.
type Event struct {
	Kind Kind
	Ship objectid.ID
	Part stateupdate.Part // of Damaged, Repaired and RepairFailed
	// By is the ship that fired or collided, or None.
	By        objectid.ID
	Weapon    stateupdate.Part // the zero value in a collision
	Direction [3]float64       // of Fired, of length 1
	// Absorbed and Passed are the points of a Hit that the shield took and let through.
	Absorbed, Passed float64
	Err              error // of Noted
}

// Kind is the kind of an [Event].
type Kind uint8

// Kinds of events.
const (
	Fired        Kind = iota // the ship has fired a bolt or a torpedo
	Hit                      // a shot or a collision hits the ship
	Damaged                  // a part has lost condition, and enters the repair list
	Repaired                 // a part has full condition again
	RepairFailed             // a part on the repair list is destroyed, and cannot be repaired
	Exploding                // the ship is destroyed by the ship in By; it explodes for Lifetime, and then it is gone
	Noted                    // the owner of the ship has done something that the game does not allow
)

// Lifetime is the duration of an explosion. Measured were 6.9 to 12.9 s.
const Lifetime = 9500 * time.Millisecond

// now returns the time of the World in seconds.
func (w *World) now() float64 { return float64(float64(w.step) * dt) }

// Advance computes until a time since the beginning, and returns the events since the last call. A time before the
// last one does nothing. If more than a second has passed, the World computes one second.
func (w *World) Advance(now time.Duration) []Event {
	now = max(now, 0)
	for w.clock = max(w.clock, now-maxJump); now-w.clock >= Step; w.clock += Step {
		w.advance()
	}
	events := w.events
	w.events = nil
	return events
}

// advance computes a step.
func (w *World) advance() {
	w.step++
	for _, s := range w.ships {
		if s.move(w); w.onStep(1) {
			s.supply(w)
		}
	}
	for _, s := range w.ships {
		if s.Alive() {
			s.fire(w)
		} else if w.step%explosionTicks == firstStep+weaponTicks/2 {
			s.burn(w)
		}
	}
	w.touch()
	w.fly()
	w.ships = slices.DeleteFunc(w.ships, func(s *Ship) bool { return !s.Alive() && w.now() >= s.dies })
}

// onStep reports whether it is time for a weapon step, or for each n-th one.
func (w *World) onStep(n int64) bool { return w.step%(n*weaponTicks) == firstStep }

// Ship returns a ship, or nil. The ship is valid until it explodes or is removed.
func (w *World) Ship(id objectid.ID) *Ship {
	if i, ok := w.find(id); ok {
		return w.ships[i]
	}
	return nil
}

func (w *World) find(id objectid.ID) (int, bool) {
	return slices.BinarySearchFunc(w.ships, id, func(s *Ship, id objectid.ID) int { return cmp.Compare(s.ID, id) })
}

// Add adds an undamaged ship in a star system. It returns an error wrapping ErrRefused if the class has no
// physics, the motion is not finite, the ID is in use or there are too many ships.
func (w *World) Add(id objectid.ID, class *stateupdate.Class, system string, m Motion) error {
	i, exists := w.find(id)
	switch {
	case class == nil || class.Physics == nil:
		return refused("the class has no physics")
	case exists || len(w.ships) >= maxShips:
		return refused("the ID %v is in use, or there are %d ships", id, maxShips)
	}
	s := newShip(id, class, system)
	if err := s.place(m); err != nil || s.hull == nil {
		return cmp.Or(err, refused("the class has no hull"))
	}
	s.added, s.reported = w.now(), w.now()
	s.remember(w.now())
	w.ships = slices.Insert(w.ships, i, s)
	w.shots = slices.DeleteFunc(w.shots, func(q *shot) bool { return q.by == id }) // of an earlier ship with the ID
	return nil
}

// Remove removes a ship. Its torpedoes and bolts stay. An unknown ship does nothing.
func (w *World) Remove(id objectid.ID) {
	w.ships = slices.DeleteFunc(w.ships, func(s *Ship) bool { return s.ID == id })
}

// owner returns the ship that is an object or has it as a part. The index of the part is its index in
// parts, or -1 for the ship.
func (w *World) owner(object objectid.ID) (s *Ship, part int) {
	i, ok := w.find(object)
	if !ok {
		i--
	}
	if i < 0 || int(object-w.ships[i].ID) >= len(w.ships[i].byOffset) {
		return nil, -1
	}
	return w.ships[i], w.ships[i].byOffset[object-w.ships[i].ID]
}

// part returns a living ship and its part with an object ID, and the system that the part belongs to.
func (w *World) part(id objectid.ID) (*Ship, int, *system) {
	s, i := w.owner(id)
	if i < 0 || !s.Alive() {
		return nil, -1, nil
	}
	return s, i, &s.systems[s.parts[i].Index]
}

// note reports that the owner of a ship has done something improbable, or returns it as an error.
func (w *World) note(s *Ship, refuse bool, err error) error {
	if refuse || err == nil {
		return err
	}
	w.events = append(w.events, Event{Kind: Noted, Ship: s.ID, Err: err})
	return nil
}

// Apply applies a message from the owner of a ship: a shot, the start or the end of fire, a setting, a
// collision, a warp or the repair list. The caller must authorize the message first, see [opcode.Authorize], and
// pass motion to [World.Report]. Other messages do nothing.
func (w *World) Apply(m opcode.Message) error {
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		tube, target, _ := m.Fired()
		return w.Shoot(tube, target, wide(m.Direction.Float32()), wide(m.Offset.Float32(1)))
	case *opcode.BeamFire:
		weapon, target, _ := m.Fired()
		return w.Shoot(weapon, target, wide(m.Direction.Float32()), vec{})
	case *opcode.StartFiring:
		system, target, _ := m.Fired()
		if _, _, y := w.part(system); y == nil || y.Kind != stateupdate.KindPhaser {
			return nil // bolts and torpedoes have messages
		}
		return w.Fire(system, target, wide(m.Offset.Float32(1)))
	case *opcode.CollisionEffect:
		return w.report(m)
	case *opcode.StartWarp:
		s, _ := w.owner(m.Dest)
		if s == nil || !s.Alive() || s.warp == nil || s.disabled(s.warp.index) || s.warped > 0 && w.now()-s.warped < warpPause {
			return refused("no warp engine that is ready")
		}
		s.warped = w.now()
	case *opcode.StateUpdate:
		s := w.Ship(m.ObjectID)
		for _, e := range m.Power {
			if s != nil && int(e.Index) < len(s.systems) {
				s.systems[e.Index].power = min(maxPower, float64(e.Value)/204)
			}
		}
	case *opcode.StopFiring, *opcode.SubsystemStatus, *opcode.SetPhaserLevel, *opcode.TorpedoTypeChange, *opcode.RepairListPriority:
		return w.set(m.(opcode.EventMessage))
	}
	return nil
}

// set changes a system of a ship.
func (w *World) set(m opcode.EventMessage) error {
	e := m.Envelope()
	s, _, y := w.part(e.Dest)
	if s == nil {
		return refused("no such part of a ship")
	}
	switch m.(type) {
	case *opcode.StopFiring:
		s.cease(w, y)
	case *opcode.SubsystemStatus:
		y.on = e.Value != 0
	case *opcode.SetPhaserLevel:
		if e.Value < 0 || e.Value > int32(opcode.PhaserHigh) {
			return refused("no level %d", e.Value)
		}
		y.level = opcode.PhaserLevel(e.Value)
	case *opcode.TorpedoTypeChange:
		if e.Value < 0 || int(e.Value) >= len(y.rounds) {
			return refused("%v has no type %d", y.Name, e.Value)
		}
		for _, c := range y.children { // the tubes are empty until they have been reloaded; a new ship has full tubes
			if weapon := s.parts[c].weapon; weapon != nil && y.ammo != int(e.Value) && w.now() > s.added {
				for i := range s.parts[c].slots {
					s.parts[c].slots[i] = w.now() + weapon.ReloadDelay
				}
			}
		}
		y.ammo = int(e.Value)
	case *opcode.RepairListPriority:
		owner, part, _ := w.part(e.Object)
		if i := slices.Index(s.repairs, part); i > 0 && owner == s {
			s.repairs = slices.Insert(slices.Delete(s.repairs, i, i+1), 0, part)
		}
	}
	return nil
}

// wide returns a vector of the wire. A contact is in radii.
func wide(x, y, z float32) vec { return vec{float64(x), float64(y), float64(z)} }
