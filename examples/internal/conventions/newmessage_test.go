//go:build newmessage

package conventions

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/newmessage"
)

// Three edits by hand add a message to a copy of both modules. One command writes the rest. Then the
// tests that look at all messages pass. The test takes 40 seconds. CI runs it with its build tag:
//
//	go test -C examples -tags newmessage -run NewMessage ./internal/conventions
func TestNewMessageTakesThreeEdits(t *testing.T) {
	dir := t.TempDir()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || e.Name() == ".github" {
			newmessage.Copy(t, root, dir, e.Name())
		}
	}
	newmessage.New(t, dir, "Probe").Apply(t, dir)

	changed := strings.Fields(run(t, dir, "go", "run", "-C", "examples", "./internal/generate"))

	require.Contains(t, changed, "opcode/message_gen.go")
	require.Contains(t, changed, "examples/wireshark/bcwire.lua")
	require.Contains(t, changed, "testdata/api/opcode.txt")
	require.Empty(t, run(t, dir, "go", "run", "-C", "examples", "./internal/generate", "-check"), "a second run changes files")
	out := run(t, dir, "go", "test", "-vet=off", "-v", "-run", "^Test", "./opcode", "./stateupdate")
	for _, name := range []string{"TestVectors", "TestRoundTrip", "TestPrefixes", "TestLayouts"} {
		require.Contains(t, out, "--- PASS: "+name+"/Probe ")
	}
	run(t, dir, "go", "test", "-C", "examples", "-vet=off", "./internal/conventions", "./internal/generate", "./internal/show", "./wireshark/generate")
}
