package stateupdate_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// exploding returns the explosion of a ship that player 3 has destroyed.
func exploding(id objectid.ID) *opcode.PythonEvent {
	return &opcode.PythonEvent{Event: opcode.Event{
		Class: opcode.ClassObjectExplodingEvent, Code: opcode.ETObjectExploding,
		Source: slotID(1), Dest: id, FiringPlayerID: 3, Lifetime: 9.5,
	}}
}

// createdAs returns the creation of a ship with an ID, for the player in a slot.
func createdAs(t testing.TB, id objectid.ID, slot int) *opcode.ObjectCreateTeam {
	m := creation(t, opcode.SpeciesAkira)
	m.ObjectID, m.OwnerSlot, m.NetPlayerID = id, objectid.Slot(slot), objectid.PeerID(slot+2)
	return m
}

// A ship is unknown, alive, dying and destroyed, in this order. Each Change describes the
// step.
func TestLife(t *testing.T) {
	var d stateupdate.Tracker
	id := slotID(0)
	require.Equal(t, stateupdate.Unknown, d.Life(id))
	change := apply(t, &d, motion(1, 0))
	require.Equal(t, stateupdate.Unknown, change.Ship.Life)

	change = apply(t, &d, createdAs(t, id, 0))
	ship := change.Ship
	require.True(t, change.Created)
	require.Equal(t, stateupdate.Alive, ship.Life)
	require.Same(t, ship, d.ShipOf(2))
	require.False(t, ship.Killer.Valid())

	change = apply(t, &d, exploding(id))
	require.True(t, change.Died && change.Removed == nil)
	require.Same(t, ship, change.Ship)
	require.Equal(t, stateupdate.Dying, d.Life(id))
	require.EqualValues(t, 3, ship.Killer)
	require.Equal(t, 9500*time.Millisecond, ship.Lifetime)
	require.Same(t, ship, d.ShipOf(2))
	_, part, ok := d.Part(id + 14)
	require.True(t, ok, "parts of a dying ship have IDs")
	require.Equal(t, "Torpedoes / Forward Torp 1", part.String())

	change = apply(t, &d, withBlock(0, "00"))
	require.True(t, change.Subsystems.Has(0), "updates change a dying ship")
	require.False(t, change.Died)
	require.False(t, apply(t, &d, exploding(id)).Died, "only the first explosion counts")

	change = apply(t, &d, createdAs(t, id+100, 0))
	require.True(t, change.Created)
	require.Equal(t, []*stateupdate.Ship{ship}, change.Removed)
	require.Equal(t, stateupdate.Destroyed, ship.Life)
	require.Equal(t, stateupdate.Destroyed, d.Life(id))
	require.EqualValues(t, id+100, d.ShipOf(2).ID)
	require.Equal(t, "unknown alive dying destroyed Life(4)", words(stateupdate.Unknown, stateupdate.Alive, stateupdate.Dying, stateupdate.Destroyed, 4))
}

// removed returns the first removed ship of a change, or nil.
func removed(c stateupdate.Change) *stateupdate.Ship {
	if len(c.Removed) == 0 {
		return nil
	}
	return c.Removed[0]
}

func words(stages ...stateupdate.Life) (text string) {
	for i, l := range stages {
		if i > 0 {
			text += " "
		}
		text += l.String()
	}
	return text
}

// A late message about a destroyed ship does not make it alive again. A creation does.
func TestLateMessagesDoNotRevive(t *testing.T) {
	id := slotID(0)
	for name, end := range map[string]func(t *testing.T, d *stateupdate.Tracker){
		"destroyed":               func(t *testing.T, d *stateupdate.Tracker) { apply(t, d, &opcode.DestroyObject{ObjectID: id}) },
		"forgotten":               func(_ *testing.T, d *stateupdate.Tracker) { d.Forget(id) },
		"restart":                 func(t *testing.T, d *stateupdate.Tracker) { apply(t, d, &opcode.RestartGame{}) },
		"next ship of the player": func(t *testing.T, d *stateupdate.Tracker) { apply(t, d, createdAs(t, id+100, 0)) },
		"next player in the slot": func(t *testing.T, d *stateupdate.Tracker) {
			m := createdAs(t, id+100, 0)
			m.NetPlayerID = 99
			apply(t, d, m)
		},
	} {
		for _, dying := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				var d stateupdate.Tracker
				apply(t, &d, createdAs(t, id, 0))
				if dying {
					apply(t, &d, exploding(id))
				}
				end(t, &d)
				for _, late := range []opcode.Message{motion(9, opcode.StatePosition), withBlock(0, "7f"), exploding(id), entering(id, "Multi2\x00")} {
					require.Equal(t, stateupdate.Change{ObjectID: id}, apply(t, &d, late))
				}
				require.Equal(t, stateupdate.Destroyed, d.Life(id))
				require.Nil(t, d.Ship(id))
				for s := range d.Ships() {
					require.NotEqual(t, id, s.ID)
				}

				again := apply(t, &d, createdAs(t, id, 0)).Ship
				require.Equal(t, stateupdate.Alive, again.Life)
				require.False(t, again.Killer.Valid())
				require.Zero(t, again.Lifetime)
				require.Equal(t, stateupdate.Level(127), again.Subsystems[0].Condition, "the update was not buffered")
				require.Same(t, again, apply(t, &d, motion(9, 0)).Ship)
			})
		}
	}
}

