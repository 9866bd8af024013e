package stateupdate

import (
	"iter"
	"math/bits"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Change tells what a message has changed in the picture of a [Tracker].
type Change struct {
	ObjectID objectid.ID
	Ship     *Ship // the picture, or what it was if the ship is Destroyed; nil if there is none

	// Evicted is the ship that was forgotten because there were too many.
	Evicted *Ship

	// What happened to the ship as a whole: it was created, or destroyed and forgotten. A
	// ship that is Unknown has sent an update and was not created yet; the game asks for
	// it with RequestObject.
	Created, Destroyed, Unknown bool

	// Stale says that the motion in an update is not newer than what is known already, and
	// was left out, except as the base of newer deltas.
	Stale bool

	// Motion has the flags of what has another value now: StatePosition for the position,
	// StateForward, StateUp, StateSpeed and StateCloak.
	Motion opcode.StateFlags
	// Subsystems are the indices of subsystems whose state is another now.
	Subsystems IndexSet
}

// IndexSet is a set of indices of subsystems.
type IndexSet [MaxSubsystems / 64]uint64

// Has says whether i is in the set.
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
