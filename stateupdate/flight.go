package stateupdate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// FlightOptions are the options of a [Flight].
type FlightOptions struct {
	Class  *Class          // of the ships; nil: none, the Flight only follows the ships of others
	PeerID objectid.PeerID // of the player
	Slot   objectid.Slot   // of the player
	Name   string          // of the player; question marks replace characters that are not in Windows-1252
	// System is the star system of the ships. If it is empty, it is that of the last MissionInit, or Multi1.
	System string
	// Place moves a new ship to its place. If it is nil, ships begin at the origin.
	Place func(*Motion)
	// Pause is the time between the end of a ship and the next one. The default is 5 s. Hosts limit how often a
	// player may create a ship.
	Pause time.Duration
	// Interval is the average time between two updates. The default is 100 ms. [Encoder] lists the intervals of the
	// game with modems.
	Interval time.Duration
}

// Flight is a client's side of the ships in a match: it follows all ships, and flies those of its player, one after the
// other. It reserves object IDs, creates a ship, moves it by the law of the game, sends its updates, and creates the next
// ship some time after the end of the last one. The program decides how to fly. A Flight has no clock and no socket:
//
//	for _, m := range flight.Advance(time.Since(state.Began)) { // ten times a second
//		err := conn.Send(m)
//	}
//	for m := range conn.Messages(ctx) {
//		change, err := flight.Apply(m)
//	}
//
// The host decides about the condition and the end of the ship, and its player about its motion and the power of its
// subsystems. As the game does, a Flight requests ships that it does not have, if it has updates of
// them or the host asks for them: at most 32 at a time, four in a second, and each three times. [NewFlight] makes a Flight. It is
// not safe for concurrent use.
type Flight struct {
	// Tracker has all ships, also the player's. Pass messages to [Flight.Apply]. Limits and classes must be set before.
	Tracker Tracker
	// Helm is how the program wants to fly. If it is nil, the program moves the ship itself: it sets the Motion of Ship.
	Helm *Helm
	// Course is the motion of the ship with full precision. The program may change it, for example after a collision.
	Course Course

	options  FlightOptions
	ids      objectid.Allocator
	id       objectid.ID // of the ship, or None
	system   string
	over     bool          // the game is over until RestartGame
	clock    clock.Clock   // its Wall is the game's clock of the program, since the zero Time
	launch   time.Duration // when the next ship is due
	flown    time.Duration // the time of Course
	encoder  Encoder
	update   opcode.StateUpdate
	messages []opcode.Message
	requests requests
}

const (
	flightInterval = 100 * time.Millisecond
	flightPause    = 5 * time.Second
	flightGap      = time.Second     // the most that one Advance flies
	powerRefresh   = 5 * time.Second // an update with a power setting may be lost
)

// NewFlight returns a Flight without a ship. It returns the errors of [Flight.SetClass].
func NewFlight(o FlightOptions) (*Flight, error) {
	o.Pause, o.Interval = cmp.Or(max(o.Pause, 0), flightPause), cmp.Or(max(o.Interval, 0), flightInterval)
	o.Name = stream.Lossy(o.Name).String()
	f := &Flight{
		options: o, ids: objectid.Allocator{Slot: o.Slot}, id: objectid.None,
		system: cmp.Or(o.System, opcode.SystemMulti1.String()),
	}
	if err := f.SetClass(o.Class); err != nil {
		return nil, err
	}
	return f, nil
}

// SetClass sets the class of the next ship; nil is none. It returns an error wrapping [ErrClass] if the class is not
// valid, [objectid.ErrSlot] if the slot is not valid, or another error if the
// peer ID is not valid or a name cannot be sent. After an error, the class is as before.
func (f *Flight) SetClass(class *Class) error {
	if class != nil {
		if err := f.check(class); err != nil {
			return err
		}
	}
	f.options.Class = class
	return nil
}

// SetName sets the name of the player in the next ships, for example after the host has renamed the player. It returns an
// error, and changes nothing, if the name cannot be sent.
func (f *Flight) SetName(name string) error {
	before := f.options.Name
	f.options.Name = stream.Lossy(name).String()
	err := f.SetClass(f.options.Class)
	if err != nil {
		f.options.Name = before
	}
	return err
}

// check returns an error if the player cannot create ships of a class.
func (f *Flight) check(class *Class) error {
	base, ok := objectid.Base(f.options.Slot)
	switch {
	case !ok:
		return fmt.Errorf("stateupdate: %w: %d", objectid.ErrSlot, int32(f.options.Slot))
	case !f.options.PeerID.Valid():
		return fmt.Errorf("stateupdate: peer ID %v, must be 1 to %d", f.options.PeerID, math.MaxInt8)
	}
	if err := class.Validate(); err != nil {
		return err
	}
	creation, err := f.newShip(base, class).Creation()
	if err == nil {
		_, err = opcode.Marshal(creation)
	}
	return err
}

func (f *Flight) newShip(id objectid.ID, class *Class) *Ship {
	s := NewShip(id, class)
	s.PeerID, s.OwnerSlot, s.PlayerName, s.SetName = f.options.PeerID, f.options.Slot, f.options.Name, f.system
	return s
}

