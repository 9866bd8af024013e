package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files that are new, changed or gone differ. Hidden directories do not count.
func TestDifferences(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for _, name := range []string{"same", "a/changed", "gone", ".git/changed"} {
		write(name, "1")
	}
	before, err := snapshot(root)
	require.NoError(t, err)
	write("a/changed", "2")
	write("b/new", "1")
	write("same", "1")
	write(".git/changed", "2")
	require.NoError(t, os.Remove(filepath.Join(root, "gone")))

	after, err := snapshot(root)

	require.NoError(t, err)
	require.Equal(t, []string{"a/changed", "b/new", "gone"}, differences(before, after))
	require.Empty(t, differences(after, after))
}
