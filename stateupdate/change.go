package stateupdate

import (
	"iter"
	"math/bits"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Change describes what a message has changed in the state of a [Tracker].
type Change struct {
	ObjectID objectid.ID
	Ship     *Ship // the state of the ship, the last one if it is Destroyed; nil if there is none

	// Evicted is the ship that the tracker has forgotten because there were too many.
	Evicted *Ship

	// Created and Destroyed report that the message has created or removed the ship. Unknown
	// reports that the ship of an update was not created yet. The game requests such a ship
	// with RequestObject.
	Created, Destroyed, Unknown bool

	// Stale reports that the motion in an update is not newer than the known motion. Only its
	// position was applied, as the base of newer deltas.
	Stale bool

	// Motion has a flag for each value that has changed: StatePosition, StateForward, StateUp,
	// StateSpeed and StateCloak.
	Motion opcode.StateFlags
	// Subsystems are the indices of the subsystems whose state has changed.
	Subsystems IndexSet
}

// IndexSet is a set of indices of subsystems.
type IndexSet [MaxSubsystems / 64]uint64

// Has reports whether i is in the set.
func (s IndexSet) Has(i int) bool { return i >= 0 && i < MaxSubsystems && s[i/64]>>(i%64)&1 != 0 }

// Len returns how many indices are in the set.
func (s IndexSet) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All iterates over the indices in order.
func (s IndexSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range MaxSubsystems {
			if s.Has(i) && !yield(i) {
				return
			}
		}
	}
}

func (s *IndexSet) add(i int) {
	if i < MaxSubsystems { // a class that is not valid has more
		s[i/64] |= 1 << (i % 64)
	}
}
