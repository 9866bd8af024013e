package stateupdate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func apply(t testing.TB, d *stateupdate.Tracker, m opcode.Message) stateupdate.Change {
	t.Helper()
	change, err := d.Apply(m)
	require.NoError(t, err)
	return change
}

func akira(t testing.TB) (*stateupdate.Tracker, *stateupdate.Ship) {
	d := new(stateupdate.Tracker)
	return d, apply(t, d, creation(t, opcode.SpeciesAkira)).Ship
}

const allMotion = opcode.StatePosition | opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak

func TestCreation(t *testing.T) {
	var d stateupdate.Tracker
	change := apply(t, &d, creation(t, opcode.SpeciesAkira))
	require.True(t, change.Created && change.Removed == nil)
	require.Zero(t, change.Subsystems.Len())
	ship := change.Ship
	require.Equal(t, "Cady2 in Multi1", ship.PlayerName+" in "+ship.SetName)
	require.Same(t, stateupdate.Stock().Named("akira"), d.Ship(ship.ID).Class)
	require.Equal(t, stateupdate.Level(127), ship.Subsystems[0].Condition)
	require.Equal(t, stateupdate.Motion{
		Position: [3]float32{88, -66, -73}, Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}, Speed: compress.EncodeFloat16(-5),
	}, ship.Motion)
	require.Nil(t, d.Ship(slotID(1)))
	require.Nil(t, d.Ship(slotID(1)))
}

// Motion that is older or of the same time is stale. Conditions of all updates count; power
// counts if it is newer than the known power.
func TestOlderUpdates(t *testing.T) {
	for name, at := range map[string]float32{"older": 4.5, "of the same time": 5} {
		t.Run(name, func(t *testing.T) {
			d, ship := akira(t)
			first := withBlock(4, "10 20 20 21 40")
			first.GameTime = 5
			first.Flags |= opcode.StatePosition
			require.Equal(t, allMotion&^opcode.StateCloak, apply(t, d, first).Motion)

			old := withBlock(4, "11 22 22 21 3f")
			old.GameTime, old.Forward, old.Speed = at, compress.Vector3{X: 1}, 7
			change := apply(t, d, old)
			require.Zero(t, change.Motion)
			require.Equal(t, float32(5), d.Time(ship.ID))
			require.Equal(t, first.Forward, ship.Forward)
			require.Equal(t, first.Speed, ship.Speed)
			require.True(t, change.Subsystems.Has(4))
			require.Equal(t, stateupdate.Level(0x11), ship.Subsystems[4].Condition)
			require.Equal(t, stateupdate.Levels{0x22, 0x22}, ship.Subsystems[4].Parts)
			require.Equal(t, stateupdate.PowerPercent(0x40), ship.Subsystems[4].Power)

			settings := motion(at, opcode.StatePower)
			settings.Power = []opcode.PowerEntry{{Index: 4, Value: 1}}
			require.Zero(t, apply(t, d, settings).Subsystems.Len())
			settings.GameTime = 5.5
			require.True(t, apply(t, d, settings).Subsystems.Has(4))
			require.Equal(t, stateupdate.PowerSetting(1), ship.Subsystems[4].Power)
			require.Zero(t, apply(t, d, settings).Subsystems.Len(), "the same again")
		})
	}
}

// An older absolute position is not the position of the ship, but the base of newer deltas.
func TestLateAbsolutePosition(t *testing.T) {
	d, ship := akira(t)
	at := func(time float32, flag opcode.StateFlags, x float32) stateupdate.Change {
		return apply(t, d, &opcode.StateUpdate{
			ObjectID: ship.ID, GameTime: time, Flags: flag, Position: [3]float32{x, 0, 0}, Delta: compress.EncodeVector4(x, 0, 0),
		})
	}
	position, delta := opcode.StatePosition, opcode.StateDelta
	x := func(want float32) {
		t.Helper()
		require.InDelta(t, want, ship.Position[0], 0.05) // encoding truncates the length of a delta
	}
	at(1, delta, 10)
	x(98) // the delta starts at the position of the creation
	at(3, delta, 20)
	x(108)
	change := at(2, position, 1000)
	x(1020)
	require.Equal(t, position, change.Motion)
	at(1.5, position, 5000)
	x(1020) // an older base changes nothing
	at(2, position, 6000)
	x(1020)
	at(2.5, delta, 500)
	x(1020) // an older delta changes nothing
	at(4, position, 2000)
	x(2000) // the delta is older than the base
	at(3.5, delta, 1)
	x(2000)
	at(5, position|delta, 30)
	x(60) // the delta starts at the position of the same update
	require.Equal(t, float32(5), d.Time(ship.ID))
}

// The earliest finite time is valid.
func TestEarliestTime(t *testing.T) {
	const first = -math.MaxFloat32
	for _, flags := range []opcode.StateFlags{opcode.StatePosition, opcode.StateDelta} {
		d, _ := akira(t)
		m := motion(first, flags)
		change := apply(t, d, m)
		require.NotZero(t, change.Motion&opcode.StatePosition, flags)
	}
	d, ship := akira(t)
	apply(t, d, &opcode.StateUpdate{
		ObjectID: slotID(0), GameTime: first, Flags: opcode.StatePower, Power: []opcode.PowerEntry{{Index: 5, Value: 102}},
	})
	require.Equal(t, stateupdate.PowerSetting(102), ship.Subsystems[5].Power)
}

