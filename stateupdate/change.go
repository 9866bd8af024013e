package stateupdate

import (
	"iter"
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
	// Unknown means that the ship was not created. There may be updates of it.
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
	Ship     *Ship // with the last state if Destroyed; nil if Late or if no tracked ship is concerned

	// Evicted is the ship that the tracker has removed because of a limit, or nil.
	Evicted *Ship
	// Replaced is the ship that the created ship has replaced, or nil: the old ship of the
	// player, or a dying ship with the same ID.
	Replaced *Ship

	// Created, Died and Destroyed report that the message has created the ship, made it Dying
	// or removed it. All are false for a RestartGame, which removes all ships.
	Created, Died, Destroyed bool
	// Unknown reports that the ship of an update or an EnterSet has the [Life] Unknown. The game
	// requests such a ship with a RequestObject.
	Unknown bool
	// Late reports that the message is about a destroyed ship and has changed nothing. It is an
	// update, an explosion or an EnterSet.
	Late bool

	// Stale reports that the motion in an update is not newer than the known motion. Only an
	// absolute position was kept, for deltas in newer updates.
	Stale bool

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

// All iterates over the indices in order.
func (s IndexSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range maxSubsystems {
			if s.Has(i) && !yield(i) {
				return
			}
		}
	}
}

func (s *IndexSet) add(i int) {
	if i < maxSubsystems { // an invalid class can have more subsystems
		s[i/64] |= 1 << (i % 64)
	}
}