// A ship with the ID of a dying ship is a new ship.
func TestDyingShipIsCreatedAgain(t *testing.T) {
	d, first := akira(t)
	apply(t, d, exploding(first.ID))
	m := creation(t, opcode.SpeciesGalaxy)
	change := apply(t, d, &opcode.ObjectCreate{OwnerSlot: -1, Object: m.Object})
	require.Equal(t, []*stateupdate.Ship{first}, change.Removed)
	require.Equal(t, stateupdate.Destroyed, first.Life)
	require.Equal(t, stateupdate.Alive, change.Ship.Life)
	require.Nil(t, d.ShipOf(2), "the second ship has no player")
	ships, created, unknown := d.Counts()
	require.Equal(t, []int{1, 1, 0, 0}, []int{ships, created, unknown, d.Destroyed()})
}

// A ship whose creation was missed can explode. A later creation makes it alive.
func TestUnknownShipExplodes(t *testing.T) {
	var d stateupdate.Tracker
	id := slotID(0)
	require.Equal(t, stateupdate.Change{ObjectID: id}, apply(t, &d, exploding(id)), "the ship is unknown")
	require.Equal(t, stateupdate.Unknown, d.Life(id))
	apply(t, &d, motion(1, 0))
	require.True(t, apply(t, &d, exploding(id)).Died)
	require.Equal(t, stateupdate.Change{ObjectID: id, Ship: d.Ship(id)}, apply(t, &d, exploding(id)), "again")
	require.Equal(t, stateupdate.Dying, d.Life(id))
	require.Equal(t, stateupdate.Dying, apply(t, &d, motion(2, 0)).Ship.Life, "a dying ship is not unknown")
	_, _, unknown := d.Counts()
	require.Equal(t, 1, unknown)
	ship := apply(t, &d, createdAs(t, id, 0)).Ship
	require.Equal(t, stateupdate.Alive, ship.Life)
	require.Zero(t, ship.Killer)
	require.Zero(t, ship.Lifetime)
	require.Equal(t, float32(2), d.Time(ship.ID))
}

// Only an event of the right code and class makes a ship explode. Its numbers can have any
// value.
func TestExplosions(t *testing.T) {
	for name, v := range map[string]struct {
		change   func(*opcode.Event)
		died     bool
		killer   objectid.PeerID
		lifetime time.Duration
		err      error
	}{
		"by player 3":          {func(*opcode.Event) {}, true, 3, 9500 * time.Millisecond, nil},
		"without a player":     {func(e *opcode.Event) { e.FiringPlayerID = 0 }, true, objectid.NoPeer, 9500 * time.Millisecond, nil},
		"by an invalid player": {func(e *opcode.Event) { e.FiringPlayerID = 1 << 20 }, true, objectid.NoPeer, 9500 * time.Millisecond, nil},
		"lifetime 0":           {func(e *opcode.Event) { e.Lifetime = 0 }, true, 3, 0, nil},
		"negative lifetime":    {func(e *opcode.Event) { e.Lifetime = -5 }, true, 3, 0, nil},
		"largest lifetime":     {func(e *opcode.Event) { e.Lifetime = math.MaxFloat32 }, true, 3, 1e9 * time.Second, nil},
		"lifetime NaN":         {func(e *opcode.Event) { e.Lifetime = nan }, true, 3, 0, stateupdate.ErrNotFinite},
		"infinite lifetime":    {func(e *opcode.Event) { e.Lifetime = inf }, true, 3, 0, stateupdate.ErrNotFinite},
		"another event":        {func(e *opcode.Event) { e.Code = opcode.ETAddToRepairList }, false, 0, 0, nil},
		"another class":        {func(e *opcode.Event) { e.Class = opcode.ClassObjPtrEvent }, false, 0, 0, nil},
		"of all objects":       {func(e *opcode.Event) { e.Dest = objectid.All }, false, 0, 0, nil},
		"of a part":            {func(e *opcode.Event) { e.Dest++ }, false, 0, 0, nil},
	} {
		d, ship := akira(t)
		m := exploding(ship.ID)
		v.change(&m.Event)
		change, err := d.Apply(m)
		require.ErrorIs(t, err, v.err, name)
		require.Equal(t, v.died, change.Died, name)
		require.Equal(t, v.died, ship.Life == stateupdate.Dying, name)
		require.Equal(t, v.killer, ship.Killer, name)
		require.Equal(t, v.lifetime, ship.Lifetime, name)
	}
}

