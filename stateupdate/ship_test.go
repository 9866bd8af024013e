package stateupdate_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// A tracker that applies the creation of a ship has the state of the ship, cloaked or not,
// with or without a player.
func TestCreationCarriesState(t *testing.T) {
	for _, player := range []objectid.PeerID{0, objectid.NoPeer, 3} {
		for _, cloaked := range []bool{false, true} {
			ship := stateupdate.NewShip(slotID(1), stateupdate.Stock().Named("birdofprey"))
			ship.PlayerName, ship.SetName, ship.PeerID = "Ann", "Multi1", player
			ship.Position, ship.Speed, ship.Cloaked = [3]float32{1, 2, 3}, compress.EncodeFloat16(-4), cloaked
			ship.FirstOf(stateupdate.KindHull).Condition = 100
			m, err := ship.Creation()
			require.NoError(t, err)
			require.Equal(t, player != 3, m.Opcode() == opcode.OpObjectCreate)
			var d stateupdate.Tracker
			got := apply(t, &d, m).Ship
			require.Equal(t, ship.Motion, got.Motion)
			require.Equal(t, [3]any{"Ann", "Multi1", max(player, 0)}, [3]any{got.PlayerName, got.SetName, got.PeerID})
			require.EqualValues(t, 1, got.OwnerSlot)
			require.Equal(t, stateupdate.Level(100), got.FirstOf(stateupdate.KindHull).Condition)
			require.Equal(t, !cloaked, got.FirstOf(stateupdate.KindCloak).Off)
		}
	}
	ship := stateupdate.NewShip(slotID(1), nil)
	ship.PlayerName = "Ω"
	_, err := ship.Creation()
	require.Error(t, err)
}

// The power in a block can exceed the maximum in a create blob.
func TestCreationLimitsPower(t *testing.T) {
	ship := stateupdate.NewShip(slotID(0), stateupdate.Stock().Named("akira"))
	ship.Subsystems[1].Power = stateupdate.PowerPercent(255)
	object, err := ship.Object()
	require.NoError(t, err)
	var d stateupdate.Tracker
	change, err := d.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	require.Equal(t, stateupdate.PowerPercent(125), change.Ship.Subsystems[1].Power)
	require.Equal(t, stateupdate.PowerPercent(255), ship.Subsystems[1].Power, "not changed")
}

// A ship whose create blob was dropped cannot be created for another peer. The same is true
// for its clone.
func TestCreationWithoutBlob(t *testing.T) {
	var d stateupdate.Tracker
	object := opcode.Object{ClassID: opcode.ObjectShip, Species: 46, SubsystemsRaw: make([]byte, stateupdate.MaxBlob+1)}
	change, err := d.Apply(&opcode.ObjectCreate{Object: object})
	require.ErrorIs(t, err, stream.ErrLimit)
	for _, ship := range []*stateupdate.Ship{change.Ship, change.Ship.Clone(), d.Clone().Ship(change.Ship.ID)} {
		_, err = ship.Object()
		require.ErrorIs(t, err, stream.ErrLimit)
		require.ErrorContains(t, err, "the received blob had more than 1024 bytes and was dropped")
	}
}

// The owner sends motion with times of its clock. The host sends subsystems with times of its
// own clock, which may be ahead. Updates of one do not make updates of the other stale.
func TestBothDirections(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	ship := newShip(slotID(0), class)
	object, err := ship.Object()
	require.NoError(t, err)
	var d stateupdate.Tracker
	_, err = d.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	owner, host := stateupdate.Encoder{}, toOwner.encoder()
	for i := range 100 {
		now := float32(i) / 10
		ship.Position[0] += 0.5
		sendTo(t, &d, &owner, now, ship)
		require.Equal(t, now, d.Time(ship.ID))
		sendTo(t, &d, &host, now+5, ship)
		require.InDelta(t, ship.Position[0], d.Ship(ship.ID).Position[0], 0.05)
	}
	require.Equal(t, float32(9.9), d.Time(ship.ID))
}

func sendTo(t *testing.T, d *stateupdate.Tracker, e *stateupdate.Encoder, now float32, ship *stateupdate.Ship) stateupdate.Change {
	b, err := e.Append(nil, seconds(now), ship)
	require.NoError(t, err)
	var m opcode.StateUpdate
	require.NoError(t, opcode.Unmarshal(b, &m))
	return apply(t, d, &m)
}

// After a restart there are no ships, and their IDs can be used again.
func TestRestart(t *testing.T) {
	var d stateupdate.Tracker
	apply(t, &d, creation(t, opcode.SpeciesAkira))
	apply(t, &d, &opcode.RestartGame{})
	require.True(t, apply(t, &d, creation(t, opcode.SpeciesBirdOfPrey)).Created)
}

