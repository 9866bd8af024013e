//go:build newmessage || goget

package conventions

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// command returns a command in the directory of a copy of both modules. A workspace that the user has named does not
// apply to the copy.
func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOWORK=")
	return cmd
}

// run runs a command and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := command(t, dir, name, args...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", passed.ReplaceAllString(string(out), ""))
	return string(out)
}

// passed matches the lines of tests that did not fail.
var passed = regexp.MustCompile(`(?m)^\s*(=== RUN|--- PASS|=== CONT|=== PAUSE).*\n`)
