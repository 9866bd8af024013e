//go:build tshark

package wireshark

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/newmessage"
)

// TestNewMessageAndField makes a copy of the library, adds a message and a field, runs go generate,
// and looks at both in TShark.
func TestNewMessageAndField(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	newmessage.Copy(t, "../..", root, "cipher", "compress", "gamespy", "objectid", "opcode", "stateupdate", "stream", "transport", "testdata/vectors",
		"examples/wireshark", "go.mod", "go.sum", "go.work", "examples/go.mod", "examples/go.sum")
	e := newmessage.New(t, root, "ProbeB")
	e.Apply(t, root)
	newmessage.Replace(t, filepath.Join(root, "opcode/shots.go"), `c.Field("Direction").Vector3(&m.Direction)`,
		"c.Field(\"Direction\").Vector3(&m.Direction)\n\tvar spin int16\n\tc.Field(\"Spin\").Int16(&spin)")
	for _, dir := range []string{".", "examples"} {
		packages := map[string]string{".": "./opcode", "examples": "./wireshark"}
		cmd := exec.CommandContext(t.Context(), "go", "generate", packages[dir])
		cmd.Dir = filepath.Join(root, dir)
		cmd.Env = append(cmd.Environ(), "GOWORK=") // a workspace that the user has named does not apply to the copy
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}

	torpedo := vectors(t, "payloads.json")
	var w wireCase
	w.add(testCase{"probe", []datagram{{data: carried([]byte{e.Opcode, 7, 0, 0, 0x80, 0x3F})}}})
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
	for _, want := range []string{"Opcode: ProbeB", "Seq: 7", "Time: 1", "Opcode: TorpedoFire", "Spin: -2"} {
		require.Regexp(t, `(?m)^ +`+want+`$`, string(out))
	}
	cmd = command(t, "-X", script, "-r", w.write(t, false), "-Y", "bcwire.probeb.time == 1 || bcwire.torpedofire.spin == -2")
	out, err = cmd.Output()
	require.NoError(t, err)
	require.Equal(t, 2, bytes.Count(out, []byte("\n")), string(out))
}
