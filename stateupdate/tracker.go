package stateupdate

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Tracker keeps the state of every ship that the messages of one link are about, in both
// directions. Pass it the messages in the order in which they arrive. It learns the classes
// of ships from object creation, buffers updates that it cannot apply yet, and does not let
// an older update overwrite a newer one.
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
	// tracker forgets the ship with the oldest last message, because no message reports that
	// a ship was destroyed in combat. 0 means DefaultMaxShips.
	MaxShips int
	// MaxUnknown is the maximum number of ships with updates but without a creation. Another
	// such ship replaces the one that has been unknown for the longest time. 0 means
	// DefaultMaxUnknown.
	MaxUnknown int

	ships    map[objectid.ID]*trackedShip
	messages uint64 // number of messages about ships so far
	created  int
	unknown  []objectid.ID // oldest first
	objects  int           // the largest Class.Objects of a ship so far
}

// Limits of a [Tracker]. A match has at most 16 ships of players at a time, and stations and
// asteroids. The other places are for destroyed ships. A ship takes about 2 KB, and an unknown
// ship up to MaxBuffered updates of at most MaxBlock bytes.
const (
	DefaultMaxShips   = 1024
	DefaultMaxUnknown = 64
	MaxBuffered       = 16   // updates of an unknown ship: more than a round of its subsystems
	MaxBlock          = 256  // bytes in one of them; the largest stock block has 17
	MaxBlob           = 1024 // bytes of the create blob of a ship without a class
)

// Apply applies an ObjectCreate, ObjectCreateTeam, StateUpdate, DestroyObject or RestartGame.
// After a RestartGame there are no ships. Other messages change nothing. Apply copies what it
// needs of the message.
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
	case *opcode.DestroyObject:
		return t.Forget(m.ObjectID), nil
	case *opcode.RestartGame:
		t.Reset()
	}
	return Change{}, nil
}

// create creates a ship of an owner. An object that is not a ship changes nothing.
func (t *Tracker) create(slot objectid.Slot, player objectid.PeerID, o *opcode.Object) (Change, error) {
	change := Change{ObjectID: o.ObjectID}
	if o.ClassID != opcode.ObjectShip {
		return change, nil
	}
	s := t.ships[o.ObjectID]
	switch {
	case s != nil && s.created:
		change.Ship = &s.Ship
		return change, s.fail("creation", ErrExists)
	case s == nil:
		s = t.add(o.ObjectID)
	default:
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

// update applies a StateUpdate.
func (t *Tracker) update(m *opcode.StateUpdate) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		s, change.Evicted = t.addUnknown(m.ObjectID)
	}
	t.count(s)
	change.Ship, change.Unknown = &s.Ship, !s.created
	err := s.update(m, &change)
	return change, err
}

// Ship returns the state of a ship, or nil if the tracker has none with this ID. The next
// message may change it; see [Ship.Clone].
func (t *Tracker) Ship(id objectid.ID) *Ship {
	if s := t.ships[id]; s != nil {
		return &s.Ship
	}
	return nil
}

// Ships iterates over all ships, in no particular order. A ship that was not created yet has
// no class.
func (t *Tracker) Ships() iter.Seq[*Ship] {
	return func(yield func(*Ship) bool) {
		for _, s := range t.ships {
			if !yield(&s.Ship) {
				return
			}
		}
	}
}

// Clone returns a copy of the tracker. The two share nothing that messages change. A player of
// recordings can keep one clone for every few seconds and seek to any of them.
func (t *Tracker) Clone() *Tracker {
	clone := *t
	clone.unknown = slices.Clone(t.unknown)
	clone.ships = make(map[objectid.ID]*trackedShip, len(t.ships))
	for id, s := range t.ships {
		clone.ships[id] = s.clone()
	}
	return &clone
}

// Forget removes a ship.
func (t *Tracker) Forget(id objectid.ID) Change {
	s := t.ships[id]
	if s == nil {
		return Change{ObjectID: id}
	}
	delete(t.ships, id)
	if s.created {
		t.created--
	} else {
		t.unlist(id)
	}
	return Change{ObjectID: id, Ship: &s.Ship, Destroyed: true}
}

// Reset removes all ships, as at the start of another match.
func (t *Tracker) Reset() {
	clear(t.ships)
	t.created, t.unknown = 0, t.unknown[:0]
}

// count counts a message about a ship.
func (t *Tracker) count(s *trackedShip) {
	t.messages++
	s.lastMessage = t.messages
}

// evict removes the created ship with the oldest last message.
func (t *Tracker) evict() *Ship {
	var oldest *trackedShip
	for _, s := range t.ships {
		if s.created && (oldest == nil || s.lastMessage < oldest.lastMessage) {
			oldest = s
		}
	}
	return t.Forget(oldest.ID).Ship
}

func (t *Tracker) add(id objectid.ID) *trackedShip {
	if t.ships == nil {
		t.ships = make(map[objectid.ID]*trackedShip)
	}
	s := newTrackedShip(id)
	t.ships[id] = s
	return s
}

// addUnknown adds a ship that was not created yet. It returns the ship that it evicts.
func (t *Tracker) addUnknown(id objectid.ID) (s *trackedShip, evicted *Ship) {
	if len(t.unknown) >= cmp.Or(max(t.MaxUnknown, 0), DefaultMaxUnknown) {
		evicted = t.Forget(t.unknown[0]).Ship
	}
	t.unknown = append(t.unknown, id)
	return t.add(id), evicted
}

// unlist removes an ID from the list of unknown ships.
func (t *Tracker) unlist(id objectid.ID) {
	if i := slices.Index(t.unknown, id); i >= 0 {
		t.unknown = slices.Delete(t.unknown, i, i+1)
	}
}
