package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// play returns the output of a scenario.
func play(t *testing.T, text string, classes ...string) (string, error) {
	file := filepath.Join(t.TempDir(), "scenario.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var out bytes.Buffer
	err := run(&out, file, strings.Join(classes, ""))
	return out.String(), err
}

// The program prints a line for each tenth of a second, with all parts of the target.
func TestScenario(t *testing.T) {
	out, err := play(t, `{"attacker":"kessokheavy","target":"galaxy","distance":57,"bearing":0,"elevation":0,"weapon":"phaser","level":"high",
		"seconds":12,"shields":[1,1,1,1,1,1],"generator":1,"charge":1,"hit":[0,-0.41,-0.5]}`)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 121)
	var first, last struct {
		Time       float64
		Hull       float64
		Shields    []float64
		Subsystems map[string]float64
		Charge     []float64
		Dead       bool
	}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &first))
	require.NoError(t, json.Unmarshal([]byte(lines[120]), &last))
	require.Zero(t, first.Time)
	require.InDelta(t, 12, last.Time, 0)
	require.Equal(t, []float64{8000, 4000, 4000, 4000, 4000, 4000}, first.Shields)
	require.InDelta(t, 8000, first.Subsystems["Sensor Array"], 0)
	require.Len(t, first.Subsystems, 34)
	require.Equal(t, []float64{7, 7, 7, 7, 7, 7, 7, 7}, first.Charge)
	require.Less(t, last.Hull, first.Hull)
	require.Less(t, last.Subsystems["Sensor Array"], 8000.0)
	require.False(t, last.Dead)
}

// The keys of a scenario have defaults, but the ships do not.
func TestScenarioDefaults(t *testing.T) {
	out, err := play(t, `{"attacker":"Warbird","target":"Bird of Prey","distance":30,"weapon":"pulse","seconds":0.5}`)
	require.NoError(t, err)
	require.Equal(t, 6, strings.Count(out, "\n"))
	require.Contains(t, out, `"shields":[3000,3000,3000,3000,3000,3000]`)
}

// Errors name the key. Lists have the right length, and nothing follows the object.
func TestScenarioErrors(t *testing.T) {
	ships := `{"attacker":"galaxy","target":"galaxy","distance":30`
	for text, want := range map[string]string{
		``:                       "FILE: EOF",
		`[]`:                     "FILE: json: cannot unmarshal array into Go value of type main.scenario",
		ships:                    "FILE: unexpected EOF",
		ships + `} {}`:           "FILE: the file has more than one object",
		ships + `}}`:             "FILE: the file has more than one object",
		ships + `,"wepon":1}`:    `FILE: json: unknown field "wepon"`,
		ships + `,"hit":"hull"}`: "FILE: json: cannot unmarshal string into Go struct field scenario.Hit of type []float64",
		`{"attacker":"galaxy","target":"teapot","distance":1}`: `target: there is no class "teapot"`,
		`{"attacker":"","target":"galaxy","distance":1}`:       `attacker: there is no class ""`,
		`{"attacker":"galaxy","target":"galaxy"}`:              "distance: 0 is not between 0.1 and 1e+06",
		ships + `,"distance":-1}`:                              "distance: -1 is not between 0.1 and 1e+06",
		ships + `,"distance":1e7}`:                             "distance: 1e+07 is not between 0.1 and 1e+06",
		ships + `,"distance":1e999}`:                           "FILE: json: cannot unmarshal number 1e999 into Go struct field scenario.Distance of type float64",
		ships + `,"bearing":361}`:                              "bearing: 361 is not between -360 and 360",
		ships + `,"elevation":-91}`:                            "elevation: -91 is not between -90 and 90",
		ships + `,"weapon":"pulse"}`:                           `weapon: Galaxy has no "pulse" system`,
		ships + `,"weapon":"hull"}`:                            `weapon: "hull" is not phaser, pulse or torpedo`,
		ships + `,"weapon":"tractor"}`:                         `weapon: "tractor" is not phaser, pulse or torpedo`,
		ships + `,"level":"full"}`:                             `level: "full" is not low, med or high`,
		ships + `,"seconds":1e9}`:                              "seconds: 1e+09 is not between 0 and 3600",
		ships + `,"seconds":-1}`:                               "seconds: -1 is not between 0 and 3600",
		ships + `,"shields":[1,1,1,1,1,2]}`:                    "shields: 2 is not between 0 and 1",
		ships + `,"shields":[1,1,1,1,1]}`:                      "shields: 5 numbers, must be 6",
		ships + `,"shields":[1,1,1,1,1,1,1]}`:                  "shields: 7 numbers, must be 6",
		ships + `,"shields":null}`:                             "shields: 0 numbers, must be 6",
		ships + `,"generator":-0.1}`:                           "generator: -0.1 is not between 0 and 1",
		ships + `,"charge":1.1}`:                               "charge: 1.1 is not between 0 and 1",
		ships + `,"hit":[0,1]}`:                                "hit: 2 numbers, must be 3",
		ships + `,"hit":[0,1,1e300]}`:                          "hit: 1e+300 is not between -1e+06 and 1e+06",
	} {
		out, err := play(t, text)
		require.Error(t, err, text)
		if at := strings.Index(err.Error(), "scenario.json"); at >= 0 { // the name of a temporary file
			require.Equal(t, want, "FILE"+err.Error()[at+len("scenario.json"):], text)
		} else {
			require.EqualError(t, err, want, text)
		}
		require.Empty(t, out)
	}
	require.Error(t, run(new(bytes.Buffer), "no such file", ""))
	_, err := play(t, ships+"}", "no such file")
	require.Error(t, err)
}

