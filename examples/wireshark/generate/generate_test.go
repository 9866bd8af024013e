package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/newmessage"
)

// library is the directory of the library.
const library = "../../.."

// copyOf copies packages of the library to a new root.
func copyOf(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	newmessage.Copy(t, library, root, names...)
	return root
}

func wholeCopy(t *testing.T) string {
	return copyOf(t, "cipher", "compress", "objectid", "opcode", "stateupdate", "stream", "transport", "testdata/vectors")
}

func TestDissectorIsUpToDate(t *testing.T) {
	want, err := generate(library)
	require.NoError(t, err)
	got, err := os.ReadFile("../bcwire.lua")
	require.NoError(t, err)
	require.True(t, want == string(got), "run go run -C examples ./internal/generate")
}

func TestNewMessageAppears(t *testing.T) {
	root := wholeCopy(t)
	e := newmessage.New(t, root, "ProbeB")
	e.Type = strings.Replace(e.Type, `	c.Field("Time").Float32(&m.Time)`, `	if m.Seq > 0 {
		c.Field("Time").Float32(&m.Time)
	}`, 1)
	e.Apply(t, root)

	text, err := generate(root)

	require.NoError(t, err)
	require.Contains(t, text, `function W.opcode_ProbeB_Walk(m)
  m.Seq = u8("Seq")
  if m.Seq > 0 then
    f32("Time")
  end
end
`)
	require.Contains(t, text, fmt.Sprintf(`O[0x%02X] = "ProbeB"`, e.Opcode))
	require.Contains(t, text, `protofield("bcwire.probeb.time", "Time", "float", nil, false)`)
}

func TestNewFieldAppears(t *testing.T) {
	root := wholeCopy(t)
	newmessage.Replace(t, filepath.Join(root, "opcode/shots.go"), `c.Field("Direction").Vector3(&m.Direction)`,
		`c.Field("Direction").Vector3(&m.Direction)
	var spin int16
	c.Field("Spin").Int16(&spin)`)

	text, err := generate(root)

	require.NoError(t, err)
	require.Contains(t, text, `  vector3("Direction")
  local spin = 0
  spin = i16("Spin")
`)
	require.Contains(t, text, `protofield("bcwire.torpedofire.spin", "Spin", "int16", nil, false)`)
}

func TestUnsupportedWalkNamesItsPlace(t *testing.T) {
	root := wholeCopy(t)
	newmessage.Replace(t, filepath.Join(root, "opcode/shots.go"), `c.Field("PlayerID").PeerID8(&m.PlayerID)`,
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
