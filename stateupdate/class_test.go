package stateupdate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	require.Empty(t, cmp.Diff(all, stateupdate.Stock(), cmpopts.IgnoreUnexported(stateupdate.Class{})))
	for i, class := range stateupdate.Stock() {
		require.NotNil(t, class.Physics, class.Name)
		require.Empty(t, cmp.Diff(all[i].Physics, class.Physics), class.Name)
	}
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

func TestParseJSON(t *testing.T) {
	all, err := stateupdate.ParseJSON([]byte(`{"schema":1,"ships":[{"species":46,"key":"runabout","name":"Runabout",
		"subsystems":[{"name":"Hull","kind":"hull"},{"name":"Shields","kind":"shield","facings":[1,2,3,4,5,6]},
		{"name":"Phasers","kind":"phaser","format":"weapon","maxCondition":100,"children":[{"name":"Bow","maxCondition":50}]}]}]}`))
	require.NoError(t, err)
	require.Equal(t, stateupdate.Catalogue{{
		Species: 46, Key: "runabout", Name: "Runabout",
		Subsystems: []stateupdate.Subsystem{
			{Name: "Hull"},
			{Name: "Shields", Kind: stateupdate.KindShield, Facings: [6]float32{1, 2, 3, 4, 5, 6}},
			{Name: "Phasers", Kind: stateupdate.KindPhaser, MaxCondition: 100, Children: []stateupdate.Child{{Name: "Bow", MaxCondition: 50}}},
		},
	}}, all)
}

// A file of schema 1 has keys that schema 2 does not have. It has no creation indices, so its
// parts have no IDs.
func TestParseJSONFirstSchema(t *testing.T) {
	all, err := stateupdate.ParseJSON([]byte(`{"schema":1,"ships":[{"species":37,"key":"enterprise","name":"Enterprise","layoutOf":"sovereign","note":"x",
		"subsystems":[{"index":0,"name":"Hull","kind":"hull","maxCondition":12000,"maxConditionAlt":1,"maxConditionSource":"x","maxConditionUnknown":true},
		{"index":1,"name":"Warp Engines","kind":"warp","childOrderAlt":["b","a"],"children":[{"name":"Port Warp"},{"name":"Star Warp"}]}]}]}`))
	require.NoError(t, err)
	require.Equal(t, stateupdate.Catalogue{{
		Species: opcode.SpeciesEnterprise, Key: "enterprise", Name: "Enterprise",
		Subsystems: []stateupdate.Subsystem{
			{Name: "Hull", MaxCondition: 12000},
			{Name: "Warp Engines", Kind: stateupdate.KindWarp, Children: []stateupdate.Child{{Name: "Port Warp"}, {Name: "Star Warp"}}},
		},
	}}, all)
	require.Equal(t, 5, all[0].Objects())
	for id := slotID(0); id < slotID(0)+9; id++ {
		_, _, ok := trackerOf(t, slotID(0), all[0]).Part(id)
		require.False(t, ok)
	}
	_, ok := all[0].PartID(slotID(0), 0, -1)
	require.False(t, ok)
}

