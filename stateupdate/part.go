package stateupdate

import (
	"iter"
	"math"

	"github.com/bcwire/bcwire/objectid"
)

// Part is a subsystem of a ship or a child of a subsystem. Each part is an object with an ID.
type Part struct {
	Subsystem *Subsystem
	Index     int // in Class.Subsystems
	Child     int // in Subsystem.Children, or -1 for the subsystem itself
}

// String returns "Torpedoes / Forward Torp 1" for a child, "Sensor Array" for a subsystem, and
// "no part" for the zero value.
func (p Part) String() string {
	switch {
	case p.Subsystem == nil:
		return "no part"
	case p.Child < 0 || p.Child >= len(p.Subsystem.Children):
		return p.Subsystem.Name
	}
	return p.Subsystem.Name + " / " + p.Subsystem.Children[p.Child].Name
}

// parts iterates over the parts of a class and their ID offsets.
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

// physics returns the physical properties of a part that its Subsystem has.
func (p Part) physics() *PartPhysics {
	if p.Child < 0 {
		return &p.Subsystem.PartPhysics
	}
	return &p.Subsystem.Children[p.Child].PartPhysics
}

// Disabled reports whether a part of the ship does not work: its condition is 0 or below
// [PartPhysics].Disabled, or all its children are disabled. The children of a subsystem with such a condition
// are disabled, too. A weapon or an engine that is not Disabled may be Off; see [Status]. A ship without a Class
// and a ship that does not have the part have nothing that works.
func (s *Ship) Disabled(p Part) bool {
	if s == nil || s.Class == nil || p.Index < 0 || p.Index >= min(len(s.Subsystems), len(s.Class.Subsystems)) {
		return true
	}
	sub, status := &s.Class.Subsystems[p.Index], &s.Subsystems[p.Index]
	n := min(len(sub.Children), len(status.Parts))
	if sub.low(status.Condition) || p.Child >= n {
		return true
	}
	broken := func(k int) bool { return sub.Children[k].low(Level(status.Parts[k])) }
	if p.Child >= 0 {
		return broken(p.Child)
	}
	for k := range n {
		if !broken(k) {
			return false
		}
	}
	return len(sub.Children) > 0
}

// low reports whether a condition is too low for a part to work.
func (p *PartPhysics) low(condition Level) bool {
	return condition == 0 || float64(condition.Fraction()) < p.Disabled
}

// Part returns the part of a ship with an object ID. It reports false if the ship has no such part. It is the
// inverse of [Class.PartID]. [Tracker.Part] also finds the ship.
func (c *Class) Part(ship, id objectid.ID) (Part, bool) {
	distance := int64(id) - int64(ship)
	if ship <= 0 || distance <= 0 || distance > math.MaxUint16 {
		return Part{}, false
	}
	offset := uint16(distance)
	for i := range c.Subsystems {
		s := &c.Subsystems[i]
		if s.IDOffset == offset {
			return Part{s, i, -1}, true
		}
		for k := range s.Children {
			if s.Children[k].IDOffset == offset {
				return Part{s, i, k}, true
			}
		}
	}
	return Part{}, false
}

// Objects returns the number of object IDs that a ship of this class occupies, without a gap:
// one for the ship and one for each part. Evidence: observed (A) for the Sovereign.
func (c *Class) Objects() int {
	n := 1 + len(c.Subsystems)
	for i := range c.Subsystems {
		n += len(c.Subsystems[i].Children)
	}
	return n
}

// PartID returns the object ID of a child of a subsystem, or of the subsystem itself if child is
// -1. It reports false if the part does not exist or has no IDOffset. [Class.Part] is the inverse.
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

// Part returns the ship and the part with an object ID, such as the TubeID of a TorpedoFire or
// the Dest of an event. It reports false if no tracked ship has such a part. Use
// [Tracker.Ship] for the ID of a ship. If the IDs of two ships overlap, which the game
// prevents, Part returns the ship with the larger ID.
func (t *Tracker) Part(id objectid.ID) (*Ship, Part, bool) {
	for distance := range min(objectid.ID(t.objects), id) {
		s := t.ships[id-distance]
		switch {
		case s == nil || !s.created:
		case distance == 0:
			return nil, Part{}, false
		case s.Class != nil:
			if part, ok := s.Class.Part(s.ID, id); ok {
				return &s.Ship, part, true
			}
		}
	}
	return nil, Part{}, false
}
