//go:build newmessage

package conventions

import (
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
	t.Parallel()
	dir := t.TempDir()
	newmessage.CopyModules(t, root, dir)
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
	run(t, dir, "go", "test", "-C", "examples", "-vet=off", "./internal/conventions", "./internal/generate", "./internal/numbers", "./internal/show", "./wireshark/generate")
	requireFailures(t, dir)
}

// requireFailures makes mistakes that only the tests of the messages can find, each in a message of
// its own. The failures name the file and the values that the test has found.
func requireFailures(t *testing.T, dir string) {
	for _, m := range []struct{ name, in, from, to string }{
		{"ProbeOffset", "type", "2       4     Time", "3       4     Time"},
		{"ProbeSize", "type", "4     Time", "2     Time"},
		{"ProbeField", "type", "Time, seconds", "Seconds"},
		{"ProbeColumns", "row", "6 6 6", "5 7 6"},
		{"ProbeVector", "vector", `"seq": 7`, `"seq": 8`},
		{"ProbeForgotten", "vector", "", ""},
	} {
		e := newmessage.New(t, dir, m.name)
		text := map[string]*string{"type": &e.Type, "row": &e.Row, "vector": &e.Vector}[m.in]
		require.Contains(t, *text, m.from)
		if *text = strings.Replace(*text, m.from, m.to, 1); m.from == "" {
			*text = ""
		}
		e.Apply(t, dir)
	}
	run(t, dir, "go", "generate", "./opcode")
	cmd := command(t, dir, "go", "test", "-vet=off", "-run", "^Test(Layouts|InfoSizes|Vectors|EveryTypeHasPayloads)$", "./opcode")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	for _, want := range []string{
		`opcode/probeoffset.go: the layout table of ProbeOffset: the offset of the row "Time, seconds" is 3, the walk has 2 in ProbeOffset`,
		`opcode/probesize.go: the layout table of ProbeSize: the size of the row "Time, seconds" is 2, the walk has 4 in ProbeSize`,
		`opcode/probefield.go: the layout table of ProbeField: no row begins with Time, which the walk has at offset 2 with size 4`,
		`opcode/messages.txt, row of ProbeColumns: the columns min and max are 5 7, valid messages have 6 6`,
		`the vector "ProbeVector" is in testdata/vectors/payloads-constructed.json`,
		`testdata/vectors/payloads-constructed.json has no vector for ProbeForgotten (`,
	} {
		require.Contains(t, string(out), want)
	}
}
