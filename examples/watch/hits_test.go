package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/examples/watch/internal/league"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
)

// Beside a recording, the log of damage of the server tells who has hit whom. Shots are those of the recording. A new log
// is read again by a league, and a malformed one is reported.
func TestLogOfDamage(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "battle.jsonl")
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, fought, 0o600))
	_, text, _ := reported(t, file)
	require.NotContains(t, text, "log of damage")
	tableOfLeague := func(complaints string) (points []string) {
		var complained []string
		l := league.Options{
			Dir: dir, Site: site, Complain: func(err error) { complained = append(complained, err.Error()) },
			Report: func(string, string, []*report.Report) ([]byte, error) { return nil, nil },
		}
		require.NoError(t, l.Write(t.Context()))
		require.Contains(t, strings.Join(complained, "\n"), complaints)
		table, err := os.ReadFile(filepath.Join(site, "tables", "hits.csv"))
		require.NoError(t, err)
		lines, err := csv.NewReader(strings.NewReader(string(table))).ReadAll()
		require.NoError(t, err)
		for _, cells := range lines[1:] {
			if cells[7] != "0" {
				points = append(points, strings.Join(cells[2:], " "))
			}
		}
		return points
	}
	require.NotEmpty(t, tableOfLeague(""))

	start := time.Now()
	log, err := damagelog.Create(file, start, 0)
	require.NoError(t, err)
	want := map[string]float64{} // damage
	for _, e := range eventsOf(t, buildDump(t), file) {
		if e.Event == "fire" && e.Player == "Ben" && e.Target == "Ann" {
			h := damagelog.Hit{Player: "Ben", Peer: 3, Target: "Ann", TargetPeer: 2, Weapon: e.Weapon, Absorbed: 30, Passed: 20}
			system, _, isTube := strings.Cut(e.Weapon, " / ")
			if !isTube {
				h.Weapon += " / Emitter 1" // a system fires its beams
			}
			for range 2 { // the shot hits once
				log.Write(start.Add(time.Duration((e.Time+0.01)*float64(time.Second))), h)
				want[system] += h.Absorbed + h.Passed
			}
		}
	}
	require.Greater(t, len(want), 1, "a tube and a beam")
	log.Write(start.Add(20*time.Second), damagelog.Hit{Peer: -1, Target: "Ann", TargetPeer: 2, Weapon: damagelog.Collision, Passed: 1234})
	require.NoError(t, log.Close())

	_, text, _ = reported(t, file)
	require.Contains(t, text, "From the log of damage of the server")
	var found []string
	for _, x := range tablesOf(t, text, "hits")[0] {
		if x["player"] == "Ben" && x["target"] == "Ann" {
			require.Equal(t, fmt.Sprint(want[x["weapon"]]), x["damage"], x)
			require.Equal(t, fmt.Sprint(want[x["weapon"]]/100), x["hits"], x)
			require.Equal(t, x["shots"], x["hits"], x)
			delete(want, x["weapon"])
		}
		if x["damage"] != "0" {
			found = append(found, strings.Join([]string{x["player"], x["target"], x["weapon"], x["shots"], x["hits"], x["damage"]}, " "))
		}
	}
	require.Empty(t, want)
	require.Contains(t, found, " Ann collision 0 0 1234")
	require.ElementsMatch(t, found, tableOfLeague(""))
	for _, p := range tablesOf(t, text, "players")[0] {
		require.Equal(t, p["name"] == "Ben", p["damage given"] != "0", p)
	}

	require.NoError(t, os.WriteFile(damagelog.Name(file), []byte("{}\n{"), 0o600))
	_, _, stderr := reported(t, file)
	require.Contains(t, stderr, "battle.jsonl.hits, line 2: unexpected end of JSON input")
	tableOfLeague("battle.jsonl.hits, line 2: unexpected end of JSON input")
}
