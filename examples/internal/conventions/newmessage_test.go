//go:build newmessage || goget

package conventions

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The three edits that add a message: a file with the type, a row of the table, and a vector.
const (
	pingFile = `package opcode

import "github.com/bcwire/bcwire/stream"

// Ping tells the host the time on its sender's clock.
//
//	offset  size  field
//	0       1     0x3A
//	1       1     Seq
//	2       4     Time, seconds
//
// Evidence: inferred. A script message.
type Ping struct {
	Seq  uint8
	Time float32
}

func (*Ping) authorize(*authority) {}

// Walk implements [Message].
func (m *Ping) Walk(c *stream.Codec) {
	c.Field("Seq").Uint8(&m.Seq)
	c.Field("Time").Float32(&m.Time)
}
`
	pingRow    = "0x3A Ping script up reliable host inferred 6 6 6 match\n"
	pingVector = `{"name": "ping", "kind": "constructed", "sources": ["[inferred]"], "aliases": [], "dir": "c2s", "hex": "3a070000803f",
  "opcode": "0x3A", "message": "Ping", "fields": {"seq": 7, "time": 1.0}, "floatBits": {"time": "3f800000"}, "error": "", "errorAt": "", "note": ""}`
)

// A new message needs three edits. Afterwards, the generators run and the tests of all messages
// pass. The test takes ten seconds. CI runs it with its build tag:
//
//	go test -C examples -tags newmessage -run NewMessage ./internal/conventions
func TestNewMessageTakesThreeEdits(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "cipher", "compress", "objectid", "opcode", "stream", "testdata", "transport", "README.md"} {
		copyTree(t, filepath.Join(root, name), filepath.Join(dir, name))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "opcode/ping.go"), []byte(pingFile), 0o600))
	edit(t, filepath.Join(dir, "opcode/messages.txt"), func(text string) string {
		before, after, found := strings.Cut(text, "0x3F ScoreInit")
		require.True(t, found)
		return before + pingRow + "0x3F ScoreInit" + after
	})
	edit(t, filepath.Join(dir, "testdata/vectors/payloads-constructed.json"), func(text string) string {
		list, found := strings.CutSuffix(strings.TrimSpace(text), "]")
		require.True(t, found)
		return list + ", " + pingVector + "]"
	})
	run(t, dir, "go", "generate", "./opcode")
	out := run(t, dir, "go", "test", "-v", "-run", "^Test", "./opcode")
	for _, name := range []string{"TestVectors/ping", "TestRoundTrip/Ping", "TestPrefixes/Ping", "TestLayouts/Ping"} {
		require.Contains(t, out, "--- PASS: "+name+" ")
	}
}

func copyTree(t *testing.T, from, to string) {
	info, err := os.Stat(from)
	require.NoError(t, err)
	if info.IsDir() {
		require.NoError(t, os.CopyFS(to, os.DirFS(from)))
		return
	}
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o600))
}

func edit(t *testing.T, file string, f func(text string) string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(f(string(text))), 0o600))
}

// run runs a command and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", passed.ReplaceAllString(string(out), ""))
	return string(out)
}

// passed matches the lines of tests that did not fail.
var passed = regexp.MustCompile(`(?m)^\s*(=== RUN|--- PASS|=== CONT|=== PAUSE).*\n`)