// Fifty thousand wrong power settings in a message give one error.
func TestManyWrongSettingsGiveOneError(t *testing.T) {
	var d stateupdate.Tracker
	m := creation(t, opcode.SpeciesAkira)
	apply(t, &d, m)
	update := &opcode.StateUpdate{ObjectID: m.ObjectID, Flags: opcode.StatePower, Power: make([]opcode.PowerEntry, 50_000)}
	for i := range update.Power {
		update.Power[i].Index = 255
	}
	require.LessOrEqual(t, testing.AllocsPerRun(1, func() { _, _ = d.Apply(update) }), 10.0)
}

// An invalid class gives errors, and no panics.
func TestInvalidClasses(t *testing.T) {
	all := stateupdate.Catalogue{nil, {Species: 46}}
	require.NotNil(t, all.Species(46))
	require.Nil(t, all.Named("nothing"))
	large := &stateupdate.Class{Species: 47, Subsystems: make([]stateupdate.Subsystem, 200)}
	d := stateupdate.Tracker{Classes: stateupdate.Catalogue{large}}
	ship := stateupdate.NewShip(slotID(0), large)
	object, err := ship.Object()
	require.NoError(t, err)
	_, err = d.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	data := make([]byte, 200)
	change, err := d.Apply(&opcode.StateUpdate{ObjectID: ship.ID, Flags: opcode.StateSubsystems, Data: data})
	require.NoError(t, err)
	require.Equal(t, stateupdate.MaxSubsystems, change.Subsystems.Len())
	require.ErrorIs(t, large.Validate(), stateupdate.ErrClass)
	for _, role := range roles {
		e := role.encoder()
		for range 100 { // until the start index exceeds a signed byte
			dst, err := e.Append([]byte("dst"), seconds(1), ship)
			require.EqualError(t, err, "stateupdate: invalid class: 200 subsystems, at most 128")
			require.ErrorIs(t, err, stateupdate.ErrClass)
			require.Equal(t, "dst", string(dst))
		}
	}
	for _, names := range [][2]string{{"A", "a"}, {"A", ""}} {
		twice := &stateupdate.Class{Name: "X", Subsystems: []stateupdate.Subsystem{{Name: names[0]}, {Name: names[1]}}}
		require.ErrorIs(t, twice.Validate(), stateupdate.ErrClass)
		require.ErrorContains(t, twice.Validate(), `stateupdate: "X": invalid class: subsystem 1`)
	}
}

// A class with 128 subsystems, of which one has 255 children, is valid and can be encoded.
func TestLargestClass(t *testing.T) {
	class := &stateupdate.Class{Name: "X", Subsystems: make([]stateupdate.Subsystem, 128)}
	for i := range class.Subsystems {
		class.Subsystems[i].Name = strconv.Itoa(i)
	}
	class.Subsystems[127].Children = make([]stateupdate.Child, 255)
	require.NoError(t, class.Validate())
	d, ship := trackerOf(t, 1, class), stateupdate.NewShip(1, class)
	ship.Subsystems[127].Condition = 7
	payload, err := class.AppendUpdate(nil, &opcode.StateUpdate{ObjectID: 1}, ship.Subsystems[127:])
	require.NoError(t, err)
	m, err := opcode.Decode(payload)
	require.NoError(t, err)
	changed := apply(t, d, m).Subsystems
	require.Equal(t, stateupdate.IndexSet{0, 1 << 63}, changed)
	require.True(t, changed.Has(127))
	require.False(t, changed.Has(63))
	e := toOther.encoder()
	for range 128 {
		_, err := e.Append(nil, seconds(1), ship)
		require.NoError(t, err)
	}
	for _, change := range []func(){
		func() { class.Subsystems[127].Children = make([]stateupdate.Child, 256) },
		func() { class.Subsystems = append(class.Subsystems[:127], make([]stateupdate.Subsystem, 2)...) },
	} {
		change()
		require.ErrorIs(t, class.Validate(), stateupdate.ErrClass)
	}
}

// A ship that was not made by NewShip has no subsystems, even if it has a class.
func TestShipWithoutSubsystems(t *testing.T) {
	akira := stateupdate.Stock().Named("akira")
	s := &stateupdate.Ship{Class: akira}
	for i := range akira.Subsystems {
		require.Nil(t, s.FirstOf(akira.Subsystems[i].Kind))
	}
	require.Equal(t, s, s.Clone())
	_, _ = s.Object()
	_, _ = s.Creation()
	for _, peer := range []objectid.PeerID{-1, 0, 1, 2, 255} {
		for range 10 {
			_, _ = (&stateupdate.Encoder{Receiver: peer}).Append(nil, 1, s)
		}
	}
	s.Subsystems = stateupdate.NewShip(objectid.ID(1), akira).Subsystems[:1]
	require.Same(t, &s.Subsystems[0], s.FirstOf(akira.Subsystems[0].Kind))
	require.Nil(t, s.FirstOf(akira.Subsystems[1].Kind))
}
