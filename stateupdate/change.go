package stateupdate

import (
	"iter"
	"math/bits"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Change tells what a message has changed in the picture of a [Decoder].
type Change struct {
	ObjectID objectid.ID
	Ship     *Ship // the picture; nil if the decoder keeps none

	// What happened to the ship as a whole: it was created, or destroyed and forgotten. A
	// ship that is Unknown has sent an update and was not created yet; the game asks for
	// it with RequestObject.
	Created, Destroyed, Unknown bool

	// Stale says that the motion in an update is not newer than what is known already, and
	// was left out.
	Stale bool

	// Motion has the flags of what has another value now: StatePosition for the position,
	// StateForward, StateUp, StateSpeed and StateCloak.
	Motion opcode.StateFlags
	// Systems are the indices of subsystems whose state is another now.
	Systems Set
}

// Set is a set of indices of subsystems.
type Set [MaxSubsystems / 64]uint64

// Has says whether i is in the set.
func (s Set) Has(i int) bool { return i >= 0 && i < MaxSubsystems && s[i/64]>>(i%64)&1 != 0 }

// Len returns how many indices are in the set.
func (s Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All iterates over the indices in order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range MaxSubsystems {
			if s.Has(i) && !yield(i) {
				return
			}
		}
	}
}

func (s *Set) add(i int) {
	if i < MaxSubsystems { // a class that is not valid has more
		s[i/64] |= 1 << (i % 64)
	}
}
