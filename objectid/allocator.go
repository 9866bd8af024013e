package objectid

import "errors"

// Errors of an [Allocator].
var (
	// ErrSlot says that the allocator's slot is none of 0 to 15.
	ErrSlot = errors.New("objectid: no such slot")
	// ErrExhausted says that the slot has fewer IDs left than were asked for.
	ErrExhausted = errors.New("objectid: slot has not so many IDs left")
	// ErrNumber says that less than one ID was asked for.
	ErrNumber = errors.New("objectid: number of IDs is not positive")
)

// Allocator allots the IDs of a slot in order. Its zero value is ready and allots those
// of slot 0. It is not safe for concurrent use.
type Allocator struct {
	Slot Slot // set before the first use
	next int  // index of the ID that Next returns
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
// IDs of other slots have no effect. A peer may choose the last ID of the slot, which
// leaves none: whoever observes strangers starts a new Allocator on [ErrExhausted].
func (a *Allocator) Observe(id ID) {
	if slot, index, ok := id.split(); ok && slot == a.Slot {
		a.next = max(a.next, index+1)
	}
}
