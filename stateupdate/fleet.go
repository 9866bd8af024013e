package stateupdate

import (
	"iter"

	"github.com/bcwire/bcwire/objectid"
)

// The ships that a Tracker knows, and how many they may be.

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