func TestParseJSONCreationIndices(t *testing.T) {
	read := func(hull, engines, port, star string) (*stateupdate.Class, error) {
		all, err := stateupdate.ParseJSON(fmt.Appendf(nil, `{"schema":2,"ships":[{"species":46,"name":"X","evidence":"script","subsystems":[
			{"name":"Hull","kind":"hull"%s},{"name":"Engines","kind":"warp"%s,"children":[{"name":"Port"%s},{"name":"Star"%s}]}]}]}`, hull, engines, port, star))
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	at := func(i string) string { return `,"creationIndex":` + i }
	class, err := read(at("3"), at("0"), at("2"), at("1"))
	require.NoError(t, err)
	require.Equal(t, opcode.Documented, class.Evidence)
	require.Equal(t, []uint16{4, 1, 3, 2}, []uint16{
		class.Subsystems[0].IDOffset, class.Subsystems[1].IDOffset, class.Subsystems[1].Children[0].IDOffset, class.Subsystems[1].Children[1].IDOffset,
	})
	for _, v := range []struct{ hull, engines, port, star, text string }{
		{at("3"), at("0"), at("2"), at("2"), `line 1: ship 0 "X": invalid class: "Engines / Star" has the creation index 2, which another part has`},
		{at("3"), at("3"), at("2"), at("1"), `line 1: ship 0 "X": invalid class: "Engines" has the creation index 3, which another part has`},
		{at("4"), at("0"), at("2"), at("1"), `line 1: ship 0 "X": invalid class: "Hull" has the creation index 4, but the class has only 4 parts`},
		{at("3"), at("0"), at("65534"), at("1"), `line 1: ship 0 "X": invalid class: "Engines / Port" has the creation index 65534, but the class has only 4 parts`},
		{at("3"), at("0"), at("65535"), at("1"), `line 2: ship 0 "X": subsystem 1 "Engines": child 0 "Port": invalid class: creation index 65535 out of range`},
		{at("-1"), at("0"), at("2"), at("1"), `line 2: ship 0 "X": subsystem 0 "Hull": invalid class: creation index -1 out of range`},
		{at("3"), at("9223372036854775807"), at("2"), at("1"), `line 2: ship 0 "X": subsystem 1 "Engines": invalid class: creation index 9223372036854775807 out of range`},
		{at("3"), at("0"), at("2"), "", `line 1: ship 0 "X": invalid class: all parts need a creation index, or none: "Engines / Star" differs from "Hull"`},
		{"", at("0"), at("2"), at("1"), `line 1: ship 0 "X": invalid class: all parts need a creation index, or none: "Engines" differs from "Hull"`},
		{"", "", "", at("3"), `line 1: ship 0 "X": invalid class: all parts need a creation index, or none: "Engines / Star" differs from "Hull"`},
	} {
		_, err := read(v.hull, v.engines, v.port, v.star)
		require.ErrorIs(t, err, stateupdate.ErrClass)
		require.EqualError(t, err, "stateupdate: classes: "+v.text)
	}
	_, err = read(at("null"), "", "", "")
	require.NoError(t, err, "null is no index")
	for _, index := range []string{"1.5", `"1"`, "9223372036854775808", "1e3"} {
		_, err := read(at(index), "", "", "")
		require.Error(t, err, index)
	}
}

func TestParseJSONRejects(t *testing.T) {
	ship := func(subsystems string) string {
		return `{"schema":1,"ships":[{"name":"X","subsystems":[` + subsystems + `]}]}`
	}
	hull := `{"name":"Hull","kind":"hull"}`
	many := hull
	for range 128 {
		many += "," + hull
	}
	for name, text := range map[string]string{
		"schema 0":            `{"schema":0,"ships":[]}`,
		"unknown evidence":    `{"schema":2,"ships":[{"name":"X","evidence":"hearsay","subsystems":[` + hull + `]}]}`,
		"no schema":           `{"ships":[]}`,
		"unknown schema":      `{"schema":3,"ships":[]}`,
		"no subsystems":       ship(""),
		"129 subsystems":      ship(many),
		"unknown kind":        ship(`{"name":"Hull","kind":"teapot"}`),
		"contradiction":       ship(`{"name":"Hull","kind":"hull","format":"weapon"}`),
		"children of shield":  ship(`{"name":"S","kind":"shield","children":[{"name":"x"}]}`),
		"no name":             ship(`{"kind":"hull"}`),
		"duplicate name":      ship(hull + "," + hull),
		"index":               ship(`{"name":"Hull","kind":"hull","index":1}`),
		"seven facings":       ship(`{"name":"S","kind":"shield","facings":[1,2,3,4,5,6,7]}`),
		"256 children":        ship(`{"name":"S","kind":"warp","children":[` + strings.Repeat(`{},`, 255) + `{}]}`),
		"duplicate species":   `{"schema":1,"ships":[{"species":46,"subsystems":[` + hull + `]},{"species":46,"subsystems":[` + hull + `]}]}`,
		"power mode":          ship(`{"name":"S","kind":"sensor","powerMode":3}`),
		"negative capacity":   ship(`{"name":"S","kind":"sensor","maxCondition":-1}`),
		"kind of a child":     ship(`{"name":"S","kind":"warp","children":[{"name":"x","kind":"torpedoTube"}]}`),
		"format of a child":   ship(`{"name":"S","kind":"warp","children":[{"name":"x","format":"powered"}]}`),
		"capacity of a child": ship(`{"name":"S","kind":"warp","children":[{"name":"x","maxCondition":-1}]}`),
	} {
		_, err := stateupdate.ParseJSON([]byte(text))
		require.ErrorIs(t, err, stateupdate.ErrClass, name)
	}
	for name, text := range map[string]string{
		"no JSON": `ships`, "two values": `{"schema":1} {}`, "unknown key": ship(`{"name":"S","kind":"warp","childern":[]}`), "species": `{"schema":1,"ships":[{"species":300}]}`, "facings": ship(`{"kind":"shield","facings":"all"}`),
	} {
		_, err := stateupdate.ParseJSON([]byte(text))
		require.Error(t, err, name)
	}
	for _, cut := range []string{"", " ", `{"schema":1,"ships":[{"name":"X`} {
		_, err := stateupdate.ParseJSON([]byte(cut))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
	}
	bad := stateupdate.Class{Subsystems: []stateupdate.Subsystem{{Name: "X", Kind: 77}}}
	require.ErrorIs(t, bad.Validate(), stateupdate.ErrClass)
	bad.Subsystems[0] = stateupdate.Subsystem{Name: "X", Children: make([]stateupdate.Child, stateupdate.MaxChildren+1)}
	require.ErrorIs(t, bad.Validate(), stateupdate.ErrClass)
}