// A creation can remove a dying ship with its ID and the old ship of its player.
func TestCreationRemovesTwoShips(t *testing.T) {
	var d stateupdate.Tracker
	dying := apply(t, &d, createdAs(t, slotID(0), 0)).Ship
	apply(t, &d, exploding(slotID(0)))
	old := apply(t, &d, createdAs(t, slotID(1), 1)).Ship
	change := apply(t, &d, createdAs(t, slotID(0), 1))
	require.Equal(t, []*stateupdate.Ship{dying, old}, change.Removed)
	require.Same(t, change.Ship, d.ShipOf(3))
}

// A player has one ship, and the host any number. Ships without a slot do not replace each
// other.
func TestShipsOfPlayers(t *testing.T) {
	var d stateupdate.Tracker
	create := func(id objectid.ID, slot objectid.Slot, player objectid.PeerID) *stateupdate.Ship {
		m := creation(t, opcode.SpeciesAkira)
		m.ObjectID, m.OwnerSlot, m.NetPlayerID = id, slot, player
		return removed(apply(t, &d, m))
	}
	for _, v := range []struct {
		slot   objectid.Slot
		player objectid.PeerID
	}{{0, 2}, {1, 3}, {0, 0}, {0, -1}, {16, 2}, {-1, 2}, {15, 127}} {
		require.Nil(t, create(objectid.ID(1000*int(v.slot)+int(v.player)+50_000), v.slot, v.player))
	}
	require.EqualValues(t, 50_002, d.ShipOf(2).ID)
	require.EqualValues(t, 65_127, d.ShipOf(127).ID)
	for _, absent := range []objectid.PeerID{objectid.NoPeer, 0, 5, -128} {
		require.Nil(t, d.ShipOf(absent))
	}
	require.EqualValues(t, 50_002, create(1, 0, 2).ID, "IDs need not be in the range of the slot")
	require.Nil(t, apply(t, &d, &opcode.ObjectCreate{OwnerSlot: 0, Object: creation(t, opcode.SpeciesAkira).Object}).Removed)
	require.EqualValues(t, 1, d.ShipOf(2).ID)
	d.Forget(1)
	require.Nil(t, d.ShipOf(2))
	require.Nil(t, create(2, 0, 2))
	d.Reset()
	require.Nil(t, d.ShipOf(2))
	require.Equal(t, stateupdate.Unknown, d.Life(1), "Reset forgets destroyed ships")
}

// If a host authorizes messages first, a client cannot destroy or replace the ships of other
// players.
func TestForgedDeaths(t *testing.T) {
	var d stateupdate.Tracker
	for slot := range 3 {
		apply(t, &d, createdAs(t, slotID(slot), slot))
	}
	attacker := opcode.Sender{PeerID: 3, Slot: 1, Ship: slotID(1)}
	for i := range 1000 {
		victim := slotID(2 * (i % 2))
		for _, m := range []opcode.Message{
			exploding(victim), &opcode.DestroyObject{ObjectID: victim}, &opcode.RestartGame{},
			createdAs(t, victim, 1),                      // the ID of another ship
			createdAs(t, slotID(1)+objectid.ID(i), 2),    // the slot of another player
			createdAs(t, slotID(2)+objectid.ID(i)+10, 1), // an ID of another player
			of(victim, *motion(nan, opcode.StatePosition)),
		} {
			if opcode.Authorize(m, attacker) == nil {
				_, _ = d.Apply(m)
			}
		}
	}
	for slot := range 3 {
		require.Equal(t, stateupdate.Alive, d.Life(slotID(slot)))
		require.Equal(t, slotID(slot), d.ShipOf(objectid.PeerID(slot+2)).ID)
	}
	ships, _, _ := d.Counts()
	require.Equal(t, 3, ships)
}

