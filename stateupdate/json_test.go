package stateupdate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// Every error of ParseJSON names the line, and the ship and subsystem if there is one.
func TestParseJSONErrors(t *testing.T) {
	const begin = "{\n\"schema\": 2,\n\"ships\": [\n" // three lines
	hull := func(more string) string {
		return `{"species": 46, "name": "Runabout", "subsystems": [` + "\n" + `{"name": "Hull", "kind": "hull"},` + "\n" + more + "\n]}]}"
	}
	for name, v := range map[string]struct{ text, want string }{
		"nothing":           {"", "line 1: unexpected EOF"},
		"no JSON":           {"\nships", "line 2: invalid character 's' looking for beginning of value"},
		"a list":            {"[]", "line 1: wrong value, must begin with {"},
		"no schema":         {"\n{}", "line 2: invalid class: the schema is missing"},
		"schema":            {"{\"ships\": [],\n \"schema\": 3}", "line 2: invalid class: schema 3, must be 1 or 2"},
		"text as schema":    {"{\"schema\":\n\"2\"}", "line 2: schema: wrong value: string"},
		"value":             {"{\n\"schema\": x}", "line 2: invalid character 'x' looking for beginning of value"},
		"two values":        {"{\"schema\": 2}\n{}", "line 2: unexpected data after the JSON value"},
		"key of the file":   {"{\n\"shps\": []}", `line 2: unknown key "shps" of a file; did you mean "ships"?`},
		"truncated":         {begin + `{"name": "Runabout", "subsystems": [` + "\n{", `line 5: ship 0 "Runabout": subsystem 0: unexpected EOF`},
		"after a comma":     {begin + `{"name": "Runabout",` + "\n" + `]}`, `line 5: ship 0 "Runabout": invalid character ']' looking for beginning of object key string`},
		"species":           {begin + `{"name": "Runabout",` + "\n" + `"species": 300}]}`, `line 5: ship 0 "Runabout": species: wrong value: number 300`},
		"no subsystems":     {begin + `{"species": 46},` + "\n" + `{"species": 47}]}`, "line 4: ship 0: invalid class: 0 subsystems, must be 1 to 128"},
		"evidence":          {begin + `{"name": "Runabout", "evidence": "hearsay"}]}`, `line 4: ship 0 "Runabout": invalid class: unknown evidence "hearsay"`},
		"the natural guess": {begin + hull(`{"name": "Core", "kind": "reactor",`+"\n"+`"mainBattery": 5}`), `line 7: ship 0 "Runabout": subsystem 1 "Core": unknown key "mainBattery" of a subsystem; did you mean "mainBatteryLimit"?`},
		"a misspelled key":  {begin + hull(`{"name": "Core", "childern": []}`), `line 6: ship 0 "Runabout": subsystem 1 "Core": unknown key "childern" of a subsystem; did you mean "children"?`},
		"an upper-case key": {begin + hull(`{"Name": "Core"}`), `line 6: ship 0 "Runabout": subsystem 1: unknown key "Name" of a subsystem; did you mean "name"?`},
		"a key of a child":  {begin + hull(`{"name": "W", "kind": "warp", "children": [`+"\n"+`{"name": "Port", "points": 7}]}`), `line 7: ship 0 "Runabout": subsystem 1 "W": child 0 "Port": unknown key "points" of a child; the keys are name, kind, format, creationIndex, maxCondition, physics`},
		"an ignored key":    {begin + hull(`{"name": "W", "bites": 1}`), `line 6: ship 0 "Runabout": subsystem 1 "W": unknown key "bites" of a subsystem; the keys are name, kind, index, format, creationIndex, maxCondition, normalPower, powerMode, facings, mainBatteryLimit, backupBatteryLimit, physics, children`},
		"capacity":          {begin + hull(`{"name": "S", "kind": "sensor",`+"\n"+`"maxCondition": "full"}`), `line 7: ship 0 "Runabout": subsystem 1 "S": maxCondition: wrong value: string`},
		"negative capacity": {begin + hull(`{"name": "S", "kind": "sensor", "maxCondition": -1}`), `line 6: ship 0 "Runabout": invalid class: subsystem 1 "S": capacity -1 is negative or not finite`},
		"no kind":           {begin + hull(`{"name": "S"}`), `line 6: ship 0 "Runabout": subsystem 1 "S": invalid class: the kind is missing`},
		"kind":              {begin + hull(`{"name": "S", "kind": "teapot"}`), `line 6: ship 0 "Runabout": subsystem 1 "S": invalid class: unknown kind "teapot"`},
		"format":            {begin + hull(`{"name": "S", "kind": "sensor", "format": "base"}`), `line 6: ship 0 "Runabout": subsystem 1 "S": invalid class: format "base", must be "powered" for kind sensor`},
		"index":             {begin + hull(`{"name": "S", "kind": "sensor", "index": 2}`), `line 6: ship 0 "Runabout": subsystem 1 "S": invalid class: index 2, must be 1`},
		"facings":           {begin + hull(`{"name": "S", "kind": "shield", "facings": [1, 2]}`), `line 6: ship 0 "Runabout": subsystem 1 "S": invalid class: 2 facings, must be 6`},
		"kind of a child":   {begin + hull(`{"name": "W", "kind": "warp", "children": [`+"\n"+`{"name": "Port", "kind": "phaserBank"}]}`), `line 7: ship 0 "Runabout": subsystem 1 "W": invalid class: "Port" has the kind "phaserBank" and the format ""`},
		"the same name":     {begin + hull(`{"name": "HULL", "kind": "hull"}`), `line 6: ship 0 "Runabout": invalid class: subsystem 1 "HULL": another subsystem has this name`},
		"the same species":  {begin + `{"subsystems": [{"name": "Hull", "kind": "hull"}]},` + "\n" + `{"subsystems": [{"name": "Hull", "kind": "hull"}]}]}`, "line 5: ship 1: invalid class: another class has the species 0"},
	} {
		_, err := stateupdate.ParseJSON([]byte(v.text))
		require.EqualError(t, err, "stateupdate: classes: "+v.want, name)
	}
}

// ParseJSON accepts any value of an ignored key.
func TestParseJSONIgnoredKeys(t *testing.T) {
	ignored := func(object string) (text string) {
		for _, name := range slices.Sorted(maps.Keys(stateupdate.JSONKeys()[object])) {
			if !stateupdate.JSONKeys()[object][name] {
				text += `"` + name + `": [{"x": null}], `
			}
		}
		return text
	}
	require.Equal(t, 6, strings.Count(ignored("ship"), "null"))
	require.Equal(t, 10, strings.Count(ignored("subsystem"), "null"))
	all, err := stateupdate.ParseJSON([]byte(`{"schema": 2, "ships": [{` + ignored("ship") + `"name": null, "subsystems": [{` + ignored("subsystem") + `"name": "Hull", "kind": "hull", "children": null}]}]}`))
	require.NoError(t, err)
	require.Equal(t, stateupdate.Catalogue{{Subsystems: []stateupdate.Subsystem{{Name: "Hull"}}}}, all)
}
