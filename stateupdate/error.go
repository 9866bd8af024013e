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
	// ErrIndex means that the class has no subsystem with the start index of a block, or no powered
	// subsystem with the index of a power setting.
	ErrIndex = errors.New("index out of range")
	// ErrOrder means that the statuses to encode are incomplete or not consecutive.
	ErrOrder = errors.New("subsystems missing or out of order")
	// ErrNotFinite means that a received position, orientation, velocity or time is not finite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrExists means that a creation has the object ID of a living ship. The game and the
	// Tracker ignore such a creation.
	ErrExists = errors.New("object ID in use")
)

var errNoShip = errors.New("stateupdate: nil ship")

// shipError is a failure for one ship. Its text is built only if it is needed, because a peer can
// cause many failures.
type shipError struct {
	id   objectid.ID
	part string // the skipped part: "position"
	err  error
}

func (e *shipError) Error() string {
	return fmt.Sprintf("stateupdate: ship %v: %s: %s", e.id, e.part, strings.TrimPrefix(e.err.Error(), "stateupdate: "))
}

func (e *shipError) Unwrap() error { return e.err }
