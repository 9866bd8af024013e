package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
)

// Names of files do nothing to a terminal, whatever is wrong with the files.
func TestHostileFileNames(t *testing.T) {
	missing := filepath.Join(t.TempDir(), terminaltest.FileName())
	bad := filepath.Join(t.TempDir(), terminaltest.FileName())
	require.NoError(t, os.WriteFile(bad, []byte("{\x1b"), 0o600))
	for _, args := range [][]string{
		{"-manifest", missing},
		{"-manifest", bad},
		{"-record", filepath.Join(missing, "x")},
		{"-master", terminaltest.Hostile},
		{"-metrics", terminaltest.Hostile},
		{"-name", terminaltest.Hostile},
		{"-map", terminaltest.Hostile},
		{"-policy", terminaltest.Hostile},
		{"-addr", terminaltest.Hostile},
		{"-" + terminaltest.Hostile},
		{terminaltest.Hostile},
	} {
		var stderr terminaltest.Buffer
		require.NotZero(t, run(t.Context(), append([]string{"-addr", "127.0.0.1:0"}, args...), strings.NewReader(""), &stderr))
		complaint, _, _ := strings.Cut(stderr.String(), "Usage:")
		require.NotEmpty(t, complaint)
		terminaltest.RequirePlain(t, complaint)
	}
}
