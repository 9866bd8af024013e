package project

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs a command in a directory and returns its output. A workspace that the user has named does
// not apply there.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOWORK=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", name, args, out)
	return string(out)
}
