package stateupdate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// A ship without a known class is tracked, and its blob is stored unchanged.
func TestClasslessShips(t *testing.T) {
	for _, species := range []opcode.Species{0, opcode.SpeciesBorgCube, 46, 255} {
		var d stateupdate.Tracker
		m := creation(t, species)
		change, err := d.Apply(m)
		require.ErrorIs(t, err, stateupdate.ErrNoClass)
		require.EqualError(t, err, fmt.Sprintf("stateupdate: ship 0x3fffffff: create blob: no matching class: species %d is neither in Classes nor a stock class", species))
		ship := change.Ship
		require.True(t, change.Created)
		require.Nil(t, d.Ship(ship.ID).Class)
		require.Nil(t, ship.FirstOf(stateupdate.KindHull))
		require.Equal(t, species, ship.Species)
		object, err := ship.Object()
		require.NoError(t, err)
		require.Equal(t, m.Object, object)
		clear(m.SubsystemsRaw)
		require.NotEqual(t, m.SubsystemsRaw, *ship.Blob(), "not a copy")

		block := withBlock(0, "10")
		change, err = d.Apply(block)
		require.ErrorIs(t, err, stateupdate.ErrNoClass)
		require.EqualError(t, err, fmt.Sprintf("stateupdate: ship 0x3fffffff: subsystems: no matching class: species %d", species))
		require.Equal(t, block.Forward, ship.Forward)
		require.Zero(t, change.Subsystems)

		settings := motion(2, opcode.StatePower)
		apply(t, &d, settings)
		settings.GameTime, settings.Power = 3, []opcode.PowerEntry{{Index: 1, Value: 204}}
		_, err = d.Apply(settings)
		require.ErrorIs(t, err, stateupdate.ErrNoClass)
		require.EqualError(t, err, fmt.Sprintf("stateupdate: ship 0x3fffffff: power: no matching class: species %d", species))
		require.True(t, ship.Cloaked)
	}
}

// When a ship is created, its last MaxBuffered updates are applied in order of arrival.
func TestBufferedUpdates(t *testing.T) {
	var d stateupdate.Tracker
	for i := range 2 * stateupdate.MaxBuffered {
		m := withBlock(0, "01")
		m.GameTime, m.Data[0] = float32(i), byte(i)
		if i == stateupdate.MaxBuffered {
			m.StartIndex = 10
		}
		change := apply(t, &d, m)
		require.Equal(t, stateupdate.Unknown, change.Ship.Life)
		require.Nil(t, change.Ship.Class)
		clear(m.Data)
		settings := of(slotID(1), opcode.StateUpdate{Flags: opcode.StatePower, Power: []opcode.PowerEntry{{Index: 1, Value: byte(i)}}, GameTime: float32(i)})
		apply(t, &d, settings)
		clear(settings.Power)
	}
	for slot := range 2 {
		updates, _ := d.Buffered(slotID(slot))
		require.Equal(t, 16, updates)
	}
	change := apply(t, &d, creation(t, opcode.SpeciesAkira))
	require.Equal(t, stateupdate.Alive, change.Ship.Life)
	require.Equal(t, 2, change.Subsystems.Len())
	require.Equal(t, stateupdate.Level(2*stateupdate.MaxBuffered-1), change.Ship.Subsystems[0].Condition)
	require.Equal(t, stateupdate.Level(stateupdate.MaxBuffered), change.Ship.Subsystems[10].Condition)
	updates, _ := d.Buffered(change.Ship.ID)
	require.Zero(t, updates)

	second := creation(t, opcode.SpeciesAkira)
	second.ObjectID, second.OwnerSlot = slotID(1), 1
	change = apply(t, &d, second)
	require.Equal(t, stateupdate.PowerSetting(2*stateupdate.MaxBuffered-1), change.Ship.Subsystems[1].Power)
}

// A buffered update that cannot be applied gives an error at the creation; the rest is
// applied.
func TestBufferedUpdatesFail(t *testing.T) {
	var d stateupdate.Tracker
	apply(t, &d, withBlock(11, "10"))
	apply(t, &d, withBlock(10, "20"))
	bad := motion(2, opcode.StatePower)
	bad.Power = []opcode.PowerEntry{{Index: 0}, {Index: 1, Value: 102}}
	apply(t, &d, bad)
	change, err := d.Apply(creation(t, opcode.SpeciesAkira))
	require.ErrorContains(t, err, "start index out of range")
	require.ErrorContains(t, err, "is a missing or unpowered subsystem")
	require.ErrorIs(t, err, stateupdate.ErrIndex)
	require.True(t, change.Created)
	require.Equal(t, stateupdate.Level(0x20), change.Ship.Subsystems[10].Condition)
	require.Equal(t, "50%", change.Ship.Subsystems[1].Power.String())
}

