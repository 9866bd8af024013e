package stateupdate

import (
	"math/bits"
	"strconv"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Life is the stage of a ship's life, as far as the messages on a link show it.
//
// Evidence: observed (A) for the event of an explosion. Documented (B): a ship that dies in
// combat gets no DestroyObject, and a player's new ship takes the slot of the old one.
type Life uint8

const (
	// Unknown means that the ship was not created. If a client of the game gets an update or an EnterSet of such a
	// ship, it sends a RequestObject.
	Unknown Life = iota
	// Alive means that the ship was created.
	Alive
	// Dying means that the ship explodes. Updates still change its state. No message marks the
	// end of the explosion, which takes the Lifetime of the [Ship].
	Dying
	// Destroyed means that the ship was removed by a DestroyObject, a restart, or the next ship
	// of its player. Only another creation makes a ship Alive again.
	Destroyed
)

// String returns "alive", or the number of an unknown stage.
func (l Life) String() string {
	names := [...]string{"unknown", "alive", "dying", "destroyed"}
	if int(l) < len(names) {
		return names[l]
	}
	return "Life(" + strconv.Itoa(int(l)) + ")"
}

// Change describes what a message has changed in a [Tracker].
type Change struct {
	ObjectID objectid.ID
	Ship     *Ship // nil if no tracked ship is concerned; Destroyed after a DestroyObject

	// Removed are the ships that the tracker has removed, with their last states. They are Destroyed,
	// except a ship that was removed because of a limit.
	Removed []*Ship

	// Created and Died report that the message has created the ship or made it Dying.
	Created, Died bool

	// Motion has the flags of changed values: StatePosition, StateForward, StateUp, StateSpeed
	// and StateCloak.
	Motion opcode.StateFlags
	// Subsystems are the indices of changed subsystems.
	Subsystems IndexSet
}

// IndexSet is a set of indices of subsystems: index i is bit i%64 of element i/64.
type IndexSet [2]uint64

// Has reports whether i is in the set.
func (s IndexSet) Has(i int) bool { return i >= 0 && i < maxSubsystems && s[i/64]>>(i%64)&1 != 0 }

// Len returns the number of indices in the set.
func (s IndexSet) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s *IndexSet) add(i int) {
	if i < maxSubsystems { // an invalid class can have more subsystems
		s[i/64] |= 1 << (i % 64)
	}
}

func (s *IndexSet) remove(i int) {
	if i < maxSubsystems {
		s[i/64] &^= 1 << (i % 64)
	}
}
