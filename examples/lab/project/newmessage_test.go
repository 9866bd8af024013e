//go:build newmessage

package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The three edits of CONTRIBUTING.md, which add a message to a copy of the project.
const (
	typeOfProbe = `package opcode

import "github.com/bcwire/bcwire/stream"

// Probe tells the host the time on its sender's clock.
//
//	offset  size  field
//	0       1     0x3A
//	1       1     Seq
//	2       4     Time, seconds
//
// Evidence: inferred. A script message.
type Probe struct {
	Seq  uint8
	Time float32
}

func (*Probe) authorize(authority) *authError { return nil }

// Walk implements [Message].
func (m *Probe) Walk(c *stream.Codec) {
	c.Field("Seq").Uint8(&m.Seq)
	c.Field("Time").Float32(&m.Time)
}
`
	rowOfProbe    = "0x3A Probe script up reliable host inferred 6 6 6 match\n"
	vectorOfProbe = `{"name": "probe", "kind": "constructed", "sources": ["[inferred]"], "aliases": [], "dir": "c2s", "hex": "3a070000803f",
  "opcode": "0x3A", "message": "Probe", "fields": {"seq": 7, "time": 1.0}, "floatBits": {"time": "3f800000"}, "error": "", "errorAt": "", "note": ""}`
)

// Three edits and one command add a message. Then all tests of both modules pass, and a mistake in an
// edit gives an error that names the file.
func TestNewMessageTakesThreeEdits(t *testing.T) {
	dir := t.TempDir()
	copyProject(t, dir)
	edit := func(file, from, to string) {
		t.Helper()
		name := filepath.Join(dir, file)
		text, _ := os.ReadFile(name)
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
	}
	fails := func(want string, command ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", command...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=")
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
	}
	generate := []string{"run", "./examples/lab/generate"}
	test := []string{"test", "-vet=off", "./opcode"}
	const typeFile, messages, vectors = "opcode/probe.go", "opcode/messages.txt", "testdata/vectors/payloads-constructed.json"

	edit(typeFile, "", typeOfProbe)
	fails("opcode/messages.txt has no row for Probe (0x3A), which is in opcode/probe.go: add one", generate...)
	edit(messages, "0x3F ScoreInit ", rowOfProbe+"0x3F ScoreInit ")
	fails("payloads-constructed.json has no vector for Probe (0x3A): add one", generate...)
	edit(vectors, "[", "["+vectorOfProbe+", ")

	changed := strings.Fields(run(t, dir, "go", generate...))
	require.Contains(t, changed, "opcode/message_gen.go")
	require.Contains(t, changed, "examples/wireshark/bcwire.lua")
	require.Empty(t, run(t, dir, "go", append(generate, "-check")...), "a second run changes files")

	for _, mistake := range []struct{ file, right, wrong, want string }{
		{typeFile, "4     Time", "2     Time", `opcode/probe.go: the layout table of Probe: the size of the row "Time, seconds" is 2, the walk has 4`},
		{messages, "6 6 6", "5 7 6", "opcode/messages.txt, row of Probe: the columns min and max are 5 7, valid messages have 6 6"},
		{vectors, `"seq": 7`, `"seq": 8`, `the vector "probe" is in testdata/vectors/payloads-constructed.json`},
	} {
		edit(mistake.file, mistake.right, mistake.wrong)
		if mistake.file == messages {
			run(t, dir, "go", generate...)
		}
		fails(mistake.want, test...)
		edit(mistake.file, mistake.wrong, mistake.right)
	}
	run(t, dir, "go", generate...)

	run(t, dir, "go", "test", "-vet=off", "./...", "./examples/...")
	run(t, dir, "go", "test", "-vet=off", "-tags", "tshark", "-run", "Vectors", "./examples/wireshark")
}

// copyProject copies the files that version control knows, or would add.
func copyProject(t *testing.T, to string) {
	t.Helper()
	for _, name := range strings.Split(run(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if name == "" || os.IsNotExist(err) { // deleted
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(to, name), data, 0o600))
	}
}
