package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// A short match decodes without errors, and has all players, ships and kinds of events.
func TestShortMatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.jsonl")
	require.NoError(t, write(name, 2*time.Minute))
	store := match.New(match.Options{Dir: t.TempDir()})
	defer store.Close()
	require.NoError(t, load(store, name))
	info := store.Info()
	require.Empty(t, info.Problem)
	require.Greater(t, info.Messages, 10_000)
	require.Len(t, info.Links, 1)
	rows, err := store.Messages(match.Query{Filter: match.Filter{Marks: "error,dialect,duplicate,note"}, Count: 1})
	require.NoError(t, err)
	require.Empty(t, rows.Rows)
	w, err := store.Window(1, info.End-2, info.End, true)
	require.NoError(t, err)
	require.Len(t, w.Snapshot.Players, 16)
	require.GreaterOrEqual(t, len(w.Snapshot.Ships), 16)
	require.Greater(t, len(w.Changes), 200)
	events, _, err := store.Events(1, 0, 1000)
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, e := range events {
		kinds[e.Kind] = true
	}
	require.Equal(t, map[string]bool{"join": true, "chat": true, "kill": true, "score": true}, kinds)
}

func TestMeasure(t *testing.T) {
	name := filepath.Join(t.TempDir(), "match.jsonl")
	require.NoError(t, write(name, 10*time.Second))
	require.NoError(t, measure(name))
	require.Error(t, measure(filepath.Join(t.TempDir(), "missing")))
	require.Error(t, run(filepath.Join(t.TempDir(), "missing", "file"), time.Second))
}