// Motion of updates before the creation is newer than motion of the creation. Other fields
// have the values of the creation.
func TestCreationAfterMotion(t *testing.T) {
	for name, v := range map[string]struct {
		flags opcode.StateFlags
		want  func(updated, created stateupdate.Motion) stateupdate.Motion
	}{
		"all":     {allMotion, func(updated, _ stateupdate.Motion) stateupdate.Motion { return updated }},
		"nothing": {0, func(_, created stateupdate.Motion) stateupdate.Motion { return created }},
		"delta": {opcode.StateDelta, func(_, created stateupdate.Motion) stateupdate.Motion {
			created.Position[0] += compress.EncodeFloat16(10).Float32()
			return created
		}},
		"nose": {opcode.StateForward, func(updated, created stateupdate.Motion) stateupdate.Motion {
			created.Forward = updated.Forward
			return created
		}},
		"roof and speed": {opcode.StateUp | opcode.StateSpeed, func(updated, created stateupdate.Motion) stateupdate.Motion {
			created.Up, created.Speed = updated.Up, updated.Speed
			return created
		}},
		"cloak": {opcode.StateCloak, func(updated, created stateupdate.Motion) stateupdate.Motion {
			created.Cloaked = updated.Cloaked
			return created
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var d stateupdate.Tracker
			m := motion(1, 0)
			m.Flags, m.Cloak = v.flags, false
			require.Equal(t, stateupdate.Unknown, apply(t, &d, m).Ship.Life)

			ship := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("warbird"))
			ship.Position, ship.Speed = [3]float32{88, -66, -73}, compress.EncodeFloat16(5)
			ship.Cloaked = true
			object, err := ship.Object()
			require.NoError(t, err)
			got := apply(t, &d, &opcode.ObjectCreateTeam{Object: object}).Ship
			created := ship.Motion
			updated := stateupdate.Motion{Position: m.Position, Forward: m.Forward, Up: m.Up, Speed: m.Speed}
			require.Equal(t, v.want(updated, created), got.Motion)
		})
	}
}

// A creation has the direction of the velocity, which is ahead or astern, whatever the heading.
func TestSpeedOfCreation(t *testing.T) {
	for axis := range 3 {
		for _, speed := range []float32{5, -5, 0} {
			ship := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("warbird"))
			heading := [3]float32{}
			heading[axis] = 1
			ship.SetHeading(heading[0], heading[1], heading[2])
			ship.Speed = compress.EncodeFloat16(speed)
			object, err := ship.Object()
			require.NoError(t, err)
			require.Equal(t, speed == 0, object.VelocityDir == compress.Vector3{})
			require.Equal(t, ship.Motion, apply(t, new(stateupdate.Tracker), &opcode.ObjectCreateTeam{Object: object}).Ship.Motion)
		}
	}
}

// A class of grade C may be wrong. A ship whose create blob does not fit such a class has no
// class, and its blob and blocks stay raw.
func TestGradeCStaysRaw(t *testing.T) {
	sovereign := blobOf(t, stateupdate.Stock().Named("sovereign"), false)
	require.Len(t, sovereign, 53)
	for _, species := range []opcode.Species{opcode.SpeciesBiranuStation, opcode.SpeciesEnterprise, opcode.SpeciesGeronimo} {
		require.Equal(t, opcode.Inferred, stateupdate.Stock().Species(species).Evidence)
		own := blobOf(t, stateupdate.Stock().Species(species), false)
		for name, blob := range map[string][]byte{
			"list of the parent": sovereign, "longer": append(own, own...), "shorter": own[:len(own)-1], "empty": {},
		} {
			m := creation(t, species)
			m.SubsystemsRaw = blob
			var d stateupdate.Tracker
			change, err := d.Apply(m)
			require.ErrorIs(t, err, stateupdate.ErrNoClass, name)
			require.True(t, change.Created)
			require.Nil(t, change.Ship.Class)
			again, err := change.Ship.Creation()
			require.NoError(t, err)
			require.Equal(t, blob, again.(*opcode.ObjectCreateTeam).SubsystemsRaw, name)

			update := withBlock(0, "ff ff")
			change, err = d.Apply(update)
			require.ErrorIs(t, err, stateupdate.ErrNoClass)
			require.Equal(t, update.Forward, change.Ship.Forward)
			_, _, ok := d.Part(m.ObjectID + 1)
			require.False(t, ok)
		}
		m := creation(t, species)
		var d stateupdate.Tracker
		require.NotNil(t, apply(t, &d, m).Ship.Class)
	}
}
