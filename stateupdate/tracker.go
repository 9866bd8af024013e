package stateupdate

import (
	"cmp"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Tracker keeps the state of every ship that the messages of one link are about, in both
// directions. Pass it the messages in the order in which they arrive. It learns the classes
// of ships from object creation, buffers updates that it cannot apply yet, and does not let
// an older update overwrite a newer one. It follows each ship from its creation to its end;
// see [Life].
//
// Use one tracker for each link. A client reports the motion of its own ship, and the host
// reports the subsystems of that ship and everything about all other ships. The times of
// updates can be compared only if they are from the clock of the same sender. For this
// reason a tracker must not get messages from the links of several clients.
//
// A tracker does not check whether a peer has permission to send a message. A host should
// call [opcode.Authorize] first: a client could repair its own ship with a block of
// subsystems.
//
// The zero value is ready to use and has the stock classes. A Tracker is not safe for
// concurrent use.
type Tracker struct {
	// Classes are the classes of a mod, which precede the stock classes.
	Classes Catalogue
	// MaxShips is the maximum number of created ships. If another ship is created, the
	// tracker forgets the ship with the oldest last message. 0 means DefaultMaxShips.
	MaxShips int
	// MaxUnknown is the maximum number of ships with updates but without a creation. Another
	// such ship replaces the one that has been unknown for the longest time. 0 means
	// DefaultMaxUnknown.
	MaxUnknown int

	ships     map[objectid.ID]*trackedShip
	messages  uint64 // number of messages about ships so far
	created   int
	unknown   []objectid.ID               // oldest first
	destroyed []objectid.ID               // oldest first
	players   [objectid.Slots]objectid.ID // the last ship of each slot
	objects   int                         // the largest Class.Objects of a ship so far
}

// Limits of a [Tracker]. A match has at most 16 ships of players at a time, and stations and
// asteroids. The other places are for ships whose end was missed. A ship takes about 2 KB, an
// unknown ship up to MaxBuffered updates of at most MaxBlock bytes, and a destroyed ship 4 bytes.
const (
	DefaultMaxShips   = 1024
	DefaultMaxUnknown = 64
	MaxDestroyed      = 256  // destroyed ships whose late updates are recognised
	MaxBuffered       = 16   // updates of an unknown ship: more than a round of its subsystems
	MaxBlock          = 256  // bytes in one of them; the largest stock block has 17
	MaxBlob           = 1024 // bytes of the create blob of a ship without a class
)

// Apply applies any message. Messages that are not about the state of ships change nothing,
// and Apply copies what it needs of the others:
//
//	ObjectCreate, ObjectCreateTeam  a ship is Alive; a player's new ship replaces the old one
//	StateUpdate                     motion, subsystems and power
//	PythonEvent                     ETObjectExploding: the ship is Dying
//	DestroyObject                   the ship is Destroyed
//	RestartGame                     all ships are Destroyed; an EndGame leaves them
//
// If Apply cannot apply a part of the message, it applies the rest and returns an [*Error],
// or several that [errors.Join] has joined. The Change describes the part that was applied.
func (t *Tracker) Apply(m opcode.Message) (Change, error) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		return t.update(m)
	case *opcode.ObjectCreateTeam:
		return t.create(objectid.Slot(m.OwnerSlot), objectid.PeerID(m.NetPlayerID), &m.Object)
	case *opcode.ObjectCreate:
		return t.create(objectid.Slot(m.OwnerSlot), 0, &m.Object)
	case *opcode.PythonEvent:
		if m.Code == opcode.ETObjectExploding && m.Class == opcode.ClassObjectExplodingEvent {
			return t.explode(&m.Event)
		}
	case *opcode.DestroyObject:
		return t.Forget(m.ObjectID), nil
	case *opcode.RestartGame:
		t.restart()
	}
	return Change{}, nil
}

// create creates a ship of an owner. An object that is not a ship changes nothing. The ID of a
// dying ship is free again: the game would ignore the message if the ship still existed.
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
		change.Replaced = t.destroy(s)
		s = nil
	}
	if player.Valid() && slot.Valid() {
		if before := t.shipIn(slot); before != nil {
			change.Replaced = t.destroy(before)
		}
		t.players[slot] = o.ObjectID
	}
	t.revive(o.ObjectID)
	if s == nil {
		s = t.add(o.ObjectID)
	} else {
		t.unlist(o.ObjectID)
	}
	if t.created >= cmp.Or(max(t.MaxShips, 0), DefaultMaxShips) {
		change.Evicted = t.evict()
	}
	t.created++
	t.count(s)
	change.Ship, change.Created = &s.Ship, true
	s.OwnerSlot, s.PeerID = slot, player
	err := s.create(o, t.Classes.Species(o.Species), &change)
	if s.Class != nil {
		t.objects = max(t.objects, s.Class.Objects())
	}
	return change, err
}

// update applies a StateUpdate. A late update of a destroyed ship changes nothing.
func (t *Tracker) update(m *opcode.StateUpdate) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		if t.isDestroyed(m.ObjectID) {
			change.Late = true
			return change, nil
		}
		s, change.Evicted = t.addUnknown(m.ObjectID)
	}
	t.count(s)
	change.Ship, change.Unknown = &s.Ship, s.Life == Unknown
	err := s.update(m, &change)
	return change, err
}

// explode applies the explosion of a ship. The first one of a ship counts.
func (t *Tracker) explode(e *opcode.Event) (Change, error) {
	change := Change{ObjectID: e.Dest}
	s := t.ships[e.Dest]
	if s == nil {
		change.Late = t.isDestroyed(e.Dest)
		return change, nil
	}
	t.count(s)
	change.Ship = &s.Ship
	if s.Life == Dying {
		return change, nil
	}
	change.Died = true
	return change, s.explode(e)
}
