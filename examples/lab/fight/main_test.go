package main

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
)

// The match is a fight: the events of the file have damage and kills, and all players move.
func TestEvents(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../testdata/fight.jsonl")
	require.NoError(t, err)
	defer file.Close()
	m := match.Match{Events: true}
	events := map[match.EventKind]int{}
	for step, err := range match.Read(file, &m) {
		require.NoError(t, err)
		for i := range step.Events {
			events[step.Events[i].Kind]++
		}
	}
	require.GreaterOrEqual(t, events[match.Kill], 3)
	require.Greater(t, events[match.Damage], 100)
	require.Greater(t, events[match.Fire], 100)
	require.Equal(t, len(roles), events[match.Join])
}

// The file in testdata is what the command writes, and smaller than battle.jsonl.
func TestFight(t *testing.T) {
	t.Parallel()
	text, err := record(matchSeed, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	file, err := os.ReadFile("../../../testdata/fight.jsonl")
	require.NoError(t, err)
	require.True(t, string(text) == string(file), "testdata/fight.jsonl differs; run: go run ./examples/lab/fight")
	battle, err := os.Stat("../../../testdata/battle.jsonl")
	require.NoError(t, err)
	require.Less(t, int64(len(file)), battle.Size())
}
