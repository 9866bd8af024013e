package stateupdate

import (
	"iter"

	"github.com/bcwire/bcwire/objectid"
)

// The ships that a Decoder knows, and how many they may be.

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

// hear notes that a message is about a ship.
func (d *Decoder) hear(s *Ship) {
	d.heard++
	s.memory.heard = d.heard
}

// evict forgets the ship that was heard of longest ago, of those that were created.
func (d *Decoder) evict() (oldest *Ship) {
	for _, s := range d.ships {
		if s.memory.created && (oldest == nil || s.memory.heard < oldest.memory.heard) {
			oldest = s
		}
	}
	d.Forget(oldest.ID)
	return oldest
}

func (d *Decoder) add(id objectid.ID) *Ship {
	if d.ships == nil {
		d.ships = make(map[objectid.ID]*Ship)
	}
	s := NewShip(id, nil)
	s.memory.baseAt, s.memory.deltaAt = never(), never()
	d.ships[id] = s
	return s
}

// addUnknown adds a ship that was not created yet, and returns the one that makes room.
func (d *Decoder) addUnknown(id objectid.ID) (s, evicted *Ship) {
	if len(d.unknown) >= limit(d.MaxUnknown, DefaultMaxUnknown) {
		evicted = d.Forget(d.unknown[0]).Ship
	}
	d.unknown = append(d.unknown, id)
	return d.add(id), evicted
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
