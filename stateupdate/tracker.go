package stateupdate

import (
	"errors"
	"iter"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Tracker keeps the pictures of all ships that a peer tells of. Feed it the messages in
// the order in which they arrive, whatever that is: it learns classes from object
// creation, keeps what it cannot understand yet, and does not let an old update overwrite
// a newer one.
//
// One tracker is for one link, in both directions: a client tells of the motion of its own
// ship, and the host of its subsystems and of all other ships. An update is newer than
// another only on the clock of the same sender, so do not feed one tracker from the links
// of several clients.
//
// A tracker believes what it is told. A host that follows the ships of its clients does
// well to look first whether a client speaks of its own ship, and of its motion and power
// only: a block of subsystems from a client would heal its ship.
//
// The zero value is ready, with the stock classes; a Tracker is not safe for concurrent
// use.
type Tracker struct {
	// Classes are the classes of a mod, used beside the stock ones.
	Classes Catalogue
	// MaxShips is how many ships are kept. One more takes the place of the one that was
	// heard of longest ago: the game does not say that a ship is gone that was destroyed
	// in combat. 0 is DefaultMaxShips.
	MaxShips int
	// MaxUnknown is how many ships are kept that have sent updates and were not created
	// yet; the next one replaces the oldest. 0 is DefaultMaxUnknown.
	MaxUnknown int

	ships   map[objectid.ID]*Ship
	heard   uint64 // messages so far
	created int
	unknown []objectid.ID // oldest first
	objects int           // the largest Class.Objects of a ship so far
}

// Limits of a [Tracker]. A match has at most 16 ships of players at a time, and stations and
// asteroids; the rest is room for those that were destroyed. A ship takes about 2 KB, and
// one that is unknown up to MaxPending updates of at most MaxBlock bytes.
const (
	DefaultMaxShips   = 1024
	DefaultMaxUnknown = 64
	MaxPending        = 16   // updates of an unknown ship: more than a round of its subsystems
	MaxBlock          = 256  // bytes in one of them; the largest stock block has 17
	MaxBlob           = 1024 // bytes of the create blob of a ship without a class
)

// Apply brings the pictures up to date with a message: ObjectCreate, ObjectCreateTeam,
// StateUpdate, DestroyObject, or RestartGame, after which there are no ships. Others change
// nothing. It keeps no part of the message.
//
// What cannot be applied is left out, and everything else is applied: the error is an
// [*Error], or several that [errors.Join] has joined, and the Change tells what was done.
func (t *Tracker) Apply(m opcode.Message) (Change, error) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		return t.Update(m)
	case *opcode.ObjectCreateTeam:
		return t.owned(m.OwnerSlot, m.NetPlayerID, &m.Object)
	case *opcode.ObjectCreate:
		return t.owned(m.OwnerSlot, 0, &m.Object)
	case *opcode.DestroyObject:
		return t.Forget(m.ObjectID), nil
	case *opcode.RestartGame:
		t.Reset()
	}
	return Change{}, nil
}

// owned creates a ship, and notes whose it is.
func (t *Tracker) owned(slot, player int8, o *opcode.Object) (Change, error) {
	change, err := t.Create(o)
	if change.Created {
		change.Ship.OwnerSlot, change.Ship.NetPlayerID = slot, player
	}
	return change, err
}

// Create applies what creates an object. Objects that are no ships change nothing.
func (t *Tracker) Create(o *opcode.Object) (Change, error) {
	change := Change{ObjectID: o.ObjectID}
	if o.ClassID != opcode.ObjectShip {
		return change, nil
	}
	s := t.ships[o.ObjectID]
	switch {
	case s != nil && s.memory.created:
		change.Ship = s
		return change, s.fail("creation", ErrExists)
	case s == nil:
		s = t.add(o.ObjectID)
	default:
		t.unlist(o.ObjectID)
	}
	if t.created >= limit(t.MaxShips, DefaultMaxShips) {
		change.Evicted = t.evict()
	}
	t.created++
	t.hear(s)
	change.Ship, change.Created = s, true
	err := s.create(o, t.Classes.Species(o.Species))
	if s.Class != nil {
		t.objects = max(t.objects, s.Class.Objects())
	}
	for i := range s.memory.pending {
		err = errors.Join(err, s.blocks(&s.memory.pending[i], &change))
	}
	s.memory.pending = nil
	return change, err
}

