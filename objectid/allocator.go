package objectid

import (
	"errors"
	"fmt"
)

// Errors of an [Allocator].
var (
	// ErrSlot means that the slot is not from 0 to 15.
	ErrSlot = errors.New("objectid: no such slot")
	// ErrExhausted means that the slot has too few IDs left.
	ErrExhausted = errors.New("objectid: slot has too few IDs left")
)

// An Allocator allocates the IDs of a slot in order. The zero value is ready to use, for
// slot 0. An Allocator is not safe for concurrent use.
type Allocator struct {
	Slot Slot // set before the first use
	next int  // index of the next ID
}

// Reserve allocates n consecutive IDs, as for a ship and its parts (stateupdate.Class.Objects) or for one torpedo,
// and returns the first. On error, it allocates none. The error wraps [ErrExhausted] if fewer are
// left, or [ErrSlot] if Slot is not valid. It is another error if n is less than 1.
func (a *Allocator) Reserve(n int) (ID, error) {
	base, ok := Base(a.Slot)
	if !ok {
		return None, fmt.Errorf("%w: %d, must be 0 to %d", ErrSlot, int32(a.Slot), Slots-1)
	}
	switch {
	case n < 1:
		return None, fmt.Errorf("objectid: %d IDs requested, must be at least 1", n)
	case n > PerSlot-a.next:
		return None, fmt.Errorf("%w: slot %d has %d, but %d are needed", ErrExhausted, int32(a.Slot), PerSlot-a.next, n)
	}
	id := base + ID(a.next)
	a.next += n
	return id, nil
}

// Observe records that id is in use, such as for an object that a peer has created. The
// Allocator then skips id and all earlier IDs of its slot. A peer that uses the last ID of
// the slot therefore exhausts the Allocator. If peers are not trusted, continue with a new
// Allocator after [ErrExhausted]; it begins again with the first ID of the slot.
func (a *Allocator) Observe(id ID) {
	if slot, index, ok := id.split(); ok && slot == a.Slot {
		a.next = max(a.next, index+1)
	}
}