func TestDestroy(t *testing.T) {
	d, ship := akira(t)
	change := apply(t, d, &opcode.DestroyObject{ObjectID: ship.ID})
	require.Equal(t, stateupdate.Change{ObjectID: ship.ID, Ship: ship, Removed: []*stateupdate.Ship{ship}}, change)
	require.Nil(t, d.Ship(ship.ID))
	require.Equal(t, stateupdate.Change{ObjectID: ship.ID}, apply(t, d, &opcode.DestroyObject{ObjectID: ship.ID}))
	apply(t, d, of(5, *motion(9, 0)))
	require.NotNil(t, removed(apply(t, d, &opcode.DestroyObject{ObjectID: 5})), "an unknown ship can be destroyed")
	require.NotSame(t, ship, apply(t, d, creation(t, opcode.SpeciesGalaxy)).Ship)
	_, created, unknown := d.Counts()
	require.Equal(t, [2]int{1, 0}, [2]int{created, unknown})
}

func TestTrackerReset(t *testing.T) {
	d, ship := akira(t)
	apply(t, d, &opcode.StateUpdate{ObjectID: 5})
	d.Reset()
	require.Nil(t, d.Ship(ship.ID))
	ships, created, unknown := d.Counts()
	require.Zero(t, ships+created+unknown)
	require.True(t, apply(t, d, creation(t, opcode.SpeciesAkira)).Created)
}

// The end of a game does not change the ships; a restart does.
func TestEndOfGame(t *testing.T) {
	d, ship := akira(t)
	require.Equal(t, stateupdate.Change{}, apply(t, d, &opcode.EndGame{Reason: opcode.EndTimeUp}))
	require.Equal(t, stateupdate.Alive, d.Life(ship.ID))
	require.NotZero(t, apply(t, d, motion(1, 0)).Motion)
	require.Equal(t, stateupdate.Change{Removed: []*stateupdate.Ship{ship}}, apply(t, d, &opcode.RestartGame{}))
	require.Equal(t, stateupdate.Destroyed, d.Life(ship.ID))
	require.Equal(t, stateupdate.Destroyed, ship.Life)
}

// Messages about other objects change nothing.
func TestMessagesAboutOtherObjects(t *testing.T) {
	var d stateupdate.Tracker
	for _, m := range []opcode.Message{&opcode.ChatMessage{}, &opcode.Unknown{Op: 0xD4}} {
		require.Zero(t, apply(t, &d, m))
	}
	torpedo := &opcode.ObjectCreate{Object: opcode.Object{ClassID: opcode.ObjectTorpedo, ObjectID: 7}}
	require.Equal(t, stateupdate.Change{ObjectID: 7}, apply(t, &d, torpedo))
	ships, _, _ := d.Counts()
	require.Zero(t, ships)
	require.Nil(t, d.Ship(objectid.None))
}

// A SubsystemStatus switches a subsystem, and other events do not.
func TestSwitchedSubsystem(t *testing.T) {
	d, ship := akira(t)
	sensor := ship.FirstOf(stateupdate.KindSensor)
	part, ok := ship.Class.PartID(ship.ID, int(sensor.Index), -1)
	require.True(t, ok)
	for _, c := range []struct {
		on      bool
		changes int
	}{{true, 0}, {false, 1}, {false, 0}, {true, 1}} {
		before := *ship
		before.Subsystems = slices.Clone(ship.Subsystems)
		change := apply(t, d, opcode.NewSubsystemStatus(part, c.on))
		require.Equal(t, []any{ship, ship.ID, c.changes}, []any{change.Ship, change.ObjectID, change.Subsystems.Len()})
		require.NoError(t, checkChange(&before, change))
		require.Equal(t, !c.on, sensor.Off)
	}
	other := opcode.NewSubsystemStatus(part, false)
	other.Code++
	require.Nil(t, apply(t, d, other).Ship)
	require.Nil(t, apply(t, d, opcode.NewSubsystemStatus(7, false)).Ship)
	require.False(t, sensor.Off)
}

// After a block that cannot be read, every subsystem is stale until a block has its state.
func TestStaleSubsystems(t *testing.T) {
	d, ship := akira(t)
	require.Zero(t, ship.Stale)
	_, err := d.Apply(withBlock(0, "ff ff ff"))
	require.Error(t, err)
	require.Equal(t, len(ship.Subsystems), ship.Stale.Len())
	stale := map[int]bool{}
	for i := range ship.Subsystems {
		stale[i] = true
	}
	for s, err := range ship.Class.Block(withBlock(4, "10 20 20 21 40")) {
		require.NoError(t, err)
		delete(stale, int(s.Index))
	}
	apply(t, d, withBlock(4, "10 20 20 21 40"))
	require.Less(t, len(stale), len(ship.Subsystems))
	for i := range ship.Subsystems {
		require.Equal(t, stale[i], ship.Stale.Has(i))
	}
}

// If the last power setting is incomplete, the others are applied.
func TestIncompletePowerSetting(t *testing.T) {
	var d stateupdate.Tracker
	_, err := d.Apply(creation(t, opcode.SpeciesAkira))
	require.NoError(t, err)
	m, err := opcode.Decode(testdata.Bytes("1c ffffff3f 0000803f 80 0566 04"))
	require.ErrorIs(t, err, stream.ErrTrailing)
	change, err := d.Apply(m)
	require.NoError(t, err)
	require.Equal(t, 1, change.Subsystems.Len())
	require.Equal(t, "50%", change.Ship.Subsystems[5].Power.String())
}
