package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// library is the directory of the library.
const library = "../../.."

// copyOf copies packages of the library to a new root.
func copyOf(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(library, name))))
	}
	return root
}

func wholeCopy(t *testing.T) string {
	return copyOf(t, "cipher", "compress", "objectid", "opcode", "stateupdate", "stream", "transport", "testdata/vectors")
}

// replace replaces a text in a file once.
func replace(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), from)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

func TestDissectorIsUpToDate(t *testing.T) {
	want, err := generate(library)
	require.NoError(t, err)
	got, err := os.ReadFile("../bcwire.lua")
	require.NoError(t, err)
	require.True(t, want == string(got), "run go run ./examples/lab/generate")
}

// A new message and a new field appear in the dissector.
func TestChangesAppear(t *testing.T) {
	root := wholeCopy(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "opcode/probe.go"), []byte(`package opcode

import "github.com/bcwire/bcwire/stream"

type Probe struct {
	Seq  uint8
	Time float32
}

func (m *Probe) Walk(c *stream.Codec) {
	c.Field("Seq").Uint8(&m.Seq)
	if m.Seq > 0 {
		c.Field("Time").Float32(&m.Time)
	}
}
`), 0o600))
	replace(t, filepath.Join(root, "opcode/messages.txt"), "0x3F ScoreInit", "0x3A Probe script up reliable host inferred 2 6 6 match\n0x3F ScoreInit")
	replace(t, filepath.Join(root, "opcode/shots.go"), `c.Field("Direction").Vector3(&m.Direction)`,
		`c.Field("Direction").Vector3(&m.Direction)
	var spin int16
	c.Field("Spin").Int16(&spin)`)

	text, err := generate(root)

	require.NoError(t, err)
	require.Contains(t, text, `function W.opcode_Probe_Walk(m)
  m.Seq = u8("Seq")
  if m.Seq > 0 then
    f32("Time")
  end
end
`)
	require.Contains(t, text, `O[0x3A] = "Probe"`)
	require.Contains(t, text, `protofield("bcwire.probe.time", "Time", "float", nil, false)`)
	require.Contains(t, text, `  vector3("Direction")
  local spin = 0
  spin = i16("Spin")
`)
	require.Contains(t, text, `protofield("bcwire.torpedofire.spin", "Spin", "int16", nil, false)`)
}

func TestUnsupportedWalkNamesItsPlace(t *testing.T) {
	root := wholeCopy(t)
	replace(t, filepath.Join(root, "opcode/shots.go"), `c.Field("PlayerID").PeerID8(&m.PlayerID)`,
		`go c.Field("PlayerID").PeerID8(&m.PlayerID)`)

	_, err := generate(root)

	require.ErrorContains(t, err, "opcode/shots.go:")
	require.ErrorContains(t, err, "unsupported: the statement *ast.GoStmt")
}

// Each file of the runtime is in the dissector, once.
func TestWholeRuntime(t *testing.T) {
	files, err := runtime.ReadDir("runtime")
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".lua"))
	}
	require.ElementsMatch(t, names, slices.Concat(beforeTables, afterTables))
}
