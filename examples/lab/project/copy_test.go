package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCopies builds each program that users copy in a module of its own, which requires the library alone.
func TestCopies(t *testing.T) {
	t.Parallel()
	library, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, name := range []string{"minimal", "chatbot", "wingman", "filter", "killfeed", "tournament"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(filepath.Join(root, "examples", name, "main.go"))
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), source, 0o600))
			run(t, dir, "go", "mod", "init", "example.com/"+name)
			run(t, dir, "go", "mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+library)
			run(t, dir, "go", "build", "-o", name+".exe")
		})
	}
}
