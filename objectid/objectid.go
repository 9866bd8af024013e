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

// Base returns the first ID of a slot and reports whether the slot exists. The first ship
// of the player has this ID.
func Base(slot Slot) (ID, bool) {
	if !slot.Valid() {
		return None, false
	}
	return first + ID(slot)*PerSlot, true
}

// Slot returns the player slot that id lies in, and reports whether id lies in one. If not,
// the slot is NoSlot.
func (id ID) Slot() (Slot, bool) {
	slot, _, ok := id.split()
	return slot, ok
}

// Index returns the place of id in its slot, 0 for the first, and reports whether id lies in
// a slot.
func (id ID) Index() (int, bool) {
	_, index, ok := id.split()
	return index, ok
}

func (id ID) split() (slot Slot, index int, ok bool) {
	if id < first {
		return NoSlot, 0, false
	}
	offset := int(id - first) // id ≥ first: cannot overflow
	if offset >= Slots*PerSlot {
		return NoSlot, 0, false
	}
	return Slot(offset / PerSlot), offset % PerSlot, true
}

// String returns the ID as "0x3fffffff".
func (id ID) String() string {
	return fmt.Sprintf("0x%08x", uint32(id))
}
