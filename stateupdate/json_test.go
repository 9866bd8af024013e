package stateupdate_test

import (
	"io"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Each key is the name of a field. Children may have weapons. Projectiles are of the file or of the game. Without a
// radius, the farthest part decides.
func TestParseJSON(t *testing.T) {
	all, err := stateupdate.ParseJSON([]byte(`{
"projectiles": [{"script": "Dart", "damage": 7, "speed": 50, "lifetime": 4}],
"ships": [{"species": 46, "key": "runabout", "name": "Runabout", "script": "Run", "evidence": "documented",
"physics": {"mass": 30, "maxSpeed": 5, "shieldCharge": [1, 2, 3, 4, 5, 6]},
"subsystems": [
{"name": "Hull", "kind": "hull", "idOffset": 3, "repairComplexity": 3, "critical": true},
{"name": "Shields", "kind": "shield", "idOffset": 1, "facings": [1, 2, 3, 4, 5, 6], "powerMode": 2, "repairComplexity": 3},
{"name": "Cannons", "kind": "pulse", "idOffset": 2, "maxCondition": 100, "repairComplexity": 3, "children": [
{"name": "Bow", "idOffset": 4, "maxCondition": 50, "position": [3, 0, -4], "repairComplexity": 1,
"weapon": {"direction": [0, 1, 0], "arcWidth": [-0.25, 0.5], "projectile": "Dart"}}]},
{"name": "Torpedoes", "kind": "torpedo", "idOffset": 5, "repairComplexity": 3, "ammunition": [{"projectile": "FusionBolt", "max": 9}]}]}]}`))
	require.NoError(t, err)
	physics := stateupdate.PartPhysics{RepairComplexity: 3}
	require.Equal(t, stateupdate.Catalogue{{
		Species: 46, Key: "runabout", Name: "Runabout", Script: "Run", Evidence: opcode.Documented,
		Physics: &stateupdate.Physics{Mass: 30, MaxSpeed: 5, Radius: 1.17 * 5, ShieldCharge: [6]float64{1, 2, 3, 4, 5, 6}},
		Subsystems: []stateupdate.Subsystem{
			{Name: "Hull", IDOffset: 3, PartPhysics: stateupdate.PartPhysics{RepairComplexity: 3, Critical: true}},
			{Name: "Shields", Kind: stateupdate.KindShield, IDOffset: 1, Facings: [6]float32{1, 2, 3, 4, 5, 6}, PowerMode: stateupdate.BackupOnly, PartPhysics: physics},
			{Name: "Cannons", Kind: stateupdate.KindPulse, IDOffset: 2, MaxCondition: 100, PartPhysics: physics, Children: []stateupdate.Child{{
				Name: "Bow", IDOffset: 4, MaxCondition: 50, PartPhysics: stateupdate.PartPhysics{Position: [3]float64{3, 0, -4}, RepairComplexity: 1},
				Weapon: &stateupdate.Weapon{
					Direction: [3]float64{0, 1, 0}, ArcWidth: [2]float64{-0.25, 0.5},
					Projectile: &stateupdate.Projectile{Script: "Dart", Damage: 7, Speed: 50, Lifetime: 4},
				},
			}}},
			{
				Name: "Torpedoes", Kind: stateupdate.KindTorpedo, IDOffset: 5, PartPhysics: physics,
				Ammunition: []stateupdate.Ammunition{{Max: 9, Projectile: &stateupdate.Projectile{
					Script: "FusionBolt", Damage: 300, Speed: 46, Lifetime: 8, MaxTurnAcceleration: 0.025, DamageRadius: 0.08,
				}}},
			},
		},
	}}, all)
}

// A class may have no physics and no ID offsets. Then its parts have no IDs.
func TestParseJSONWithoutPhysics(t *testing.T) {
	all, err := stateupdate.ParseJSON([]byte(`{"ships": [{"species": 37, "name": null, "subsystems": [{"name": "Hull", "kind": "hull", "facings": null},
		{"name": "Warp Engines", "kind": "warp", "children": [{"name": "Port Warp"}, {}]}]}]}`))
	require.NoError(t, err)
	require.Equal(t, stateupdate.Catalogue{{Species: opcode.SpeciesEnterprise, Subsystems: []stateupdate.Subsystem{
		{Name: "Hull"},
		{Name: "Warp Engines", Kind: stateupdate.KindWarp, Children: []stateupdate.Child{{Name: "Port Warp"}, {}}},
	}}}, all)
	require.Equal(t, 5, all[0].Objects())
	for id := slotID(0); id < slotID(0)+9; id++ {
		_, _, ok := trackerOf(t, slotID(0), all[0]).Part(id)
		require.False(t, ok)
	}
	_, ok := all[0].PartID(slotID(0), 0, -1)
	require.False(t, ok)
	for _, nothing := range []string{"{}", "null", ` {"ships": null, "projectiles": []} `} {
		all, err := stateupdate.ParseJSON([]byte(nothing))
		require.NoError(t, err)
		require.Empty(t, all)
	}
}

// An error names the line, and the ship, the subsystem and the child if there is one.
func TestParseJSONErrors(t *testing.T) {
	const begin = "{\n\"ships\": [\n" // two lines
	hull := func(more string) string {
		return begin + `{"species": 46, "name": "Runabout", "subsystems": [` + "\n" + `{"name": "Hull", "kind": "hull"},` + "\n" + more + "\n]}]}"
	}
	child := func(more string) string {
		return hull(`{"name": "W", "kind": "warp", "children": [` + "\n" + `{"name": "Port"},` + "\n" + more + "]}")
	}
	for name, v := range map[string]struct{ text, want string }{
		"nothing":           {"", "line 1: unexpected EOF"},
		"no JSON":           {"\nships", "line 2: invalid character 's' looking for beginning of value"},
		"a list":            {"[]", "line 1: wrong value: array"},
		"value":             {"{\n\"ships\": x}", "line 2: invalid character 'x' looking for beginning of value"},
		"two values":        {"{}\n{}", "line 2: unexpected data after the JSON value"},
		"key of the file":   {"\n{\n\"shps\": []}", `line 2: unknown field "shps"`},
		"an older file":     {`{"schema": 2}`, `line 1: unknown field "schema"`},
		"truncated":         {begin + `{"name": "Runabout", "subsystems": [` + "\n{", `line 4: unexpected EOF`},
		"after a comma":     {begin + `{"name": "Runabout",` + "\n" + `]}`, `line 4: invalid character ']' looking for beginning of object key string`},
		"no ship":           {begin + "7]}", `line 3: ship 0: wrong value: number`},
		"species":           {begin + `{"name": "Runabout",` + "\n" + `"species": 300}]}`, `line 4: ship 0 "Runabout": Species: wrong value: number 300`},
		"no subsystems":     {begin + `{"species": 46},` + "\n" + `{"species": 47}]}`, "line 3: ship 0: invalid class: 0 subsystems, must be 1 to 128"},
		"evidence":          {begin + `{"name": "Runabout", "evidence": "hearsay"}]}`, `line 3: ship 0 "Runabout": invalid class: unknown evidence "hearsay"`},
		"a misspelled key":  {hull(`{"childern": [], "name": "Core"}`), `line 5: ship 0 "Runabout": subsystem 1 "Core": unknown field "childern"`},
		"a key of a child":  {child(`{"name": "Star", "points": 7}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1 "Star": unknown field "points"`},
		"a key of a weapon": {child(`{"name": "Star", "weapon": {"range": 7}}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1 "Star": unknown field "range"`},
		"no subsystem":      {hull("7"), `line 5: ship 0 "Runabout": subsystem 1: wrong value: number`},
		"capacity":          {hull(`{"name": "S", "kind": "sensor",` + "\n" + `"maxCondition": "full"}`), `line 6: ship 0 "Runabout": subsystem 1 "S": MaxCondition: wrong value: string`},
		"negative capacity": {hull(`{"name": "S", "kind": "sensor", "maxCondition": -1}`), `line 5: ship 0 "Runabout": invalid class: subsystem 1 "S": MaxCondition is -1, must be 0 to 3.4028234663852886e+38`},
		"no kind":           {hull(`{"name": "S"}`), `line 5: ship 0 "Runabout": subsystem 1 "S": invalid class: the kind is missing`},
		"kind":              {hull(`{"name": "S", "kind": "teapot"}`), `line 5: ship 0 "Runabout": subsystem 1 "S": invalid class: unknown kind "teapot"`},
		"facings":           {hull(`{"name": "S", "kind": "shield",` + "\n" + `"facings": [1, 2]}`), `line 6: invalid class: facings: 2 numbers, must be 6`},
		"a long position":   {child(`{"Position": [1, 2, 3, 4]}`), `line 7: invalid class: Position: 4 numbers, must be 3`},
		"no position":       {child(`{"Position": []}`), `line 7: invalid class: Position: 0 numbers, must be 3`},
		"the same name":     {hull(`{"name": "HULL", "kind": "hull"}`), `line 5: ship 0 "Runabout": invalid class: subsystem 1 "HULL": another subsystem has this name`},
		"the same species":  {begin + `{"subsystems": [{"name": "Hull", "kind": "hull"}]},` + "\n" + `{"subsystems": [{"name": "Hull", "kind": "hull"}]}]}`, "line 4: ship 1: invalid class: another class has the species 0"},
		"a half offset":     {child(`{"idOffset": 1.5}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1: IDOffset: wrong value: number 1.5`},
		"a negative offset": {child(`{"idOffset": -1}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1: IDOffset: wrong value: number -1`},
		"some ID offsets":   {child(`{"name": "Star", "idOffset": 3}`), `line 3: ship 0 "Runabout": invalid class: all parts need an ID offset, or none: "W / Star" differs from "Hull"`},
		"half a team":       {hull(`{"name": "S", "kind": "repair", "repairTeams": 0.5}`), `line 5: ship 0 "Runabout": subsystem 1 "S": RepairTeams: wrong value: number 0.5`},
		"text as a mass":    {begin + `{"name": "Runabout", "physics": {` + "\n" + `"mass": "7"}}]}`, `line 4: ship 0 "Runabout": Mass: wrong value: string`},
		"a projectile":      {child(`{"weapon": {"projectile": "Spear"}}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1: invalid class: unknown projectile "Spear"`},
		"ammunition":        {hull(`{"name": "T", "kind": "torpedo", "ammunition": [{"projectile": "Spear"}]}`), `line 5: ship 0 "Runabout": subsystem 1 "T": invalid class: unknown projectile "Spear"`},
		"a weapon's number": {child(`{"weapon": {"projectile": 5}}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 1: Projectile: wrong value: number`},
		"in a projectile":   {`{"projectiles": [{"script": "Dart", "sped": 7}]}`, `line 1: projectile 0 "Dart": unknown field "sped"`},
	} {
		_, err := stateupdate.ParseJSON([]byte(v.text))
		require.EqualError(t, err, "stateupdate: classes: "+v.want, name)
	}
	_, err := stateupdate.ParseJSON([]byte(child(`{"position": [1, 2, 3]}`)))
	require.NoError(t, err, "the list of children is none of numbers")
	for _, cut := range []string{"", " ", `{"ships":[{"name":"X`} {
		_, err := stateupdate.ParseJSON([]byte(cut))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
	}
}

// ParseJSON checks the lengths of all lists of numbers.
func TestParseJSONChecksLengths(t *testing.T) {
	n := 0
	for _, v := range []any{stateupdate.Subsystem{}, stateupdate.Weapon{}, stateupdate.Physics{}, stateupdate.Projectile{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if f.Type.Kind() == reflect.Array {
				n++
				require.Equal(t, f.Type.Len(), stateupdate.JSONLength(f.Name), f.Name)
			}
		}
	}
	require.Equal(t, 7, n)
}
