package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Control characters in file names do not reach the terminal, whatever is wrong with the file.
func TestHostileFileNames(t *testing.T) {
	dir := t.TempDir()
	path := func(n, content string) string {
		name := filepath.Join(dir, n+terminaltest.FileName())
		if content != "" {
			require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		}
		return name
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir"+terminaltest.FileName()), 0o700))
	for name, args := range map[string][]string{
		"missing":         {path("a", "")},
		"directory":       {path("dir", "")},
		"binary":          {path("b", "\x00\x01\x02\x03")},
		"bad line":        {path("c", "zz\n"+terminaltest.Hostile)},
		"bad JSON":        {path("d", "{\"hex\":\x1b[2J}")},
		"not a pcap":      {path("e", "\xa1\xb2\xc3\xd4")},
		"no classes":      {"-classes", path("f", "")},
		"bad classes":     {"-classes", path("g", `{"schema":2,"\u009b":1}`)},
		"no such flag":    {"-" + terminaltest.Hostile},
		"no such port":    {"-port", terminaltest.Hostile},
		"direction alone": {path("h", "s2c")},
	} {
		t.Run(name, func(t *testing.T) {
			res := runDump(t, "", args...)
			require.NotZero(t, res.status)
			require.NotEmpty(t, res.stderr)
			complaint, _, _ := strings.Cut(res.stderr, "Usage:")
			terminaltest.RequirePlain(t, complaint)
			require.Empty(t, res.stdout)
		})
	}
}

// Control characters in the ship classes of a mod do not reach the terminal.
func TestHostileClasses(t *testing.T) {
	const name = `"name":"x\u001b[2J\nforged: line\t\u007f\u009b\u202e"`
	text := []byte(`{"ships":[{"species":46,"key":"k",` + name + `,"script":"s","subsystems":[
		{` + name + `,"kind":"pulse","children":[{` + name + `}]},{"name":"\u001b","kind":"shield"}]}]}`)
	classes, err := stateupdate.ParseJSON(text)
	require.NoError(t, err)
	object, err := stateupdate.NewShip(0x3FFFFFFF, classes[0]).Object()
	require.NoError(t, err)
	create, err := opcode.Marshal(&opcode.ObjectCreateTeam{Object: object})
	require.NoError(t, err)
	update, err := opcode.Marshal(&opcode.StateUpdate{
		ObjectID: 0x3FFFFFFF, Flags: opcode.StatePower | opcode.StateSubsystems,
		Power: []opcode.PowerEntry{{Index: 0, Value: 100}}, StartIndex: 9,
	})
	require.NoError(t, err)
	input := hexLines(
		pack(t, 1, transport.NewData(0, create)), pack(t, 1, transport.NewData(1, append(create, 1, 2))),
		pack(t, 1, transport.NewData(2, create[:len(create)-1])), pack(t, 1, transport.NewData(3, update)),
	)
	file := writeFile(t, "classes.json", text)
	for _, flag := range []string{"-v=false", "-v", "-x", "-json", "-check", "-stats"} {
		res := runDump(t, input, "-plain", "-classes", file, flag, "-")
		require.Empty(t, res.stderr)
		terminaltest.RequirePlain(t, res.stdout)
		if flag != "-check" && flag != "-stats" {
			require.Contains(t, res.stdout, "forged: line", flag)
		}
	}
}
