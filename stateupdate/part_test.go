package stateupdate_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Captured events and fire messages contain these IDs of parts.
func TestCapturedPartIDs(t *testing.T) {
	for _, v := range []struct {
		class    string
		ship, id objectid.ID
		want     string
	}{
		{"sovereign", 0x3FFFFFFF, 0x40000002, "Sensor Array"},
		{"sovereign", 0x3FFFFFFF, 0x40000018, "Repair"},
		{"akira", 0x3FFFFFFF, 0x40000005, "Phasers"},
		{"akira", 0x3FFFFFFF, 0x4000000D, "Torpedoes / Forward Torp 1"},
		{"birdofprey", 0x40000021, 0x40000026, "Disruptor Cannons / Port Cannon"}, // a possible ship; the capture does not show its class
	} {
		_, part, ok := trackerOf(t, v.ship, stateupdate.Stock().Named(v.class)).Part(v.id)
		require.True(t, ok)
		require.Equal(t, v.want, part.String())
	}
	require.EqualValues(t, 0x40000021, slotID(0)+objectid.ID(stateupdate.Stock().Named("sovereign").Objects()), "the next ship")
	for _, class := range stateupdate.Stock() {
		repair := firstOf(class, stateupdate.KindRepair)
		id, ok := class.PartID(0x3FFFFFFF, repair, -1)
		require.Equal(t, class.Key == "sovereign" || class.Key == "enterprise", ok && id == 0x40000018,
			"%s: no other class has its repair there", class.Key)
	}
}

// Each part of a class has its own ID after the ID of the ship, and Part is the inverse of
// PartID.
func TestPartIDs(t *testing.T) {
	for _, class := range stateupdate.Stock() {
		require.NoError(t, class.Validate())
		for _, ship := range []objectid.ID{1, slotID(0), slotID(15), math.MaxInt32 - objectid.ID(class.Objects()) + 1} {
			require.Equal(t, class.Objects()-1, checkPartIDs(t, class, ship))
		}
	}
}

// trackerOf returns a tracker with a ship of a class.
func trackerOf(t require.TestingT, ship objectid.ID, class *stateupdate.Class) *stateupdate.Tracker {
	tracker := &stateupdate.Tracker{Classes: stateupdate.Catalogue{class}}
	object, err := stateupdate.NewShip(ship, class).Object()
	require.NoError(t, err)
	_, err = tracker.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	return tracker
}

// checkPartIDs checks that the IDs of the parts are distinct and follow the ID of the ship. It
// returns the number of parts with an ID, which is all or none.
func checkPartIDs(t *testing.T, class *stateupdate.Class, ship objectid.ID) int {
	seen, parts, tracker := map[objectid.ID]bool{}, 0, trackerOf(t, ship, class)
	for i := range class.Subsystems {
		for child := -1; child < len(class.Subsystems[i].Children); child++ {
			parts++
			id, ok := class.PartID(ship, i, child)
			if !ok {
				continue
			}
			require.False(t, seen[id])
			require.True(t, id > ship && int64(id) < int64(ship)+int64(class.Objects()))
			seen[id] = true
			_, part, ok := tracker.Part(id)
			require.True(t, ok)
			require.Equal(t, stateupdate.Part{Subsystem: &class.Subsystems[i], Index: i, Child: child}, part)
			same, ok := class.Part(ship, id)
			require.True(t, ok)
			require.Equal(t, part, same)
		}
	}
	require.Contains(t, []int{0, parts}, len(seen))
	return len(seen)
}

// A class has no part at the ID of the ship, before it, or farther away than the last one.
func TestNoPart(t *testing.T) {
	class := stateupdate.Stock().Named("sovereign")
	for _, id := range []objectid.ID{slotID(0), slotID(0) - 1, slotID(0) + objectid.ID(class.Objects()), slotID(0) + 1<<16 + 5, math.MinInt32, objectid.None} {
		_, ok := class.Part(slotID(0), id)
		require.False(t, ok, id)
	}
	for _, ship := range []objectid.ID{-5, objectid.None} {
		_, ok := class.Part(ship, 1)
		require.False(t, ok, ship)
	}
	without := &stateupdate.Class{Subsystems: make([]stateupdate.Subsystem, 1)} // IDOffset
	_, ok := without.Part(slotID(0), slotID(0))
	require.False(t, ok)
	for i := range class.Subsystems {
		_, ok := class.PartID(slotID(0), i, len(class.Subsystems[i].Children))
		require.False(t, ok)
	}
}

