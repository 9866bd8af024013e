package stateupdate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// totals are sizes that were computed from the game's scripts, independently of this package.
type totals struct {
	TopLevel, Children, Total, Bools          int
	FullCycleOwn, FullCycleRemote, CreateBlob int
	Powered                                   []int
	RoundsOwn, RoundsRemote                   [][2]int
}

// classSizes is a line of testdata/sizes.jsonl. The numbers of a subsystem are: 1 if it is powered, its
// bools in a block, its bytes in a block for the owner and for others, its bytes and its bools in
// a create blob.
type classSizes struct {
	Species    opcode.Species
	CanCloak   bool
	Totals     totals
	Subsystems [][]int
}

func sizes(t testing.TB) (all []classSizes) {
	data, err := os.ReadFile("testdata/sizes.jsonl")
	require.NoError(t, err)
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var c classSizes
		require.NoError(t, d.Decode(&c))
		all = append(all, c)
	}
	return all
}

func TestGeneratedClasses(t *testing.T) {
	data, err := os.ReadFile("ships.json")
	require.NoError(t, err)
	all, err := stateupdate.ParseJSON(data)
	require.NoError(t, err)
	require.Len(t, all, 44)
	require.Empty(t, cmp.Diff(all, stateupdate.Stock()))
}

// The stock classes have the species from 1 to 44, in this order.
func TestStockIsOrdered(t *testing.T) {
	all := stateupdate.Stock()
	require.Len(t, all, 44)
	for i, class := range all {
		require.Equal(t, opcode.Species(1+i), class.Species)
	}
	require.Equal(t, opcode.Species(45), opcode.SpeciesBorgCube)
}

// In the stock classes, tractor beams use the backup battery first, cloaking devices use only the
// backup battery, and no other subsystem does.
func TestPowerModes(t *testing.T) {
	modes := map[stateupdate.Kind]stateupdate.PowerMode{
		stateupdate.KindTractor: stateupdate.BackupFirst, stateupdate.KindCloak: stateupdate.BackupOnly,
	}
	for _, class := range stateupdate.Stock() {
		for _, sub := range class.Subsystems {
			require.Equal(t, modes[sub.Kind], sub.PowerMode, "%s, %s", class.Name, sub.Name)
		}
	}
}

// Captures prove three classes. Three scripts inherit from another one.
func TestGrades(t *testing.T) {
	all := map[opcode.Grade][]opcode.Species{}
	for _, class := range stateupdate.Stock() {
		all[class.Evidence] = append(all[class.Evidence], class.Species)
	}
	require.Len(t, all[opcode.Documented], 38)
	require.Equal(t, []opcode.Species{opcode.SpeciesAkira, opcode.SpeciesSovereign, opcode.SpeciesShuttle}, all[opcode.Observed])
	require.Equal(t, []opcode.Species{opcode.SpeciesBiranuStation, opcode.SpeciesEnterprise, opcode.SpeciesGeronimo}, all[opcode.Inferred])
	require.Len(t, stateupdate.Stock().Named("enterprise").Subsystems, 12)
}

func TestTotals(t *testing.T) {
	ships := sizes(t)
	require.Len(t, ships, 44)
	for _, ship := range ships {
		class := stateupdate.Stock().Species(ship.Species)
		t.Run(class.Name, func(t *testing.T) {
			require.Equal(t, ship.CanCloak, stateupdate.NewShip(1, class).FirstOf(stateupdate.KindCloak) != nil)
			got := count(t, class)
			got.RoundsOwn, got.RoundsRemote = rounds(t, class, toOwner), rounds(t, class, toOther)
			require.Equal(t, ship.Totals, got)
			require.Len(t, ship.Subsystems, len(class.Subsystems))
			for i, want := range ship.Subsystems {
				checkSizes(t, class, i, want[0] == 1, want[1:])
			}
		})
	}
}

