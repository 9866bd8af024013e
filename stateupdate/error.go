package stateupdate

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/objectid"
)

// Errors of classes, payloads and ships. Errors that wrap these begin with the package's name.
var (
	// ErrClass means that a [Class] is not valid.
	ErrClass = errors.New("impossible class")
	// ErrNoClass means that the species of a ship has no known class, or a class of grade C
	// that does not fit: the subsystems stay raw.
	ErrNoClass = errors.New("unknown class")
	// ErrStartIndex means that a block starts at a subsystem that the class does not have.
	ErrStartIndex = errors.New("start index beyond the list")
	// ErrOrder means that statuses to encode are not consecutive ones of the class.
	ErrOrder = errors.New("subsystems not in order")
	// ErrPowerIndex means that a power setting has not the index of a powered subsystem.
	ErrPowerIndex = errors.New("power setting for no powered subsystem")
	// ErrNoShip means that there is no ship: a nil Ship was given.
	ErrNoShip = errors.New("no ship")
	// ErrNotFinite means that a position, an orientation, a velocity or a time is not finite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrExists means that a ship is created whose object ID is in use. The game ignores
	// the message.
	ErrExists = errors.New("object exists")
	// ErrLimit means that the bytes for a ship exceed a limit of the [Tracker].
	ErrLimit = errors.New("limit reached")
)

// Error is the reason why a [Tracker] has not applied a part of a message about a ship.
//
//	stateupdate: ship 0x3fffffff: position: not a finite number
type Error struct {
	ObjectID objectid.ID
	Part     string // what was not applied: "position"
	Err      error  // the reason
}

// Error returns the ship, the part and the reason.
func (e *Error) Error() string {
	return fmt.Sprintf("stateupdate: ship %v: %s: %v", e.ObjectID, e.Part, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
