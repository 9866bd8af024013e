package objectid

import "fmt"

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