func count(t *testing.T, class *stateupdate.Class) (n totals) {
	n.TopLevel = len(class.Subsystems)
	for i, sub := range class.Subsystems {
		n.Children += len(sub.Children)
		if sub.Kind.Powered() {
			n.Powered = append(n.Powered, i)
			n.Bools++
		}
	}
	n.Total = n.TopLevel + n.Children
	ship := stateupdate.NewShip(1, class)
	n.FullCycleRemote = blockSize(t, class, ship.Subsystems)
	for i := range ship.Subsystems {
		ship.Subsystems[i].HasPower = false
	}
	n.FullCycleOwn = blockSize(t, class, ship.Subsystems)
	blob, err := class.AppendBlob(nil, ship.Subsystems)
	require.NoError(t, err)
	n.CreateBlob = len(blob)
	return n
}

const headSize = 11 // bytes of a StateUpdate before its subsystems

func blockSize(t *testing.T, class *stateupdate.Class, all []stateupdate.Status) int {
	b, err := class.AppendUpdate(nil, &opcode.StateUpdate{}, all)
	require.NoError(t, err)
	return len(b) - headSize
}

// rounds returns the start indices and sizes of the first six blocks that an encoder
// makes.
func rounds(t *testing.T, class *stateupdate.Class, role role) (all [][2]int) {
	ship := newShip(1, class)
	e := role.encoder()
	e.SendMotion(ship, 0)
	for i := range 6 {
		b, err := e.Append(nil, seconds(float32(i)/10), ship)
		require.NoError(t, err)
		var m opcode.StateUpdate
		require.NoError(t, opcode.Unmarshal(b, &m))
		require.Equal(t, opcode.StateSubsystems, m.Flags)
		all = append(all, [2]int{int(m.StartIndex), len(m.Data)})
	}
	return all
}

func checkSizes(t *testing.T, class *stateupdate.Class, i int, powered bool, want []int) {
	t.Helper()
	sub := class.Subsystems[i]
	require.Equal(t, powered, sub.Kind.Powered(), sub.Name)
	one := &stateupdate.Class{Subsystems: []stateupdate.Subsystem{sub}}
	ship := newShip(1, one)
	remote := blockSize(t, one, ship.Subsystems)
	blob, err := one.AppendBlob(nil, ship.Subsystems)
	require.NoError(t, err)
	ship.Subsystems[0].HasPower = false
	own := blockSize(t, one, ship.Subsystems)
	bools := map[bool]int{true: 1}
	createBools := bools[isWeapon(sub.Kind) || sub.Kind == stateupdate.KindCloak]
	got := []int{bools[sub.Kind.Powered()], own - bools[powered], remote - bools[powered], len(blob) - createBools, createBools}
	require.Equal(t, want, got, sub.Name)
}

func TestLookup(t *testing.T) {
	require.Equal(t, "Bird of Prey", stateupdate.Stock().Species(opcode.SpeciesBirdOfPrey).Name)
	require.Equal(t, "Asteroid", stateupdate.Stock().Species(opcode.SpeciesAsteroid).Name)
	require.Nil(t, stateupdate.Stock().Species(opcode.SpeciesBorgCube))
	require.Nil(t, stateupdate.Stock().Species(0))
	for _, name := range []string{"birdofprey", "bird of prey", "BIRDOFPREY"} {
		require.Equal(t, opcode.SpeciesBirdOfPrey, stateupdate.Stock().Named(name).Species)
	}
	require.Nil(t, stateupdate.Stock().Named("Defiant"))
}

func TestCatalogue(t *testing.T) {
	defiant := &stateupdate.Class{Species: 46, Key: "defiant", Name: "Defiant", Subsystems: []stateupdate.Subsystem{{Name: "Hull"}}}
	refit := &stateupdate.Class{Species: opcode.SpeciesAkira, Key: "akira", Name: "Akira refit", Subsystems: []stateupdate.Subsystem{{Name: "Hull"}}}
	all := stateupdate.Catalogue{defiant, refit}
	require.Same(t, defiant, all.Species(46))
	require.Same(t, refit, all.Species(opcode.SpeciesAkira))
	require.Same(t, stateupdate.Stock().Species(opcode.SpeciesGalaxy), all.Species(opcode.SpeciesGalaxy))
	require.Same(t, defiant, all.Named("DEFIANT"))
	require.Same(t, stateupdate.Stock().Named("galaxy"), all.Named("galaxy"))
	require.Nil(t, all.Species(200))
}
