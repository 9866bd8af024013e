package stateupdate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// A ship that is written down without NewShip has no subsystems, whatever its class.
func TestShipWithoutSubsystems(t *testing.T) {
	akira := stateupdate.Named("akira")
	s := &stateupdate.Ship{Class: akira}
	for i := range akira.Subsystems {
		require.Nil(t, s.Subsystem(akira.Subsystems[i].Name))
	}
	require.Nil(t, s.Subsystem("hull"))
	require.Equal(t, s, s.Clone())
	_, _ = s.Object()
	_, _ = s.Creation()
	for _, role := range []stateupdate.Role{0, 1, 2, 255} {
		for range 10 {
			_, _ = (&stateupdate.Encoder{Role: role}).Append(nil, 1, s)
		}
	}
	s.Subsystems = stateupdate.NewShip(objectid.ID(1), akira).Subsystems[:1]
	require.Same(t, &s.Subsystems[0], s.Subsystem(akira.Subsystems[0].Name))
	require.Nil(t, s.Subsystem(akira.Subsystems[1].Name))
}

// A part that is not there has no points.
func TestPartsOutOfRange(t *testing.T) {
	ship := stateupdate.NewShip(objectid.ID(1), stateupdate.Named("akira"))
	for i := range ship.Subsystems {
		s := &ship.Subsystems[i]
		n := len(s.Parts)
		for part := range n {
			require.Positive(t, s.PartPoints(part))
			require.Equal(t, stateupdate.Full, s.Parts.At(part))
		}
		for _, part := range []int{-1, n, n + 1, 6, 255, 1 << 30} {
			if part < 0 || part >= n {
				require.Zero(t, s.PartPoints(part))
				require.Zero(t, s.Parts.At(part))
			}
		}
		long := *s
		long.Parts = make(stateupdate.Levels, 300)
		for part := range long.Parts {
			long.Parts[part] = 255
		}
		require.Zero(t, long.PartPoints(max(n, 6)), "more levels than parts")
		long.Parts = nil
		require.Zero(t, long.PartPoints(0), "more parts than levels")
	}
	require.Zero(t, (&stateupdate.Status{}).PartPoints(0))
}
