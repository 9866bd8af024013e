package stateupdate_test

import (
	"errors"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func of(id objectid.ID, m opcode.StateUpdate) *opcode.StateUpdate {
	m.ObjectID = id
	return &m
}

// Data of exactly the maximum size is accepted; one more byte is an error.
func TestByteLimits(t *testing.T) {
	large := func(n int) []byte { return make([]byte, n) }
	for name, v := range map[string]struct {
		message func(more int) opcode.Message
		text    string
	}{
		"block": {func(more int) opcode.Message {
			return &opcode.StateUpdate{ObjectID: 1, Flags: opcode.StateSubsystems, Data: large(stateupdate.MaxBlock + more)}
		}, "subsystems: limit reached: 257 bytes, at most 256"},
		"power settings": {func(more int) opcode.Message {
			return &opcode.StateUpdate{ObjectID: 1, Flags: opcode.StatePower, Power: make([]opcode.PowerEntry, stateupdate.MaxBlock/2+more)}
		}, "power: limit reached: 129 settings, at most 128"},
		"blob without a class": {func(more int) opcode.Message {
			return &opcode.ObjectCreate{Object: opcode.Object{
				ClassID: opcode.ObjectShip, ObjectID: 1, SubsystemsRaw: large(stateupdate.MaxBlob + more),
			}}
		}, "create blob: limit reached: 1025 bytes, at most 1024"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := new(stateupdate.Tracker).Apply(v.message(0))
			require.NotErrorIs(t, err, stream.ErrLimit)
			var d stateupdate.Tracker
			change, err := d.Apply(v.message(1))
			require.ErrorIs(t, err, stream.ErrLimit)
			require.EqualError(t, err, "stateupdate: ship 0x00000001: "+v.text)
			require.Empty(t, *change.Ship.Blob())
			updates, _ := d.Buffered(change.Ship.ID)
			require.Zero(t, updates)
		})
	}
}

func TestMaxUnknown(t *testing.T) {
	d := stateupdate.Tracker{MaxUnknown: 3}
	known := func() (ids []objectid.ID) {
		for id := range objectid.ID(10) {
			if d.Ship(id) != nil {
				ids = append(ids, id)
			}
		}
		return ids
	}
	for id := range objectid.ID(5) {
		apply(t, &d, of(id, opcode.StateUpdate{}))
	}
	require.Equal(t, []objectid.ID{2, 3, 4}, known(), "the oldest ships are evicted")
	apply(t, &d, &opcode.DestroyObject{ObjectID: 3})
	require.Nil(t, apply(t, &d, of(5, opcode.StateUpdate{})).Removed)
	require.Equal(t, []objectid.ID{2, 4, 5}, known())
	m := creation(t, opcode.SpeciesAkira)
	m.ObjectID = 2
	apply(t, &d, m)
	apply(t, &d, of(6, opcode.StateUpdate{}))
	require.EqualValues(t, 4, apply(t, &d, of(7, opcode.StateUpdate{})).Removed[0].ID)
	require.Equal(t, []objectid.ID{2, 5, 6, 7}, known(), "a created ship is not evicted")
}

// If there are too many created ships, the ship with the oldest last message is evicted.
func TestMaxShips(t *testing.T) {
	d := stateupdate.Tracker{MaxShips: 2}
	spawn := func(id objectid.ID) (evicted *stateupdate.Ship) {
		m := creation(t, opcode.SpeciesAkira)
		m.ObjectID = id
		change := apply(t, &d, &opcode.ObjectCreate{Object: m.Object})
		require.True(t, change.Created)
		_, created, _ := d.Counts()
		require.LessOrEqual(t, created, 2)
		return removed(change)
	}
	require.Nil(t, spawn(0))
	require.Nil(t, spawn(1))
	apply(t, &d, of(0, opcode.StateUpdate{}))
	apply(t, &d, of(2, opcode.StateUpdate{})) // not created yet
	require.EqualValues(t, 1, spawn(2).ID)
	require.NotNil(t, d.Ship(0))
	require.Nil(t, d.Ship(1))
	require.NotNil(t, d.Ship(2))
	spawn(3)
	require.Nil(t, d.Ship(0))

	d = stateupdate.Tracker{MaxShips: -1}
	require.Nil(t, spawn(0), "the default")
	require.Nil(t, spawn(1))
}

