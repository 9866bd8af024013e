package stateupdate

import (
	"iter"
	"math"

	"github.com/bcwire/bcwire/objectid"
)

// Part is a subsystem of a ship or a child of a subsystem. Each of them is an object with
// an ID, which events and fire messages name. The zero value is no part.
type Part struct {
	Subsystem *Subsystem
	Index     int // of Subsystem in the list of its class
	Child     int // index in Subsystem.Children; -1 is the subsystem itself
}

// Name returns the name of the child, "Forward Torp 1", or of the subsystem itself. It returns
// "" for the zero value.
func (p Part) Name() string {
	switch {
	case p.Subsystem == nil:
		return ""
	case p.Child < 0 || p.Child >= len(p.Subsystem.Children):
		return p.Subsystem.Name
	}
	return p.Subsystem.Children[p.Child].Name
}

// String returns "Torpedoes / Forward Torp 1" for a child, "Sensor Array" for a subsystem
// itself, and "no part" for the zero value.
func (p Part) String() string {
	switch name := p.Name(); {
	case p.Subsystem == nil:
		return "no part"
	case p.Child < 0 || p.Child >= len(p.Subsystem.Children):
		return name
	default:
		return p.Subsystem.Name + " / " + name
	}
}

// parts iterates over the parts of a class with their ID offsets.
func (c *Class) parts() iter.Seq2[Part, uint16] {
	return func(yield func(Part, uint16) bool) {
		for i := range c.Subsystems {
			s := &c.Subsystems[i]
			if !yield(Part{s, i, -1}, s.IDOffset) {
				return
			}
			for k := range s.Children {
				if !yield(Part{s, i, k}, s.Children[k].IDOffset) {
					return
				}
			}
		}
	}
}

// Objects returns the number of object IDs that a ship of this class occupies: the ship's
// own and one for each part, without a gap. The next object of the same player has the ID
// of the ship plus Objects, unless the player has created something else meanwhile.
//
// Evidence: observed (A): the next ship after a Sovereign of 33 parts has the ID
// 0x3FFFFFFF + 34.
func (c *Class) Objects() int {
	n := 1 + len(c.Subsystems)
	for i := range c.Subsystems {
		n += len(c.Subsystems[i].Children)
	}
	return n
}

// Part returns the part that an object ID names, given the ID of the ship. It reports false
// if the ID is not one of a part of the ship.
//
// A ship takes an ID and its parts take the next ones in the order of their creation. The
// order is that of the class's hardpoint script, and differs from the order of the wire.
// Classes without creation indices, such as those of a schema 1 file, have no part IDs.
//
// Evidence: observed (A) for Akira and Sovereign: 0x06, 0x07, 0x12 and 0x19 messages name
// the sensors, repair, phasers and a torpedo tube so. Documented (B) for the others: the
// engine's code that creates a ship's list of subsystems.
func (c *Class) Part(ship, id objectid.ID) (Part, bool) {
	distance := int64(id) - int64(ship)
	if ship <= 0 || distance <= 0 || distance > math.MaxUint16 {
		return Part{}, false
	}
	for part, offset := range c.parts() {
		if offset == uint16(distance) {
			return part, true
		}
	}
	return Part{}, false
}

// PartID returns the object ID of a part, given the ID of the ship: of the child with that
// index, or of the subsystem itself if child is -1. It is the inverse of [Class.Part]. It
// reports false if there is no such part, if the class has no part IDs, or if the ID would
// exceed the largest object ID.
func (c *Class) PartID(ship objectid.ID, index, child int) (objectid.ID, bool) {
	if ship <= 0 || index < 0 || index >= len(c.Subsystems) || child < -1 || child >= len(c.Subsystems[index].Children) {
		return objectid.None, false
	}
	offset := c.Subsystems[index].IDOffset
	if child >= 0 {
		offset = c.Subsystems[index].Children[child].IDOffset
	}
	if offset == 0 || int64(ship)+int64(offset) > math.MaxInt32 {
		return objectid.None, false
	}
	return ship + objectid.ID(offset), true
}

// Part returns the part of the ship that an object ID names, as [Class.Part] does. It
// reports false if the ship has no class.
func (s *Ship) Part(id objectid.ID) (Part, bool) {
	if s.Class == nil {
		return Part{}, false
	}
	return s.Class.Part(s.ID, id)
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
		case s == nil || !s.created:
		case distance == 0:
			return nil, Part{}, false
		default:
			if part, ok := s.Part(id); ok {
				return &s.Ship, part, true
			}
		}
	}
	return nil, Part{}, false
}
