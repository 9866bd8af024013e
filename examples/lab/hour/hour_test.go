package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
)

// A short match decodes without errors, and has all players, ships and kinds of events.
func TestShortMatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.jsonl")
	require.NoError(t, write(name, 2*time.Minute))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	m := match.Match{Events: true}
	messages, kinds := 0, map[match.EventKind]bool{}
	var link *match.Link
	for step, err := range match.Read(file, &m) {
		require.NoError(t, err)
		require.NoError(t, step.Err)
		require.Empty(t, step.Dialect)
		messages, link = messages+1, step.Link
		for _, e := range step.Events {
			kinds[e.Kind] = true
		}
	}
	require.Greater(t, messages, 10_000)
	for _, kind := range []match.EventKind{match.Join, match.Chat, match.Fire, match.Kill, match.Explode, match.Score} {
		require.True(t, kinds[kind], kind)
	}
	players, ships := 0, 0
	for range m.Players() {
		players++
	}
	for range link.Ships.Ships() {
		ships++
	}
	require.Equal(t, 16, players)
	require.GreaterOrEqual(t, ships, 16)
	require.Error(t, write(filepath.Join(t.TempDir(), "missing", "file"), time.Second))
}
