package stateupdate_test

import "github.com/bcwire/bcwire/objectid"

// slotID returns the ID of a player's first ship.
func slotID(slot int) objectid.ID {
	id, ok := objectid.Base(slot)
	if !ok {
		panic("no such slot")
	}
	return id
}
