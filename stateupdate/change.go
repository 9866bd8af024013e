package stateupdate

import (
	"iter"
	"math/bits"
	"strconv"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Life is the stage of a ship's life, as the messages of a link report it. The zero value is
// Unknown.
//
// Evidence: observed (A) for the event of an explosion. Documented (B): a ship that dies in
// combat gets no DestroyObject, and the creation of a player's ship takes the player's slot.
type Life uint8

// The stages of life.
const (
	// Unknown means that no creation of the ship was seen, although there may be updates.
	Unknown Life = iota
	// Alive means that the ship was created.
	Alive
	// Dying means that the ship explodes. Updates still change its state. No message reports
	// when the explosion ends; it takes the Lifetime of the [Ship].
	Dying
	// Destroyed means that the ship is gone: by a DestroyObject, by the next ship of its
	// player, or by a restart. Only another creation with its ID makes a ship Alive again.
	Destroyed
)

// String returns the stage in words, "alive", or the number of an unknown value.
func (l Life) String() string {
	names := [...]string{"unknown", "alive", "dying", "destroyed"}
	if int(l) < len(names) {
		return names[l]
	}
	return "Life(" + strconv.Itoa(int(l)) + ")"
}

// Change describes what a message has changed in the state of a [Tracker].
type Change struct {
	ObjectID objectid.ID
	Ship     *Ship // the state of the ship, the last one if it is Destroyed; nil if there is none

	// Evicted is the ship that the tracker has forgotten because there were too many.
	Evicted *Ship
	// Replaced is the ship that the created ship replaces, with its last state: the ship that
	// the player in the same slot had, or a dying ship with the same ID.
	Replaced *Ship

	// Created, Died and Destroyed report that the message has created the ship, has made it
	// explode, or has removed it.
	Created, Died, Destroyed bool
	// Unknown reports that the ship of an update was not created yet. The game requests such
	// a ship with RequestObject.
	Unknown bool
	// Late reports that the message is about a destroyed ship. It has changed nothing.
	Late bool

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