// All that is about a ship or its parts keeps the ship.
func TestMaxShipsKeepsWhatIsHeardOf(t *testing.T) {
	exploding, err := opcode.NewObjectExploding(slotID(0), objectid.None, 2, 9)
	require.NoError(t, err)
	for name, m := range map[string]opcode.Message{
		"StateUpdate": of(slotID(0), opcode.StateUpdate{}),
		"explosion":   exploding,
		"EnterSet":    &opcode.EnterSet{ObjectID: slotID(0), Set: stream.Text("Multi2")},
		"a part":      opcode.NewSubsystemStatus(slotID(0)+5, false),
	} {
		d := stateupdate.Tracker{MaxShips: 2}
		apply(t, &d, createdAs(t, slotID(0), 0))
		apply(t, &d, createdAs(t, slotID(1), 1))
		apply(t, &d, m)
		require.Equal(t, slotID(1), removed(apply(t, &d, createdAs(t, slotID(2), 2))).ID, name)
	}
	d := stateupdate.Tracker{MaxShips: 2}
	apply(t, &d, of(slotID(2), opcode.StateUpdate{}))
	apply(t, &d, createdAs(t, slotID(0), 0))
	apply(t, &d, createdAs(t, slotID(2), 2))
	require.Equal(t, slotID(0), removed(apply(t, &d, createdAs(t, slotID(1), 1))).ID, "a creation")
}

// Many ships, created and only updated, stay within the limits of memory.
func TestManyObjectIDs(t *testing.T) {
	var d stateupdate.Tracker
	var before, after runtime.MemStats
	update := opcode.StateUpdate{Flags: opcode.StateSubsystems, Data: make([]byte, 17)}
	create := opcode.ObjectCreate{Object: opcode.Object{ClassID: opcode.ObjectShip, Species: 46, SubsystemsRaw: make([]byte, stateupdate.MaxBlob)}}
	runtime.GC()
	runtime.ReadMemStats(&before)
	for id := range objectid.ID(testdata.Either(1_000_000, 100_000)) {
		update.ObjectID = id
		if _, err := d.Apply(&update); err != nil {
			t.Fatal(err)
		}
		if id%32 == 0 {
			create.ObjectID = ^id
			_, err := d.Apply(&create)
			if !errors.Is(err, stateupdate.ErrNoClass) {
				t.Fatal(err)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	ships, created, unknown := d.Counts()
	require.Equal(t, 1024, created)
	require.Equal(t, 64, unknown)
	require.Equal(t, created+unknown, ships)
	const most = stateupdate.DefaultMaxShips*(1<<10) + stateupdate.DefaultMaxUnknown*stateupdate.MaxBuffered*512
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(most))
	runtime.KeepAlive(&d)
}

// A ship of a playable class takes about the 1 KB of the documentation.
func TestShipMemory(t *testing.T) {
	if testdata.UnderRace || strconv.IntSize == 32 {
		t.Skip("other sizes")
	}
	const ships = 1000
	for _, class := range stateupdate.Stock()[:15] {
		object, err := stateupdate.NewShip(1, class).Object()
		require.NoError(t, err)
		d := stateupdate.Tracker{MaxShips: ships}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range objectid.ID(ships) {
			object.ObjectID = 100 * i
			apply(t, &d, &opcode.ObjectCreate{Object: object})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.InDelta(t, 1000, (float64(after.HeapAlloc)-float64(before.HeapAlloc))/ships, 350, class.Name)
		runtime.KeepAlive(&d)
	}
}

// The order of evictions and of a restart is the order of the last messages, also in a clone.
func TestOrderOfLastMessages(t *testing.T) {
	d := &stateupdate.Tracker{MaxShips: 4}
	ids := []objectid.ID{3, 1, 4, 2}
	for _, id := range ids {
		m := creation(t, opcode.SpeciesAkira)
		m.ObjectID = id
		apply(t, d, &opcode.ObjectCreate{Object: m.Object})
	}
	for _, id := range []objectid.ID{4, 9, 3, 3} { // 9 is unknown
		apply(t, d, of(id, opcode.StateUpdate{}))
	}
	d = d.Clone()
	m := creation(t, opcode.SpeciesAkira)
	for i, want := range []objectid.ID{1, 2, 4, 3, 20} {
		m.ObjectID = objectid.ID(20 + i)
		require.Equal(t, want, apply(t, d, &opcode.ObjectCreate{Object: m.Object}).Removed[0].ID)
	}
	apply(t, d, &opcode.RestartGame{})
	ships, created, unknown := d.Counts()
	require.Zero(t, ships+created+unknown)
	require.Equal(t, stateupdate.Destroyed, d.Life(9))
}
