package stateupdate

import (
	"cmp"
	"container/list"
	"iter"
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

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
	clone.order = list.List{}
	for e := t.order.Front(); e != nil; e = e.Next() {
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
	clear(t.ships)
	t.order.Init()
	t.created, t.unknown, t.destroyed = 0, t.unknown[:0], t.destroyed[:0]
	t.players = [objectid.Slots]objectid.ID{}
}

// restart destroys all ships, in the order of their last messages.
func (t *Tracker) restart() (change Change) {
	for t.order.Len() > 0 {
		t.destroy(t.order.Front().Value.(*trackedShip), &change)
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
	oldest := t.order.Front()
	for !oldest.Value.(*trackedShip).created {
		oldest = oldest.Next()
	}
	t.remove(oldest.Value.(*trackedShip), change)
}

// touch records a message about a ship.
func (t *Tracker) touch(s *trackedShip) { t.order.MoveToBack(s.place) }

func (t *Tracker) add(id objectid.ID) *trackedShip {
	if t.ships == nil {
		t.ships = make(map[objectid.ID]*trackedShip)
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