// Ship returns the player's ship, or nil if the player has none that is alive. The program may change what its owner
// decides: the cloaking device, the power of subsystems and, without a Helm, the motion.
func (f *Flight) Ship() *Ship {
	if s := f.own(); s != nil {
		return &s.Ship
	}
	return nil
}

func (f *Flight) own() *trackedShip {
	if s := f.Tracker.ships[f.id]; f.id != objectid.None && s != nil && s.Life == Alive { // others can have a ship with the ID None
		return s
	}
	return nil
}

// settle notes the end of the player's ship.
func (f *Flight) settle() {
	if f.id != objectid.None && f.own() == nil {
		f.id, f.launch = objectid.None, f.clock.Now+f.options.Pause
	}
}

// Advance flies until a time of the game's clock, such as the time since join.State.Began, and returns the messages to
// send to the host in their order: the creation of a ship, its update if one is due, and requests. The messages are valid
// until the next call. If more than a second has passed, the ship flies for one second. If the clock goes back, time passes
// from there.
//
// If the creation cannot be sent, call Tracker.Forget: the next ship follows after the Pause.
func (f *Flight) Advance(now time.Duration) []opcode.Message {
	f.messages = f.messages[:0]
	f.clock.Set(time.Time{}.Add(now))
	f.settle()
	switch own := f.own(); {
	case f.over:
	case own != nil:
		f.fly(own)
	case f.options.Class != nil && f.clock.Now >= f.launch:
		f.create()
	}
	if id, due := f.requests.take(f.clock.Now); due {
		f.messages = append(f.messages, &opcode.RequestObject{ObjectID: id})
	}
	return f.messages
}

// create creates the next ship.
func (f *Flight) create() {
	class := f.options.Class
	id, err := f.ids.Reserve(class.Objects())
	if err != nil { // the slot has no IDs left: those of its first ships are free again
		f.ids = objectid.Allocator{Slot: f.options.Slot}
		id, _ = f.ids.Reserve(class.Objects())
	}
	ship := f.newShip(id, class)
	if f.options.Place != nil {
		f.options.Place(&ship.Motion)
	}
	creation, err := ship.Creation()
	if err != nil { // the class has changed since SetClass
		f.launch = f.clock.Now + f.options.Pause
		return
	}
	f.Tracker.Forget(id)
	_, _ = f.Tracker.Apply(creation)
	own := f.Tracker.ships[id]
	own.setClass(class) // Tracker.Classes may lack it
	own.powerTimes = slices.Repeat([]float32{afterAll()}, len(own.Subsystems))
	own.Motion = ship.Motion // without the rounding of a creation
	f.Tracker.objects = max(f.Tracker.objects, class.Objects())
	f.id, f.Course, f.flown = id, ship.Course(), f.clock.Now
	f.encoder = Encoder{refresh: powerRefresh, interval: f.options.Interval}
	f.messages = append(f.messages, creation)
}

// afterAll returns a time after the times of all updates: only the owner of a ship sets its power.
func afterAll() float32 { return float32(math.Inf(1)) }

// fly moves the ship, and adds an update that is due.
func (f *Flight) fly(own *trackedShip) {
	if f.Helm == nil {
		f.Course, f.flown = own.Course(), f.clock.Now
	} else {
		f.flown = max(f.flown, f.clock.Now-flightGap)
		power := own.enginePower()
		for ; f.clock.Now-f.flown >= courseStep; f.flown += courseStep {
			f.Course.Step(own.Class.Physics, *f.Helm, power)
		}
		own.SetCourse(&f.Course)
	}
	if f.encoder.next(&f.update, f.clock.Now, &own.Ship) {
		f.messages = append(f.messages, &f.update)
	}
}

// Fire returns the message that fires a weapon of the player's ship at a ship of the Tracker: a [*opcode.StartFiring] for a
// phaser system or one of its banks, until a StopFiring of the part; one bolt of a cannon, or one torpedo of a tube. Bolts and
// torpedoes fly to where the target will be. Fire reports false if the part is none of these, does not work or is off, or if
// the target is not alive in the star system of the ship. The program decides when to fire: [Weapon] has the arcs and the
// times of reloading, which hosts may check.
func (f *Flight) Fire(part Part, target objectid.ID) (opcode.Message, bool) {
	s, t := f.Ship(), f.Tracker.Ship(target)
	if s == nil || t == nil || t == s || t.Life != Alive || t.SetName != s.SetName || s.Disabled(part) || s.Subsystems[part.Index].Off {
		return nil, false
	}
	system := &s.Subsystems[part.Index]
	id, ok := s.Class.PartID(s.ID, part.Index, part.Child)
	physics := s.Class.PhysicsOf(part)
	var projectile *Projectile
	switch kind := system.Subsystem.Kind; {
	case !ok:
		return nil, false
	case kind == KindPhaser:
		return opcode.NewStartFiring(id, target), true
	case physics == nil || physics.Weapon == nil:
		return nil, false
	case kind == KindPulse:
		projectile = physics.Weapon.Projectile
	case kind == KindTorpedo:
		if all := s.Class.PhysicsOf(Part{Index: part.Index, Child: -1}).Ammunition; int(system.Mode) < len(all) {
			projectile = all[system.Mode].Projectile
		}
	}
	if projectile == nil {
		return nil, false
	}
	own, foe, at := s.Course(), t.Course(), physics.Position
	muzzle := add(add(own.Position, times(own.Right, at[0])), add(times(own.Forward, at[1]), times(own.Up, at[2])))
	way := sub(foe.Position, muzzle)
	way = add(way, times(foe.Velocity, math.Sqrt(dot(way, way))/max(1, projectile.Speed)))
	to := encode(way[0], way[1], way[2])
	if system.Subsystem.Kind == KindPulse {
		return opcode.NewBeamFire(id, f.options.PeerID, to, target), true
	}
	return opcode.NewTorpedoFire(id, f.options.PeerID, to, target, compress.Contact{}), true
}

