package stateupdate

import (
	"bytes"
	"cmp"
	"container/list"
	"iter"
	"slices"

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
// ships whose end the Tracker has not seen. A ship takes about 1 KB. The other limits are:
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
	order     *list.List // all ships in the order of their last messages
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
//	SubsystemStatus                 a subsystem is switched on or off
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
	case *opcode.SubsystemStatus:
		return t.switched(&m.Event), nil
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
	change.Ship = &s.Ship
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

// switched applies a SubsystemStatus. Other events change nothing.
func (t *Tracker) switched(e *opcode.Event) (change Change) {
	ship, part, ok := t.Part(e.Dest)
	if !ok || e.Code != opcode.ETSubsystemStateChangedNotify || e.Class != opcode.ClassBoolEvent {
		return change
	}
	t.touch(t.ships[ship.ID])
	change.ObjectID, change.Ship = ship.ID, ship
	if own := &ship.Subsystems[part.Index]; own.Off != (e.Value == 0) {
		own.Off = !own.Off
		change.Subsystems.add(part.Index)
	}
	return change
}

// enter applies an EnterSet, which does not create a ship.
func (t *Tracker) enter(m *opcode.EnterSet) (Change, error) {
	change := Change{ObjectID: m.ObjectID}
	s := t.ships[m.ObjectID]
	if s == nil {
		return change, nil
	}
	t.touch(s)
	change.Ship = &s.Ship
	if n := len(bytes.TrimSuffix(m.Set, []byte{0})); n > maxSetName {
		return change, s.fail("set", tooMany(n, maxSetName, "bytes"))
	}
	s.SetName = m.SetName()
	return change, nil
}

// Ship returns the ship with an ID, or nil if there is none or it is destroyed. The next
// message may change the ship.
func (t *Tracker) Ship(id objectid.ID) *Ship {
	if s := t.ships[id]; s != nil {
		return &s.Ship
	}
	return nil
}

// ShipOf returns the living or dying ship of a player, or nil.
func (t *Tracker) ShipOf(player objectid.PeerID) *Ship {
	if !player.Valid() {
		return nil
	}
	for slot := range objectid.Slot(objectid.Slots) {
		if s := t.shipIn(slot); s != nil && s.PeerID == player {
			return &s.Ship
		}
	}
	return nil
}

// shipIn returns the ship of the player in a slot, or nil.
func (t *Tracker) shipIn(slot objectid.Slot) *trackedShip {
	s := t.ships[t.players[slot]]
	if s == nil || !s.PeerID.Valid() || s.OwnerSlot != slot {
		return nil
	}
	return s
}

// Life returns the stage of the life of the ship with an ID. It returns Unknown for IDs without a
// creation, for evicted ships, and for destroyed ships that are not among the last 256.
func (t *Tracker) Life(id objectid.ID) Life {
	if s := t.ships[id]; s != nil {
		return s.Life
	}
	if t.isDestroyed(id) {
		return Destroyed
	}
	return Unknown
}

// Ships iterates over all ships in the order of their IDs: living and dying ships, and ships
// with updates but without a creation, which have no class.
func (t *Tracker) Ships() iter.Seq[*Ship] {
	return func(yield func(*Ship) bool) {
		ids := make([]objectid.ID, 0, len(t.ships))
		for id := range t.ships {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			if s := t.ships[id]; s != nil && !yield(&s.Ship) {
				return
			}
		}
	}
}

// Clone returns a deep copy of the tracker, for example to seek in a recording.
func (t *Tracker) Clone() *Tracker {
	clone := *t
	clone.unknown = slices.Clone(t.unknown)
	clone.destroyed = slices.Clone(t.destroyed)
	clone.ships = make(map[objectid.ID]*trackedShip, len(t.ships))
	clone.order = list.New()
	for e := t.first(); e != nil; e = e.Next() {
		s := e.Value.(*trackedShip).clone()
		s.place = clone.order.PushBack(s)
		clone.ships[s.ID] = s
	}
	return &clone
}

// Forget removes a tracked ship, as a DestroyObject does. Late updates do not restore it. For other
// IDs, Forget does nothing. A program with a clock can call it at the end of the Lifetime of a
// dying ship.
func (t *Tracker) Forget(id objectid.ID) Change {
	change := Change{ObjectID: id}
	if s := t.ships[id]; s != nil {
		change.Ship = &s.Ship
		t.destroy(s, &change)
	}
	return change
}

// Reset removes all ships and forgets destroyed ships, for another session. The options stay.
func (t *Tracker) Reset() {
	t.ships, t.order = nil, nil
	t.created, t.unknown, t.destroyed = 0, t.unknown[:0], t.destroyed[:0]
	t.players = [objectid.Slots]objectid.ID{}
}

// restart destroys all ships, in the order of their last messages.
func (t *Tracker) restart() (change Change) {
	for e := t.first(); e != nil; e = t.first() {
		t.destroy(e.Value.(*trackedShip), &change)
	}
	return change
}

// destroy removes a ship and records that it is destroyed.
func (t *Tracker) destroy(s *trackedShip, change *Change) {
	t.remove(s, change)
	s.Life = Destroyed
	if len(t.destroyed) == maxDestroyed {
		t.destroyed = slices.Delete(t.destroyed, 0, 1)
	}
	t.destroyed = append(t.destroyed, s.ID)
}

func (t *Tracker) isDestroyed(id objectid.ID) bool { return slices.Contains(t.destroyed, id) }

// revive removes an ID from the list of destroyed ships.
func (t *Tracker) revive(id objectid.ID) { t.destroyed = without(t.destroyed, id) }

// unlist removes an ID from the list of unknown ships.
func (t *Tracker) unlist(id objectid.ID) { t.unknown = without(t.unknown, id) }

func without(ids []objectid.ID, id objectid.ID) []objectid.ID {
	if i := slices.Index(ids, id); i >= 0 {
		return slices.Delete(ids, i, i+1)
	}
	return ids
}

// remove removes a ship from the list of ships.
func (t *Tracker) remove(s *trackedShip, change *Change) {
	change.Removed = append(change.Removed, &s.Ship)
	delete(t.ships, s.ID)
	t.order.Remove(s.place)
	if s.created {
		t.created--
	} else {
		t.unlist(s.ID)
	}
}

// evict removes the created ship that has had no message for the longest time. At most MaxUnknown
// ships are before it.
func (t *Tracker) evict(change *Change) {
	oldest := t.first()
	for !oldest.Value.(*trackedShip).created {
		oldest = oldest.Next()
	}
	t.remove(oldest.Value.(*trackedShip), change)
}

// first returns the place of the ship without a message for the longest time, or nil.
func (t *Tracker) first() *list.Element {
	if t.order == nil {
		return nil
	}
	return t.order.Front()
}

// touch records a message about a ship.
func (t *Tracker) touch(s *trackedShip) { t.order.MoveToBack(s.place) }

func (t *Tracker) add(id objectid.ID) *trackedShip {
	if t.ships == nil {
		t.ships, t.order = make(map[objectid.ID]*trackedShip), list.New()
	}
	s := newTrackedShip(id)
	t.ships[id] = s
	s.place = t.order.PushBack(s)
	return s
}

// addUnknown adds a ship that was not created yet. It may evict another.
func (t *Tracker) addUnknown(id objectid.ID, change *Change) *trackedShip {
	if len(t.unknown) >= cmp.Or(max(t.MaxUnknown, 0), defaultMaxUnknown) {
		t.remove(t.ships[t.unknown[0]], change)
	}
	t.unknown = append(t.unknown, id)
	return t.add(id)
}
