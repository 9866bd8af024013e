//go:build newmessage || goget

package conventions

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs a command and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", passed.ReplaceAllString(string(out), ""))
	return string(out)
}

// passed matches the lines of tests that did not fail.
var passed = regexp.MustCompile(`(?m)^\s*(=== RUN|--- PASS|=== CONT|=== PAUSE).*\n`)
