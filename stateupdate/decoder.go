package stateupdate

import (
	"errors"
	"iter"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Decoder keeps the pictures of all ships that a peer tells of. Feed it the messages in
// the order in which they arrive, whatever that is: it learns classes from object
// creation, keeps what it cannot understand yet, and does not let an old update overwrite
// a newer one.
//
// One decoder is for one sender, because an update is newer than another only on the
// clock of the same sender. The zero value is ready, with the stock classes; a Decoder is
// not safe for concurrent use.
type Decoder struct {
	// Classes are the classes of a mod, used beside the stock ones.
	Classes Catalogue
	// MaxShips is how many ships are kept. 0 is DefaultMaxShips.
	MaxShips int
	// MaxUnknown is how many ships are kept that have sent updates and were not created
	// yet; the next one replaces the oldest. 0 is DefaultMaxUnknown.
	MaxUnknown int

	ships   map[objectid.ID]*Ship
	created int
	unknown []objectid.ID // oldest first
}

// Limits of a [Decoder]. A match has at most 16 ships of players, and stations and
// asteroids; the rest is room. A ship takes about 2 KB, and one that is unknown up to
// MaxPending updates of at most MaxBlock bytes.
const (
	DefaultMaxShips   = 1024
	DefaultMaxUnknown = 64
	MaxPending        = 16   // updates of an unknown ship: more than a round of its subsystems
	MaxBlock          = 256  // bytes in one of them; the largest stock block has 17
	MaxBlob           = 1024 // bytes of the create blob of a ship without a class
)

// Apply brings the pictures up to date with a message: ObjectCreate, ObjectCreateTeam,
// StateUpdate or DestroyObject. Others change nothing. It keeps no part of the message.
//
// What cannot be applied is left out, and everything else is applied: the error is an
// [*Error], or several that [errors.Join] has joined, and the Change tells what was done.
func (d *Decoder) Apply(m opcode.Message) (Change, error) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		return d.Update(m)
	case *opcode.ObjectCreateTeam:
		return d.Create(&m.Object)
	case *opcode.ObjectCreate:
		return d.Create(&m.Object)
	case *opcode.DestroyObject:
		return d.Forget(m.ObjectID), nil
	}
	return Change{}, nil
}

// Ship returns the picture of a ship, nil if there is none. It is the decoder's own: the
// next message changes it.
func (d *Decoder) Ship(id objectid.ID) *Ship { return d.ships[id] }

// Ships iterates over all pictures, in no order.
func (d *Decoder) Ships() iter.Seq[*Ship] {
	return func(yield func(*Ship) bool) {
		for _, s := range d.ships {
			if !yield(s) {
				return
			}
		}
	}
}

// Class returns the class of a ship, nil if it is not known.
func (d *Decoder) Class(id objectid.ID) *Class {
	if s := d.ships[id]; s != nil {
		return s.Class
	}
	return nil
}

// Forget drops a ship.
func (d *Decoder) Forget(id objectid.ID) Change {
	s := d.ships[id]
	if s == nil {
		return Change{ObjectID: id}
	}
	delete(d.ships, id)
	if s.memory.created {
		d.created--
	} else {
		d.unlist(id)
	}
	return Change{ObjectID: id, Ship: s, Destroyed: true}
}

// Reset drops all ships, as at the start of another match.
func (d *Decoder) Reset() {
	clear(d.ships)
	d.created, d.unknown = 0, d.unknown[:0]
}

// Create applies what creates an object. Objects that are no ships change nothing.
func (d *Decoder) Create(o *opcode.Object) (Change, error) {
	change := Change{ObjectID: o.ObjectID}
	if o.ClassID != opcode.ObjectShip {
		return change, nil
	}
	s := d.ships[o.ObjectID]
	switch {
	case s != nil && s.memory.created:
		change.Ship = s
		return change, s.fail("creation", ErrExists)
	case d.created >= limit(d.MaxShips, DefaultMaxShips):
		change.Ship = s
		return change, &Error{ObjectID: o.ObjectID, Part: "creation", Err: ErrTooMany}
	case s == nil:
		s = d.add(o.ObjectID)
	default:
		d.unlist(o.ObjectID)
	}
	d.created++
	change.Ship, change.Created = s, true
	err := s.create(o, d.Classes.Species(o.Species))
	for i := range s.memory.pending {
		err = errors.Join(err, s.blocks(&s.memory.pending[i], &change))
	}
	s.memory.pending = nil
	return change, err
}

// Update applies a StateUpdate.
func (d *Decoder) Update(m *opcode.StateUpdate) (Change, error) {
	s := d.ships[m.ObjectID]
	if s == nil {
		s = d.addUnknown(m.ObjectID)
	}
	change := Change{ObjectID: m.ObjectID, Ship: s, Unknown: !s.memory.created}
	err := s.update(m, &change)
	return change, err
}

func (d *Decoder) add(id objectid.ID) *Ship {
	if d.ships == nil {
		d.ships = make(map[objectid.ID]*Ship)
	}
	s := NewShip(id, nil)
	s.memory.baseAt, s.memory.deltaAt = never, never
	d.ships[id] = s
	return s
}

func (d *Decoder) addUnknown(id objectid.ID) *Ship {
	if len(d.unknown) >= limit(d.MaxUnknown, DefaultMaxUnknown) {
		delete(d.ships, d.unknown[0])
		d.unknown = append(d.unknown[:0], d.unknown[1:]...)
	}
	d.unknown = append(d.unknown, id)
	return d.add(id)
}

func (d *Decoder) unlist(id objectid.ID) {
	for i, other := range d.unknown {
		if other == id {
			d.unknown = append(d.unknown[:i], d.unknown[i+1:]...)
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