// Update applies a StateUpdate.
func (t *Tracker) Update(m *opcode.StateUpdate) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		s, change.Evicted = t.addUnknown(m.ObjectID)
	}
	t.hear(s)
	change.Ship, change.Unknown = s, !s.memory.created
	err := s.update(m, &change)
	return change, err
}

// Ship returns the picture of a ship, nil if there is none. It is the tracker's own: the
// next message changes it.
func (t *Tracker) Ship(id objectid.ID) *Ship { return t.ships[id] }

// Ships iterates over all pictures, in no order.
func (t *Tracker) Ships() iter.Seq[*Ship] {
	return func(yield func(*Ship) bool) {
		for _, s := range t.ships {
			if !yield(s) {
				return
			}
		}
	}
}

// Forget drops a ship.
func (t *Tracker) Forget(id objectid.ID) Change {
	s := t.ships[id]
	if s == nil {
		return Change{ObjectID: id}
	}
	delete(t.ships, id)
	if s.memory.created {
		t.created--
	} else {
		t.unlist(id)
	}
	return Change{ObjectID: id, Ship: s, Destroyed: true}
}

// Reset drops all ships, as at the start of another match.
func (t *Tracker) Reset() {
	clear(t.ships)
	t.created, t.unknown = 0, t.unknown[:0]
}

// hear notes that a message is about a ship.
func (t *Tracker) hear(s *Ship) {
	t.heard++
	s.memory.heard = t.heard
}

// evict forgets the ship that was heard of longest ago, of those that were created.
func (t *Tracker) evict() (oldest *Ship) {
	for _, s := range t.ships {
		if s.memory.created && (oldest == nil || s.memory.heard < oldest.memory.heard) {
			oldest = s
		}
	}
	t.Forget(oldest.ID)
	return oldest
}

func (t *Tracker) add(id objectid.ID) *Ship {
	if t.ships == nil {
		t.ships = make(map[objectid.ID]*Ship)
	}
	s := NewShip(id, nil)
	s.memory.baseAt, s.memory.deltaAt = never(), never()
	t.ships[id] = s
	return s
}

// addUnknown adds a ship that was not created yet, and returns the one that makes room.
func (t *Tracker) addUnknown(id objectid.ID) (s, evicted *Ship) {
	if len(t.unknown) >= limit(t.MaxUnknown, DefaultMaxUnknown) {
		evicted = t.Forget(t.unknown[0]).Ship
	}
	t.unknown = append(t.unknown, id)
	return t.add(id), evicted
}

func (t *Tracker) unlist(id objectid.ID) {
	for i, other := range t.unknown {
		if other == id {
			t.unknown = append(t.unknown[:i], t.unknown[i+1:]...)
			return
		}
	}
}

func limit(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

// Part returns the ship and the part that an object ID names, such as the TubeID of a
// TorpedoFire or the Dest of an event. It reports false if the ID is not one of a part of a
// ship that the tracker follows; use [Tracker.Ship] for the ID of a ship itself.
//
// If the IDs of two ships overlap, which the game prevents, the part is that of the ship
// with the larger ID.
func (t *Tracker) Part(id objectid.ID) (*Ship, Part, bool) {
	for distance := range min(objectid.ID(t.objects), id) {
		s := t.ships[id-distance]
		switch {
		case s == nil || !s.memory.created:
		case distance == 0:
			return nil, Part{}, false
		default:
			if part, ok := s.Part(id); ok {
				return s, part, true
			}
		}
	}
	return nil, Part{}, false
}
