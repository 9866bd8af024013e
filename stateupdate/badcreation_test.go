package stateupdate_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// creation returns what creates a ship that flies backwards, with half of its hull.
func creation(t testing.TB, species opcode.Species) *opcode.ObjectCreateTeam {
	ship := stateupdate.NewShip(slotID(0), stateupdate.Stock(species))
	ship.Species = species
	ship.PlayerName, ship.SetName, ship.Position = "Cady2", "Multi1", [3]float32{88, -66, -73}
	ship.Speed = compress.EncodeFloat16(-5)
	if ship.Class != nil {
		ship.Subsystems[0].Condition = 127
	} else {
		ship.Blob = unhex("ff ff 64 60")
	}
	object, err := ship.Object()
	require.NoError(t, err)
	return &opcode.ObjectCreateTeam{NetPlayerID: 2, Object: object}
}

// Of a creation that cannot be applied as a whole the rest is.
func TestBadCreations(t *testing.T) {
	const raw = 1
	good := creation(t, opcode.SpeciesAkira).Object
	goodMotion := stateupdate.Motion{
		Position: good.Position, Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}, Speed: compress.EncodeFloat16(-5),
	}
	nowhere, lost := goodMotion, goodMotion
	nowhere.Position = [3]float32{}
	lost.Speed = 0
	for name, v := range map[string]struct {
		change func(*opcode.Object)
		err    error
		text   string
		motion stateupdate.Motion
		hull   stateupdate.Level // raw: the blob does not fit the class and stays raw
	}{
		"position not a number": {func(o *opcode.Object) { o.Position[1] = nan }, stateupdate.ErrNotFinite, "position: not a finite number", nowhere, 127},
		"position infinite":     {func(o *opcode.Object) { o.Position[2] = inf }, stateupdate.ErrNotFinite, "position: not a finite number", nowhere, 127},
		"orientation not a number": {
			func(o *opcode.Object) { o.Orientation[3] = nan }, stateupdate.ErrNotFinite,
			"orientation and velocity: not a finite number", lost, 127,
		},
		"velocity infinite": {
			func(o *opcode.Object) { o.VelocityMagnitude = inf }, stateupdate.ErrNotFinite,
			"orientation and velocity: not a finite number", lost, 127,
		},
		"no blob": {
			func(o *opcode.Object) { o.SubsystemsRaw = nil }, io.ErrUnexpectedEOF,
			"create blob: stateupdate: decode Blob.Hull.Condition at offset 0: unexpected EOF", goodMotion, raw,
		},
		"blob cut": {
			func(o *opcode.Object) { o.SubsystemsRaw = o.SubsystemsRaw[:8] }, io.ErrUnexpectedEOF,
			"create blob: stateupdate: decode Blob.Shield Generator.Facings at offset 3: unexpected EOF", goodMotion, raw,
		},
		"blob too long": {
			func(o *opcode.Object) { o.SubsystemsRaw = append(o.SubsystemsRaw, 0) }, stream.ErrTrailing,
			"create blob: stateupdate: decode Blob at offset 51: bytes after the last field", goodMotion, raw,
		},
		"blob of another class": {
			func(o *opcode.Object) { o.Species = opcode.SpeciesGalaxy }, stream.ErrBadBitGroup,
			"create blob: stateupdate: decode Blob.Torpedoes.Flag at offset 22: bad bit group", goodMotion, raw,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := creation(t, opcode.SpeciesAkira)
			v.change(&m.Object)
			var d stateupdate.Tracker
			change, err := d.Apply(m)
			require.ErrorIs(t, err, v.err)
			require.EqualError(t, err, "stateupdate: ship 0x3fffffff: "+v.text)
			require.True(t, change.Created)
			require.Equal(t, v.motion, change.Ship.Motion)
			if v.hull == raw {
				require.Nil(t, change.Ship.Class)
				require.Empty(t, change.Ship.Subsystems)
				require.Equal(t, m.SubsystemsRaw, change.Ship.Blob)
				again, err := change.Ship.Object()
				require.NoError(t, err)
				require.Equal(t, m.SubsystemsRaw, again.SubsystemsRaw)
			} else {
				require.Equal(t, v.hull, change.Ship.Subsystems[0].Condition)
			}
			require.Equal(t, [2]string{"Cady2", "Multi1"}, [2]string{change.Ship.PlayerName, change.Ship.SetName})
		})
	}
}

// A class of grade C may be wrong. A ship whose create blob does not fit it is one of an
// unknown class, with all of its bytes; its blocks stay raw, too.
func TestGradeCStaysRaw(t *testing.T) {
	sovereign := blobOf(t, stateupdate.Named("sovereign"), false)
	require.Len(t, sovereign, 53)
	for _, species := range []opcode.Species{opcode.SpeciesBiranuStation, opcode.SpeciesEnterprise, opcode.SpeciesGeronimo} {
		require.Equal(t, stateupdate.GradeC, stateupdate.Stock(species).Grade)
		own := blobOf(t, stateupdate.Stock(species), false)
		for name, blob := range map[string][]byte{
			"of the parent": sovereign, "longer": append(own, own...), "shorter": own[:len(own)-1], "empty": {},
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
