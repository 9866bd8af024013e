package stateupdate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/objectid"
)

// Errors of classes, payloads and ships.
var (
	// ErrClass means that a [Class] is invalid.
	ErrClass = errors.New("invalid class")
	// ErrNoClass means that a ship has no class: no class has its species, or its create blob did
	// not fit the class.
	ErrNoClass = errors.New("no matching class")
	// ErrStartIndex means that the class has no subsystem with the start index of a block.
	ErrStartIndex = errors.New("start index out of range")
	// ErrOrder means that the statuses to encode are incomplete or not consecutive.
	ErrOrder = errors.New("subsystems missing or out of order")
	// ErrPowerIndex means that the class has no powered subsystem with the index of a setting.
	ErrPowerIndex = errors.New("power setting of a missing or unpowered subsystem")
	// ErrNoShip means that a *Ship is nil.
	ErrNoShip = errors.New("nil ship")
	// ErrNotFinite means that a received position, orientation, velocity or time is not finite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrExists means that a creation has the object ID of a living ship. The game and the
	// Tracker ignore such a creation.
	ErrExists = errors.New("object ID in use")
	// ErrLimit means that data exceed a limit of a [Tracker] or [Broadcaster].
	ErrLimit = errors.New("limit reached")
)

// Error describes a failure for one ship. A [Tracker] skipped a part of a message, a [Broadcaster]
// skipped an update, or [Ship.Object] failed because the create blob was too long to keep.
//
//	stateupdate: ship 0x3fffffff: position: not a finite number
type Error struct {
	ObjectID objectid.ID
	Part     string // the skipped part: "position"
	Err      error  // the cause
}

// Error returns the ship, the part and the cause.
func (e *Error) Error() string {
	cause := strings.TrimPrefix(fmt.Sprint(e.Err), "stateupdate: ")
	return fmt.Sprintf("stateupdate: ship %v: %s: %s", e.ObjectID, e.Part, cause)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
