package stateupdate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Flight is a client's side of the ships in a match: it follows all ships, and flies those of its player, one after the
// other. It reserves object IDs, creates a ship, moves it by the law of the game, sends its updates, and creates the next
// ship some time after the end of the last one. The program decides how to fly. A Flight has no clock and no socket:
//
//	messages, err := flight.Advance(time.Since(state.Began)) // ten times a second
//	for _, m := range messages {
//		err := conn.Send(m)
//	}
//	for m := range conn.Messages(ctx) {
//		change, err := flight.Apply(m)
//	}
//
// The host decides about the condition and the end of the ship, and its player about its motion and the power of its
// subsystems. As the game does, a Flight requests ships that it does not have, if it has updates of
// them or the host asks for them: at most 32 at a time, four in a second, and each three times.
//
// The zero value follows the ships of others. A Class, PeerID, Slot, Name or Place that the program sets applies to
// the next ship. A Flight is not safe for concurrent use.
type Flight struct {
	Class  *Class          // of the ships; nil is for a player without ships
	PeerID objectid.PeerID // of the player
	Slot   objectid.Slot   // of the player
	Name   string          // of the player; question marks replace characters that are not in Windows-1252
	// Place moves a new ship to its place. If it is nil, ships begin at the origin.
	Place func(*Motion)
	// Pause is the time between the end of a ship and the next one. The default is 5 s. Hosts limit how often a
	// player may create a ship.
	Pause time.Duration

	// Tracker has all ships, also the player's. Pass messages to [Flight.Apply]. Limits and classes must be set before.
	Tracker Tracker
	// Helm is how the program wants to fly. If it is nil, the program moves the ship itself: it sets the Motion of Ship.
	Helm *Helm
	// Course is the motion of the ship with full precision. The program may change it, for example after a collision.
	Course Course

	next     int           // the first free ID of the slot, from 0
	id       objectid.ID   // of the ship, or None
	system   string        // of the next ship; empty is Multi1
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
	flightPause  = 5 * time.Second
	flightGap    = time.Second     // the most that one Advance flies
	powerRefresh = 5 * time.Second // an update with a power setting may be lost
)

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

func (f *Flight) pause() time.Duration { return cmp.Or(max(f.Pause, 0), flightPause) }

// settle notes the end of the player's ship.
func (f *Flight) settle() {
	if f.id != objectid.None && f.own() == nil {
		f.id, f.launch = objectid.None, f.clock.Now+f.pause()
	}
}

// Advance flies until a time of the game's clock, such as the time since join.State.Began, and returns the messages
// to send to the host in their order: the creation of a ship, its update if one is due, and requests. The messages
// are valid until the next call. If more than a second has passed, the ship flies for one second. If the clock goes
// back, time passes from there.
//
// Advance returns an error if it cannot create a ship, and tries again after the Pause. The error wraps [ErrClass] or
// [stream.ErrTooLong] if the Class or the Name is not valid; it is another one if the PeerID or the Slot is not.
//
// If a creation cannot be sent, call Tracker.Forget: the next ship follows after the Pause.
func (f *Flight) Advance(now time.Duration) ([]opcode.Message, error) {
	f.messages = f.messages[:0]
	f.clock.Set(time.Time{}.Add(now))
	f.settle()
	var err error
	switch own := f.own(); {
	case f.over:
	case own != nil:
		f.fly(own)
	case f.Class != nil && f.clock.Now >= f.launch:
		f.launch = f.clock.Now + f.pause() // of the next attempt
		err = f.create()
	}
	if id, due := f.requests.take(f.clock.Now); due {
		f.messages = append(f.messages, &opcode.RequestObject{ObjectID: id})
	}
	return f.messages, err
}

// create creates the next ship.
func (f *Flight) create() error {
	base, ok := objectid.Base(f.Slot)
	switch {
	case !ok:
		return fmt.Errorf("stateupdate: slot %v, must be 0 to %d", f.Slot, objectid.Slots-1)
	case !f.PeerID.Valid():
		return fmt.Errorf("stateupdate: peer ID %v, must be 1 to %d", f.PeerID, math.MaxInt8)
	}
	if err := f.Class.Validate(); err != nil {
		return err
	}
	if f.next+f.Class.Objects() > objectid.PerSlot { // the IDs of the first ships are free again
		f.next = 0
	}
	ship := NewShip(base+objectid.ID(f.next), f.Class)
	ship.PeerID, ship.OwnerSlot = f.PeerID, f.Slot
	ship.PlayerName, ship.SetName = stream.Lossy(f.Name).String(), cmp.Or(f.system, opcode.SystemMulti1.String())
	if f.Place != nil {
		f.Place(&ship.Motion)
	}
	creation, err := ship.Creation()
	if err == nil {
		_, err = opcode.Marshal(creation)
	}
	if err != nil {
		return err
	}
	f.Tracker.Forget(ship.ID)
	_, _ = f.Tracker.Apply(creation)
	own := f.Tracker.ships[ship.ID]
	own.setClass(f.Class) // Tracker.Classes may lack it
	own.powerTimes = slices.Repeat([]float32{afterAll()}, len(own.Subsystems))
	own.Motion = ship.Motion // without the rounding of a creation
	f.Tracker.objects = max(f.Tracker.objects, f.Class.Objects())
	f.next += f.Class.Objects()
	f.id, f.Course, f.flown = ship.ID, ship.Course(), f.clock.Now
	f.encoder = Encoder{refresh: powerRefresh, interval: shortest}
	f.messages = append(f.messages, creation)
	return nil
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

// NextDeadline returns the time at which Advance has something to send. It reports false if nothing is due.
func (f *Flight) NextDeadline() (at time.Duration, ok bool) {
	at = f.requests.due()
	switch own := f.own(); {
	case f.over:
	case own != nil && !f.encoder.started:
		at = f.clock.Now
	case own != nil:
		at = min(at, f.encoder.paced+shortest)
	case f.id != objectid.None: // the ship has ended without Apply
		at = f.clock.Now
	case f.Class != nil:
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
		f.system = m.System.String()
	case *opcode.EndGame:
		f.over = true
	case *opcode.RestartGame:
		f.over, f.requests = false, requests{}
	case *opcode.ObjectNotFound:
		f.want(m.ObjectID)
	case *opcode.ObjectCreate:
		f.observe(m.ObjectID)
	case *opcode.ObjectCreateTeam:
		f.observe(m.ObjectID)
		if own != nil && m.OwnerSlot == f.Slot {
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
	if change.Created {
		f.requests.remove(change.ObjectID)
	}
	switch m := m.(type) {
	case *opcode.StateUpdate:
		f.wantUnknown(m.ObjectID)
	case *opcode.EnterSet:
		f.wantUnknown(m.ObjectID)
	}
	f.settle()
	return change, err
}

// observe records that an ID is in use.
func (f *Flight) observe(id objectid.ID) {
	if slot, _ := id.Slot(); slot == f.Slot {
		base, _ := objectid.Base(slot)
		f.next = max(f.next, int(id-base)+1)
	}
}

// wantUnknown requests a ship that was not created.
func (f *Flight) wantUnknown(id objectid.ID) {
	if f.Tracker.Life(id) == Unknown {
		f.want(id)
	}
}

// want requests a ship, unless it was the player's.
func (f *Flight) want(id objectid.ID) {
	if slot, _ := id.Slot(); slot != f.Slot && f.Tracker.Life(id) != Alive {
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
