package stateupdate

import (
	"cmp"
	"container/list"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Tracker keeps the state of every ship on one link. Pass it the messages of both directions as
// they arrive. Use one Tracker for each link. On one link, all motion of a ship has times of one
// clock: the client sends the motion of its own ship, and the host sends everything else. Times of
// different links cannot be compared.
//
// A Tracker does not check permissions. A host should call [opcode.Authorize] first.
// Otherwise, a client could repair its own ship with a block of subsystems.
//
// A match has at most 16 ships of players at a time. The limits also count stations, asteroids, and
// ships whose end the Tracker has not seen. A ship takes about 2 KB. The other limits are:
//
//	256    destroyed ships whose late updates are recognized
//	16     buffered updates of an unknown ship
//	256    bytes of subsystems in a buffered update
//	1,024  bytes of the create blob of a ship without a class
//	255    bytes of the name in an EnterSet
//
// The zero value is ready to use and has the stock classes. A Tracker is not safe for
// concurrent use.
type Tracker struct {
	// Classes are the classes of a mod. They take precedence over stock classes.
	Classes Catalogue
	// MaxShips is the maximum number of created ships. A further ship evicts the ship that has
	// had no message for the longest time. The default is 1,024.
	MaxShips int
	// MaxUnknown is the maximum number of ships with updates but without a creation. A further
	// ship evicts the ship whose first update is the oldest. The default is 64.
	MaxUnknown int

	ships     map[objectid.ID]*trackedShip
	order     list.List // all ships in the order of their last messages
	created   int
	unknown   []objectid.ID               // oldest first
	destroyed []objectid.ID               // oldest first
	players   [objectid.Slots]objectid.ID // the last ship of each slot
	objects   int                         // the largest Class.Objects of all ships
}

// Limits of a Tracker, see there.
const (
	defaultMaxShips   = 1024
	defaultMaxUnknown = 64
	maxDestroyed      = 256
	maxBuffered       = 16   // enough for the states of all subsystems
	maxBlock          = 256  // bytes; the largest stock block has 17
	maxBlob           = 1024 // bytes
	maxSetName        = 255  // bytes; the name in a creation is not longer
)

// Apply applies a message. It copies the data that it keeps. Messages that are not in this
// table change nothing:
//
//	ObjectCreate, ObjectCreateTeam  a ship is Alive; it removes the old ship of its player, and a dying
//	                                ship with its ID
//	StateUpdate                     motion, subsystems and power
//	PythonEvent                     ETObjectExploding: the ship is Dying
//	EnterSet                        the ship is in another set
//	DestroyObject                   the ship is Destroyed
//	RestartGame                     all ships are Destroyed
//
// If Apply cannot apply a part of the message, it applies the rest. It then returns an error with the
// ship and the part, or several joined with [errors.Join]. The Change describes the applied parts.
// Messages about destroyed ships change nothing and have no Ship.
func (t *Tracker) Apply(m opcode.Message) (Change, error) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		return t.update(m)
	case *opcode.ObjectCreateTeam:
		return t.create(m.OwnerSlot, m.NetPlayerID, &m.Object)
	case *opcode.ObjectCreate:
		return t.create(m.OwnerSlot, 0, &m.Object)
	case *opcode.PythonEvent:
		if m.Code == opcode.ETObjectExploding && m.Class == opcode.ClassObjectExplodingEvent {
			return t.explode(&m.Event)
		}
	case *opcode.EnterSet:
		return t.enter(m)
	case *opcode.DestroyObject:
		return t.Forget(m.ObjectID), nil
	case *opcode.RestartGame:
		return t.restart(), nil
	}
	return Change{}, nil
}

// create creates a ship. Other objects change nothing. A dying ship does not block its ID: if
// it still existed in the game, the game would ignore the message.
func (t *Tracker) create(slot objectid.Slot, player objectid.PeerID, o *opcode.Object) (Change, error) {
	change := Change{ObjectID: o.ObjectID}
	if o.ClassID != opcode.ObjectShip {
		return change, nil
	}
	s := t.ships[o.ObjectID]
	if s != nil && s.Life == Alive {
		change.Ship = &s.Ship
		return change, s.fail("creation", ErrExists)
	}
	if s != nil && s.created {
		t.destroy(s, &change)
		s = nil
	}
	if player.Valid() && slot.Valid() {
		if before := t.shipIn(slot); before != nil {
			t.destroy(before, &change)
		}
		t.players[slot] = o.ObjectID
	}
	t.revive(o.ObjectID)
	if s == nil {
		s = t.add(o.ObjectID)
	} else {
		t.unlist(o.ObjectID)
	}
	if t.created >= cmp.Or(max(t.MaxShips, 0), defaultMaxShips) {
		t.evict(&change)
	}
	t.created++
	t.touch(s)
	change.Ship, change.Created = &s.Ship, true
	s.OwnerSlot, s.PeerID = slot, player
	err := s.create(o, t.Classes.Species(o.Species), &change)
	if s.Class != nil {
		t.objects = max(t.objects, s.Class.Objects())
	}
	return change, err
}

// update applies a StateUpdate.
func (t *Tracker) update(m *opcode.StateUpdate) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		if t.isDestroyed(m.ObjectID) {
			return change, nil
		}
		s = t.addUnknown(m.ObjectID, &change)
	}
	t.touch(s)
	change.Ship, change.Unknown = &s.Ship, s.Life == Unknown
	err := s.update(m, &change)
	return change, err
}

// explode applies the first explosion of a ship.
func (t *Tracker) explode(e *opcode.Event) (Change, error) {
	change := Change{ObjectID: e.Dest}
	s := t.ships[e.Dest]
	if s == nil {
		return change, nil
	}
	t.touch(s)
	change.Ship = &s.Ship
	if s.Life == Dying {
		return change, nil
	}
	change.Died = true
	return change, s.explode(e)
}

// enter applies an EnterSet, which does not create a ship.
func (t *Tracker) enter(m *opcode.EnterSet) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		change.Unknown = !t.isDestroyed(m.ObjectID)
		return change, nil
	}
	t.touch(s)
	change.Ship, change.Unknown = &s.Ship, s.Life == Unknown
	if len(m.Set) > maxSetName+1 { // with the NUL
		return change, s.fail("set", tooMany(len(m.Set), maxSetName+1, "bytes"))
	}
	s.SetName = m.SetName()
	return change, nil
}