// Each key changes the fight: the angles and the distance the face and the damage, the level and the charge the beams,
// the generator and the shields the faces, and the hit the parts that are damaged.
func TestScenarioKeys(t *testing.T) {
	type line struct {
		Hull       float64
		Shields    [6]float64
		Subsystems map[string]float64
		Charge     []float64
	}
	end := func(keys string) (l line) {
		out, err := play(t, `{"attacker":"kessokheavy","target":"galaxy","distance":57`+keys+`}`)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &l))
		return l
	}
	normal := end("")
	full := [6]float64{8000, 4000, 4000, 4000, 4000, 4000}
	for keys, face := range map[string]int{``: 0, `,"bearing":180`: 1, `,"elevation":90`: 2, `,"elevation":-90`: 3, `,"bearing":270`: 4, `,"bearing":-90`: 4, `,"bearing":90`: 5} {
		for f, points := range end(keys).Shields {
			require.Equal(t, f != face, points == full[f], "%s: face %d has %v", keys, f, points)
		}
	}
	require.Greater(t, end(`,"distance":600`).Shields[0], normal.Shields[0])
	require.Greater(t, end(`,"level":"low"`).Shields[0], normal.Shields[0])
	require.Greater(t, end(`,"charge":0.2`).Shields[0], normal.Shields[0])
	require.Greater(t, end(`,"seconds":3`).Shields[0], normal.Shields[0])
	require.Greater(t, end(`,"weapon":"torpedo"`).Shields[0], normal.Shields[0])
	require.Equal(t, [6]float64{}, end(`,"generator":0.5`).Shields)
	require.Greater(t, end(`,"generator":0.8`).Shields[1], 0.0)
	require.Less(t, end(`,"shields":[1,0.5,1,1,1,1]`).Shields[1], 4000.0)
	bow := end(`,"shields":[0,0,0,0,0,0],"level":"high","hit":[0,-0.41,-0.5]`)
	require.Less(t, bow.Subsystems["Sensor Array"], 8000.0)
	require.Equal(t, bow.Hull, bow.Subsystems["Hull"])
	require.InDelta(t, 8000, end(`,"shields":[0,0,0,0,0,0],"hit":[0,-2.6,0]`).Subsystems["Sensor Array"], 0)
}

// A class of a mod plays, too. Its hull need not be the first subsystem.
func TestScenarioOfMod(t *testing.T) {
	classes := filepath.Join(t.TempDir(), "classes.json")
	require.NoError(t, os.WriteFile(classes, []byte(`{"ships": [{"species": 46, "key": "runabout", "name": "Runabout", "physics": {"mass": 20},
		"subsystems": [
			{"name": "Sensors", "kind": "sensor", "maxCondition": 100, "repairComplexity": 1},
			{"name": "Hull", "kind": "hull", "maxCondition": 900, "repairComplexity": 1, "radius": 1, "critical": true}]}]}`), 0o600))
	out, err := play(t, `{"attacker":"galaxy","target":"runabout","distance":20,"seconds":30}`, classes)
	require.NoError(t, err)
	require.Contains(t, out, `"hull":900,`)
	require.Contains(t, out, `"dead":true,"hull":0,`)
}
