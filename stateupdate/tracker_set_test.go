package stateupdate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// entering returns the message that moves a ship to a set.
func entering(id objectid.ID, set string) *opcode.EnterSet {
	return &opcode.EnterSet{ObjectID: id, Set: stream.Text(set)}
}

// An EnterSet moves a living or dying ship to another set, with or without a NUL after the name.
func TestEnterSet(t *testing.T) {
	var d stateupdate.Tracker
	ship := apply(t, &d, createdAs(t, slotID(0), 0)).Ship
	require.Equal(t, "Multi1", ship.SetName)
	for _, set := range []string{"Multi2\x00", "Multi3", strings.Repeat("x", 255) + "\x00", strings.Repeat("y", 255), ""} {
		require.Equal(t, stateupdate.Change{ObjectID: ship.ID, Ship: ship}, apply(t, &d, entering(ship.ID, set)))
		require.Equal(t, strings.TrimSuffix(set, "\x00"), ship.SetName)
	}
	apply(t, &d, exploding(ship.ID))
	apply(t, &d, entering(ship.ID, "Multi4\x00"))
	require.Equal(t, "Multi4", ship.SetName)
}

// A receiver that lacks the ship of an EnterSet requests the ship. Its creation has the set.
func TestEnterSetOfUnknownShip(t *testing.T) {
	var d stateupdate.Tracker
	id := slotID(0)
	require.Equal(t, stateupdate.Change{ObjectID: id}, apply(t, &d, entering(id, "Multi2\x00")))
	require.Nil(t, d.Ship(id), "the message alone creates no ship")
	apply(t, &d, motion(1, 0))
	change := apply(t, &d, entering(id, "Multi2\x00"))
	require.Equal(t, stateupdate.Unknown, change.Ship.Life)
	require.Same(t, d.Ship(id), change.Ship)
	change = apply(t, &d, createdAs(t, id, 0))
	require.Equal(t, "Multi1", change.Ship.SetName)
	require.Equal(t, stateupdate.Alive, apply(t, &d, entering(id, "Multi3\x00")).Ship.Life)
}

// A set with a longer name than a creation can have is not kept.
func TestEnterSetOfLongName(t *testing.T) {
	var d stateupdate.Tracker
	ship := apply(t, &d, createdAs(t, slotID(0), 0)).Ship
	for _, end := range []string{"", "\x00"} {
		change, err := d.Apply(entering(ship.ID, strings.Repeat("x", 256)+end))
		require.ErrorIs(t, err, stream.ErrLimit)
		require.EqualError(t, err, "stateupdate: ship 0x3fffffff: set: limit reached: 256 bytes, at most 255")
		require.Same(t, ship, change.Ship)
		require.Equal(t, "Multi1", ship.SetName)
	}
}