// For all IDs of a ship and a part, Part and PartID are inverse and stay within Objects.
func propertyPart(t *rapid.T) {
	classes := stateupdate.Stock()
	class := classes[rapid.IntRange(0, len(classes)-1).Draw(t, "class")]
	edges := []objectid.ID{math.MinInt32, -1, 0, 1, slotID(0), math.MaxInt32 - 34, math.MaxInt32 - 5, math.MaxInt32}
	ship := rapid.OneOf(rapid.SampledFrom(edges), rapid.Map(rapid.Int32(), func(v int32) objectid.ID { return objectid.ID(v) })).Draw(t, "ship")
	near := rapid.Map(rapid.Int32Range(-40, 40), func(v int32) objectid.ID { // may overflow
		return ship + objectid.ID(v) + 1<<16*rapid.SampledFrom([]objectid.ID{0, 0, -1, 1}).Draw(t, "far")
	})
	id := rapid.OneOf(near, rapid.SampledFrom(edges)).Draw(t, "id")
	tracker := trackerOf(t, ship, class)
	_, part, ok := tracker.Part(id)
	within := ship > 0 && id > ship && int64(id)-int64(ship) < int64(class.Objects())
	require.Equal(t, within, ok)
	if ok {
		again, ok := class.PartID(ship, part.Index, part.Child)
		require.True(t, ok)
		require.Equal(t, id, again)
		require.Same(t, &class.Subsystems[part.Index], part.Subsystem)
	} else {
		require.Zero(t, part)
	}
	index, child := rapid.IntRange(-2, 14).Draw(t, "index"), rapid.IntRange(-2, 12).Draw(t, "child")
	switch id, ok := class.PartID(ship, index, child); {
	case ok:
		_, part, ok := tracker.Part(id)
		require.True(t, ok)
		require.Equal(t, [2]int{index, child}, [2]int{part.Index, part.Child})
	default:
		require.Zero(t, id)
	}
}

func TestPart(t *testing.T)         { rapid.Check(t, propertyPart) }
func FuzzPartProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyPart)) }

func TestPartText(t *testing.T) {
	s := &stateupdate.Subsystem{Name: "Torpedoes", Children: []stateupdate.Child{{Name: "Tube"}}}
	for _, v := range []struct {
		part stateupdate.Part
		text string
	}{
		{stateupdate.Part{Index: 3, Child: 1}, "no part"},
		{stateupdate.Part{Subsystem: s, Child: -1}, "Torpedoes"},
		{stateupdate.Part{Subsystem: s}, "Torpedoes / Tube"},
		{stateupdate.Part{Subsystem: s, Child: 1}, "Torpedoes"}, // a child that does not exist
	} {
		require.Equal(t, v.text, v.part.String())
	}
}

