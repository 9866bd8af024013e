package stateupdate

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/objectid"
)

// What is wrong with a class, a payload or a ship. Errors that wrap these begin with the
// package's name.
var (
	// ErrClass says that a [Class] cannot be.
	ErrClass = errors.New("impossible class")
	// ErrNoClass means that the species of a ship has no known class, or a class of grade C
	// that does not fit: the subsystems stay raw.
	ErrNoClass = errors.New("unknown class")
	// ErrStartIndex says that a block starts at a subsystem that the class does not have.
	ErrStartIndex = errors.New("start index beyond the list")
	// ErrOrder says that statuses to encode are not consecutive ones of the class.
	ErrOrder = errors.New("subsystems not in order")
	// ErrPowerIndex says that a power setting is for no subsystem that draws power.
	ErrPowerIndex = errors.New("power setting for no powered subsystem")
	// ErrNotFinite says that a position, an orientation, a velocity or a time is infinite or
	// not a number.
	ErrNotFinite = errors.New("not a finite number")
	// ErrExists says that a ship is created whose object ID is in use. The game ignores
	// the message.
	ErrExists = errors.New("object exists")
	// ErrLimit says that a [Tracker] knows as many ships, or keeps as many bytes for one,
	// as it may.
	ErrLimit = errors.New("limit reached")
)

// Error tells which ship a message was about that could not be applied as a whole.
//
//	stateupdate: ship 0x3fffffff: position: not a finite number
type Error struct {
	ObjectID objectid.ID
	Part     string // what was not applied: "position"
	Err      error  // the reason
}

// Error returns the whole story in a line.
func (e *Error) Error() string {
	return fmt.Sprintf("stateupdate: ship %v: %s: %v", e.ObjectID, e.Part, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
