// Package objectid divides and allots the object IDs of Bridge Commander multiplayer.
//
// # Slots
//
// Every object of a game, ship, subsystem or torpedo, has an ID of four bytes. Those of
// players lie in 16 slots of 262,144 IDs; each peer counts upward in its own slot, so
// that no two allot the same:
//
//	slot  first       last
//	0     0x3FFFFFFF  0x4003FFFE
//	1     0x4003FFFF  0x4007FFFE
//	...
//	15    0x403BFFFF  0x403FFFFE
//
// The first ID of a slot is 0x3FFFFFFF + slot*0x40000. Because the slots begin one below
// a round number, masking bits out of an ID finds the wrong slot at every boundary; use
// [ID.Slot]. A slot is the order of players on the host, and not the peer ID of the
// transport: never compute one from the other.
//
// # Other IDs
//
// 0 is no object and -1 all objects. IDs below the first slot or above the last belong
// to no player: they are local objects or those of the host, and legal on the wire.
//
// # Evidence
//
// Observed: a Sovereign at 0x3FFFFFFF and its 33 subsystems put the next ship at
// 0x40000021.
package objectid

import (
	"errors"
	"fmt"
)

// ID is the ID of an object. On the wire it is a signed little-endian int32.
type ID int32

const (
	None ID = 0  // no object
	All  ID = -1 // all objects, or the game itself; valid as a destination only
)

const (
	// Slots is the number of player slots.
	Slots = 16
	// PerSlot is the number of IDs in a slot.
	PerSlot = 1 << 18

	first ID = 0x3FFFFFFF
)

// Base returns the first ID of a slot, and false if there is no such slot. The first ship
// of the player has it.
func Base(slot int) (ID, bool) {
	if slot < 0 || slot >= Slots {
		return None, false
	}
	return first + ID(slot)*PerSlot, true
}

// Slot returns the player slot that id lies in, and false if it is of no player.
func (id ID) Slot() (int, bool) {
	slot, _, ok := id.split()
	return slot, ok
}

// Index returns the place of id in its slot, 0 for the first, and false if it is of no
// player.
func (id ID) Index() (int, bool) {
	_, index, ok := id.split()
	return index, ok
}

func (id ID) split() (slot, index int, ok bool) {
	if id < first {
		return 0, 0, false
	}
	offset := int(id - first) // id ≥ first: cannot overflow
	if offset >= Slots*PerSlot {
		return 0, 0, false
	}
	return offset / PerSlot, offset % PerSlot, true
}

// String returns the ID as "0x3fffffff".
func (id ID) String() string {
	return fmt.Sprintf("0x%08x", uint32(id))
}

// Errors of an [Allocator].
var (
	ErrSlot      = errors.New("objectid: no such slot")
	ErrExhausted = errors.New("objectid: slot has not so many IDs left")
	ErrNumber    = errors.New("objectid: number of IDs is not positive")
)

// Allocator allots the IDs of a slot in order. Its zero value is ready and allots those
// of slot 0. It is not safe for concurrent use.
type Allocator struct {
	Slot int
	next int // index of the ID that Next returns
}

// Next returns the next ID of the slot. It returns [ErrExhausted] after 262,144 of them.
func (a *Allocator) Next() (ID, error) {
	return a.Reserve(1)
}

// Reserve takes n consecutive IDs, as for a ship and its subsystems, and returns the
// first. It takes all or none: [ErrExhausted] says that fewer are left, and [ErrNumber]
// that n is less than one.
func (a *Allocator) Reserve(n int) (ID, error) {
	base, ok := Base(a.Slot)
	if !ok {
		return None, ErrSlot
	}
	switch {
	case n < 1:
		return None, ErrNumber
	case n > PerSlot-a.next:
		return None, ErrExhausted
	}
	id := base + ID(a.next)
	a.next += n
	return id, nil
}

// Observe tells the allocator that id is in use, as when a peer creates an object with
// an ID of its own choice: an ID of the slot and all before it are not allotted again.
// IDs of other slots have no effect.
func (a *Allocator) Observe(id ID) {
	if slot, index, ok := id.split(); ok && slot == a.Slot {
		a.next = max(a.next, index+1)
	}
}