// Tracker.Part finds the ship and the part of an ID among the tracked ships.
func TestTrackerPart(t *testing.T) {
	var d stateupdate.Tracker
	none := func(ids ...objectid.ID) {
		t.Helper()
		for _, id := range ids {
			ship, part, ok := d.Part(id)
			require.False(t, ok || ship != nil || part.Subsystem != nil, "%v", id)
		}
	}
	is := func(id objectid.ID, want string) {
		t.Helper()
		ship, part, ok := d.Part(id)
		require.True(t, ok)
		require.Equal(t, want, fmt.Sprintf("%s %s", ship.Class.Name, part))
	}
	none(math.MinInt32, objectid.All, objectid.None, 0x40000002, math.MaxInt32)
	spawn := func(id objectid.ID, species opcode.Species) {
		m := creation(t, species)
		m.ObjectID = id
		_, _ = d.Apply(&opcode.ObjectCreate{Object: m.Object})
	}
	spawn(0x3FFFFFFF, opcode.SpeciesSovereign)
	spawn(0x40000021, opcode.SpeciesBirdOfPrey)
	spawn(0x4003FFFF, 46)                                                      // without a class
	apply(t, &d, of(0x40080000, opcode.StateUpdate{Flags: opcode.StateSpeed})) // not created yet
	is(0x40000002, "Sovereign Sensor Array")
	apply(t, &d, of(0x40000002, opcode.StateUpdate{Flags: opcode.StateSpeed}))
	is(0x40000002, "Sovereign Sensor Array") // the ship was not created
	is(0x40000018, "Sovereign Repair")
	is(0x40000020, "Sovereign Tractors / Forward Tractor 2")
	is(0x40000026, "Bird of Prey Disruptor Cannons / Port Cannon")
	none(0x3FFFFFFF, 0x40000021, 0x3FFFFFFE, 0x40000032, 0x4003FFFF, 0x40040000, 0x40080001)

	spawn(0x40000010, opcode.SpeciesAsteroid) // overlaps the IDs of the Sovereign
	none(0x40000010)
	is(0x40000011, "Asteroid Asteroid")
	is(0x40000014, "Sovereign "+partAt(t, "sovereign", 21))
	apply(t, &d, &opcode.DestroyObject{ObjectID: 0x3FFFFFFF})
	none(0x40000002, 0x40000018)
	is(0x40000026, "Bird of Prey Disruptor Cannons / Port Cannon")

	spawn(math.MaxInt32-2, opcode.SpeciesAkira)
	is(math.MaxInt32, "Akira Shield Generator")
	none(math.MinInt32)
	apply(t, &d, &opcode.RestartGame{})
	none(0x40000026, math.MaxInt32)
	require.Zero(t, testing.AllocsPerRun(10, func() { d.Part(0x40000026) }))
	spawn(0x3FFFFFFF, opcode.SpeciesGalaxy)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if _, _, ok := d.Part(0x40000020); !ok {
			t.Fatal("no part")
		}
	}))
}

// partAt returns the name of the part at a distance from its ship.
func partAt(t *testing.T, class string, distance objectid.ID) string {
	_, part, ok := trackerOf(t, 1, stateupdate.Stock().Named(class)).Part(1 + distance)
	require.True(t, ok)
	return part.String()
}

// A part is disabled below the condition of its script, a child also with its subsystem, and a subsystem also with all
// of its children.
func TestDisabled(t *testing.T) {
	for _, class := range stateupdate.Stock() {
		for i := range class.Subsystems {
			system := stateupdate.Part{Index: i, Child: -1}
			children := len(class.Subsystems[i].Children)
			limit := func(p stateupdate.PartPhysics) stateupdate.Level {
				return stateupdate.Level(max(1, math.Ceil(255*p.Disabled)))
			}
			ship := stateupdate.NewShip(1, class)
			status := &ship.Subsystems[i]
			require.False(t, ship.Disabled(system))
			status.Condition = limit(class.Subsystems[i].PartPhysics)
			require.False(t, ship.Disabled(system))
			status.Condition = limit(class.Subsystems[i].PartPhysics) - 1
			require.True(t, ship.Disabled(system))
			for k := range children {
				require.True(t, ship.Disabled(stateupdate.Part{Index: i, Child: k}))
			}
			status.Condition = 255
			for k := range children {
				child := stateupdate.Part{Index: i, Child: k}
				require.False(t, ship.Disabled(child))
				require.False(t, ship.Disabled(system))
				status.Parts[k] = byte(limit(class.Subsystems[i].Children[k].PartPhysics) - 1)
				require.True(t, ship.Disabled(child))
			}
			require.Equal(t, children > 0, ship.Disabled(system))
			require.True(t, ship.Disabled(stateupdate.Part{Index: i, Child: 99}))
		}
		ship := stateupdate.NewShip(1, class)
		require.True(t, ship.Disabled(stateupdate.Part{Index: 99}))
		require.True(t, ship.Disabled(stateupdate.Part{Index: -1}))
		ship.Subsystems = ship.Subsystems[:1]
		require.True(t, ship.Disabled(stateupdate.Part{Index: 1, Child: -1}))
	}
	require.True(t, (*stateupdate.Ship)(nil).Disabled(stateupdate.Part{}))
	require.True(t, stateupdate.NewShip(1, nil).Disabled(stateupdate.Part{}))
	unknown := *stateupdate.Stock().Named("akira")
	unknown.Subsystems, unknown.Physics = []stateupdate.Subsystem{{Name: "Hull"}}, nil
	ship := stateupdate.NewShip(1, &unknown)
	ship.Subsystems[0].Condition = 1
	require.False(t, ship.Disabled(stateupdate.Part{Child: -1}), "without physics, only 0 disables")
}