// Ships that a tracker evicts are not destroyed: they may still be alive.
func TestEvictedShipsAreUnknown(t *testing.T) {
	d := stateupdate.Tracker{MaxShips: 1, MaxUnknown: 1}
	apply(t, &d, createdAs(t, 1, 0))
	first := removed(apply(t, &d, createdAs(t, 2, 1)))
	require.EqualValues(t, 1, first.ID)
	require.Equal(t, stateupdate.Alive, first.Life)
	require.Equal(t, stateupdate.Unknown, apply(t, &d, of(1, opcode.StateUpdate{})).Ship.Life)
	require.EqualValues(t, 1, apply(t, &d, of(3, opcode.StateUpdate{})).Removed[0].ID)
	require.Equal(t, stateupdate.Unknown, d.Life(1))
	require.Zero(t, d.Destroyed())
}

// Ships iterates in the order of the IDs. The loop body may forget ships.
func TestShipsInOrder(t *testing.T) {
	var d stateupdate.Tracker
	for _, id := range []objectid.ID{5, -7, math.MaxInt32, 1, 3} {
		apply(t, &d, of(id, opcode.StateUpdate{}))
	}
	var got []objectid.ID
	for s := range d.Ships() {
		got = append(got, s.ID)
		d.Forget(s.ID)
		d.Forget(3)
	}
	require.Equal(t, []objectid.ID{-7, 1, 5, math.MaxInt32}, got)
	ships, _, _ := d.Counts()
	require.Zero(t, ships)
}

// Any number of created and destroyed ships stays within the limits of memory. The
// tracker remembers the last destroyed ships.
func TestManyDestroyedShips(t *testing.T) {
	var d stateupdate.Tracker
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	create := &opcode.ObjectCreateTeam{NetPlayerID: 2, Object: opcode.Object{ClassID: opcode.ObjectShip, Species: 46}}
	most := testdata.Either[objectid.ID](200_000, 20_000)
	for id := range most {
		create.ObjectID = id
		_, err := d.Apply(create)
		require.ErrorIs(t, err, stateupdate.ErrNoClass)
		switch id % 4 {
		case 0:
			apply(t, &d, exploding(id))
		case 1:
			apply(t, &d, &opcode.DestroyObject{ObjectID: id})
		case 2:
			apply(t, &d, &opcode.RestartGame{})
		default: // the next ship of the slot replaces it
		}
		apply(t, &d, &opcode.DestroyObject{ObjectID: -id}) // an unknown ship
	}
	require.Equal(t, 256, d.Destroyed())
	last := most - 1
	require.Equal(t, stateupdate.Alive, d.Life(last))
	for back := range objectid.ID(stateupdate.MaxDestroyed) {
		require.Equal(t, stateupdate.Destroyed, d.Life(last-1-back))
	}
	require.Equal(t, stateupdate.Unknown, d.Life(last-1-stateupdate.MaxDestroyed))
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<10))
	runtime.KeepAlive(&d)
}

// After a restart with more than MaxDestroyed ships, the tracker remembers the ships with the
// newest messages.
func TestRestartOfManyShips(t *testing.T) {
	var d stateupdate.Tracker
	const ships = stateupdate.MaxDestroyed + 10
	for id := range objectid.ID(ships) {
		apply(t, &d, &opcode.ObjectCreate{Object: createdAs(t, id, 0).Object})
	}
	apply(t, &d, of(3, opcode.StateUpdate{}))
	apply(t, &d, &opcode.RestartGame{})
	require.Equal(t, stateupdate.MaxDestroyed, d.Destroyed())
	require.Equal(t, stateupdate.Destroyed, d.Life(3))
	require.Equal(t, stateupdate.Unknown, d.Life(10))
	require.Equal(t, stateupdate.Destroyed, d.Life(11))
	require.Equal(t, stateupdate.Destroyed, d.Life(ships-1))
}

// A clone has the dying and destroyed ships of its tracker, and then its own.
func TestCloneOfDestroyedShips(t *testing.T) {
	var original stateupdate.Tracker
	for slot := range 3 {
		apply(t, &original, createdAs(t, slotID(slot), slot))
	}
	apply(t, &original, exploding(slotID(0)))
	original.Forget(slotID(1))
	clone := original.Clone()
	for i, want := range []stateupdate.Life{stateupdate.Dying, stateupdate.Destroyed, stateupdate.Alive} {
		require.Equal(t, want, clone.Life(slotID(i)))
	}
	require.EqualValues(t, 3, clone.Ship(slotID(0)).Killer)
	apply(t, clone, createdAs(t, slotID(1), 1))
	apply(t, &original, exploding(slotID(2)))
	require.Equal(t, stateupdate.Destroyed, original.Life(slotID(1)))
	require.Equal(t, stateupdate.Alive, clone.Life(slotID(2)))
	require.Equal(t, slotID(1), clone.ShipOf(3).ID)
	require.Nil(t, original.ShipOf(3))
}
