//go:build tshark

package wireshark

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pingFile = `package opcode

import "github.com/bcwire/bcwire/stream"

// Ping asks the host for a sign of life.
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

// change replaces a text in a file of a copy of the library.
func change(t *testing.T, file, from, to string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), from)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// TestNewMessageAndField makes a copy of the library, adds a message and a field, runs go generate,
// and looks at both in TShark.
func TestNewMessageAndField(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"cipher", "compress", "gamespy", "objectid", "opcode", "stateupdate", "stream", "transport", "examples/wireshark"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("../..", name))))
	}
	for _, name := range []string{"go.mod", "go.sum", "examples/go.mod", "examples/go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "opcode/ping.go"), []byte(pingFile), 0o600))
	change(t, filepath.Join(root, "opcode/messages.txt"), "0x3F ScoreInit", "0x3A Ping script up reliable host inferred 6 6 6 match\n0x3F ScoreInit")
	change(t, filepath.Join(root, "opcode/shots.go"), `c.Field("Direction").Vector3(&m.Direction)`,
		"c.Field(\"Direction\").Vector3(&m.Direction)\n\tvar spin int16\n\tc.Field(\"Spin\").Int16(&spin)")
	for _, dir := range []string{".", "examples"} {
		packages := map[string]string{".": "./opcode", "examples": "./wireshark"}
		cmd := exec.CommandContext(t.Context(), "go", "generate", packages[dir])
		cmd.Dir = filepath.Join(root, dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}

	torpedo := vectors(t, "payloads.json")
	var w wireCase
	w.add(testCase{"ping", []datagram{{data: carried([]byte{0x3A, 7, 0, 0, 0x80, 0x3F})}}})
	for name, payload := range torpedo {
		if payload[0] != 0x19 || len(payload) < 10 { // a TorpedoFire
			continue
		}
		payload = append(bytes.Clone(payload[:10]), append([]byte{0xFE, 0xFF}, payload[10:]...)...)
		w.add(testCase{name, []datagram{{toClient: true, data: carried(payload)}}})
		break
	}
	require.Len(t, w.packets, 2)
	script := "lua_script:" + filepath.Join(root, "examples/wireshark/bcwire.lua")
	cmd := command(t, "-X", script, "-r", w.write(t, false), "-V")
	out, err := cmd.Output()
	require.NoError(t, err)
	for _, want := range []string{"Opcode: Ping", "Seq: 7", "Time: 1", "Opcode: TorpedoFire", "Spin: -2"} {
		require.Regexp(t, `(?m)^ +`+want+`$`, string(out))
	}
	cmd = command(t, "-X", script, "-r", w.write(t, false), "-Y", "bcwire.ping.time == 1 || bcwire.torpedofire.spin == -2")
	out, err = cmd.Output()
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(out, []byte("\n")), string(out))
}
