package objectid

import "fmt"

// ID is the ID of an object, a signed little-endian int32 on the wire.
type ID int32

const (
	None ID = 0  // no object
	All  ID = -1 // all objects, or the game itself; occurs only as the Dest of an event
)

const (
	// Slots is the number of player slots.
	Slots = 16
	// PerSlot is the number of IDs in a slot.
	PerSlot = 1 << 18

	first ID = 0x3FFFFFFF
)

// Valid reports whether id names an object: it is neither None nor All.
func (id ID) Valid() bool { return id != None && id != All }

// Base returns the first ID of a slot, the ID of the player's first ship. It reports whether
// the slot exists.
func Base(slot Slot) (ID, bool) {
	if !slot.Valid() {
		return None, false
	}
	return first + ID(slot)*PerSlot, true
}

// Slot returns the slot that contains id, or NoSlot. It reports whether there is one.
func (id ID) Slot() (Slot, bool) {
	if id < first {
		return NoSlot, false
	}
	offset := int(id - first) // id ≥ first: cannot overflow
	if offset >= Slots*PerSlot {
		return NoSlot, false
	}
	return Slot(offset / PerSlot), true
}

// String returns the ID in the form "0x3fffffff".
func (id ID) String() string {
	return fmt.Sprintf("0x%08x", uint32(id))
}