// NextDeadline returns the time at which Advance has something to send. It reports false if nothing is due.
func (f *Flight) NextDeadline() (at time.Duration, ok bool) {
	at = f.requests.due()
	switch own := f.own(); {
	case f.over:
	case own != nil && !f.encoder.started:
		at = f.clock.Now
	case own != nil:
		at = min(at, f.encoder.paced+f.options.Interval)
	case f.id != objectid.None: // the ship has ended without Apply
		at = f.clock.Now
	case f.options.Class != nil:
		at = min(at, f.launch)
	}
	return f.clock.At(at).Sub(time.Time{}), at < clock.Never
}

// Apply applies a message of the host to the Tracker, and to the player's ship. A message about the motion of the
// player's ship, or its power, changes neither. Apply returns what [Tracker.Apply] returns.
func (f *Flight) Apply(m opcode.Message) (Change, error) {
	own := f.own()
	switch m := m.(type) {
	case *opcode.MissionInit:
		f.system = cmp.Or(f.options.System, m.System.String())
	case *opcode.EndGame:
		f.over = true
	case *opcode.RestartGame:
		f.over, f.requests = false, requests{}
	case *opcode.ObjectNotFound:
		f.want(m.ObjectID)
	case *opcode.ObjectCreate:
		f.ids.Observe(m.ObjectID)
	case *opcode.ObjectCreateTeam:
		f.ids.Observe(m.ObjectID)
		if own != nil && m.OwnerSlot == f.options.Slot {
			return Change{ObjectID: m.ObjectID}, nil // only the player creates ships in the slot
		}
	}
	var motion Motion
	if own != nil {
		motion = own.Motion
		f.Tracker.touch(own) // the Tracker evicts another ship
	}
	change, err := f.Tracker.Apply(m)
	if own != nil && change.Ship == &own.Ship {
		own.Motion, change.Motion = motion, 0
	}
	switch {
	case change.Created:
		f.requests.remove(change.ObjectID)
	case change.Unknown:
		f.want(change.ObjectID)
	}
	f.settle()
	return change, err
}

// want requests a ship, unless it was the player's.
func (f *Flight) want(id objectid.ID) {
	if slot, _ := id.Slot(); slot != f.options.Slot && f.Tracker.Life(id) != Alive {
		f.requests.add(id, f.clock.Now)
	}
}

// Limits of requests. The creation of an unknown ship may be on its way, so a Flight waits before it requests the ship.
// It sends few requests for one ship and in one second.
const (
	requestDelay    = 500 * time.Millisecond
	requestAgain    = 5 * time.Second
	requestInterval = 250 * time.Millisecond
	maxRequests     = 3 // for one ship
	maxRequested    = 32
)

// requests are the ships that a Flight does not know.
type requests struct {
	list []request // oldest first
	next time.Duration
}

type request struct {
	id    objectid.ID
	due   time.Duration
	times int
}

func (r *requests) index(id objectid.ID) int {
	return slices.IndexFunc(r.list, func(q request) bool { return q.id == id })
}

// add notes an unknown ship. Beyond the limit, it drops the oldest.
func (r *requests) add(id objectid.ID, now time.Duration) {
	if r.index(id) < 0 {
		r.list = append(r.list[max(0, len(r.list)-maxRequested+1):], request{id: id, due: now + requestDelay})
	}
}

func (r *requests) remove(id objectid.ID) {
	if i := r.index(id); i >= 0 {
		r.list = slices.Delete(r.list, i, i+1)
	}
}

// due returns the time of the next request, or never.
func (r *requests) due() time.Duration {
	due := clock.Never
	for i := range r.list {
		due = min(due, r.list[i].due)
	}
	return max(due, r.next)
}

// take returns a ship to request, if one is due. A ship that was requested maxRequests times stays in the list, so that
// it is not requested again.
func (r *requests) take(now time.Duration) (objectid.ID, bool) {
	if now < r.due() {
		return objectid.None, false
	}
	q := &r.list[slices.IndexFunc(r.list, func(q request) bool { return q.due <= now })]
	r.next, q.due = now+requestInterval, now+requestAgain
	if q.times++; q.times >= maxRequests {
		q.due = clock.Never
	}
	return q.id, true
}
