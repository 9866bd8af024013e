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
		"seconds":12,"shields":[1,1,1,1,1,1],"generator":1,"charge":1,"hit":[0,-0.2,-0.45]}`)
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

// Errors name the key.
func TestScenarioErrors(t *testing.T) {
	ships := `"attacker":"galaxy","target":"galaxy"`
	for text, want := range map[string]string{
		``: "EOF",
		`{"attacker":"galaxy","target":"teapot"}`: "target: refused: the class has no physics",
		`{"attacker":"","target":"galaxy"}`:       "attacker: refused: the class has no physics",
		`{` + ships + `,"wepon":"phaser"}`:        `json: unknown field "wepon"`,
		`{` + ships + `,"weapon":"pulse"}`:        `weapon: Galaxy has no "pulse" system`,
		`{` + ships + `,"weapon":"hull"}`:         `refused: no weapon that works`,
		`{` + ships + `,"level":"full"}`:          "level must be low, med or high",
		`{` + ships + `,"distance":-1}`:           "distance must be 0 to 1e6, bearing -360 to 360, elevation -90 to 90, and seconds 0 to 3600",
		`{` + ships + `,"seconds":1e9}`:           "distance must be 0 to 1e6, bearing -360 to 360, elevation -90 to 90, and seconds 0 to 3600",
		`{` + ships + `,"shields":[2]}`:           "generator, charge and shields must be 0 to 1",
		`{` + ships + `,"generator":-0.1}`:        "generator, charge and shields must be 0 to 1",
		`{` + ships + `,"distance":1e999}`:        "json: cannot unmarshal number 1e999 into Go struct field scenario.Distance of type float64",
	} {
		_, err := play(t, text)
		require.EqualError(t, err, want, text)
	}
	require.Error(t, run(new(bytes.Buffer), "no such file", ""))
	_, err := play(t, `{}`, "no such file")
	require.Error(t, err)
}

// A class of a mod plays, too.
func TestScenarioOfMod(t *testing.T) {
	classes := filepath.Join(t.TempDir(), "classes.json")
	require.NoError(t, os.WriteFile(classes, []byte(`{"schema": 2, "ships": [{"species": 46, "key": "runabout", "name": "Runabout", "physics": {"mass": 20},
		"subsystems": [{"name": "Hull", "kind": "hull", "maxCondition": 900, "physics": {"repairComplexity": 1, "radius": 1, "critical": true}}]}]}`), 0o600))
	out, err := play(t, `{"attacker":"galaxy","target":"runabout","distance":20,"seconds":30}`, classes)
	require.NoError(t, err)
	require.Contains(t, out, `"dead":true`)
}
