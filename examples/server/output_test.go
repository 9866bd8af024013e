package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Names of files do nothing to a terminal, whatever is wrong with the files.
func TestHostileFileNames(t *testing.T) {
	missing := filepath.Join(t.TempDir(), terminaltest.Hostile)
	bad := filepath.Join(t.TempDir(), terminaltest.Hostile)
	require.NoError(t, os.WriteFile(bad, []byte("{\x1b"), 0o600))
	for _, args := range [][]string{
		{"-manifest", missing},
		{"-manifest", bad},
		{"-record", filepath.Join(missing, "x")},
		{"-master", terminaltest.Hostile},
		{"-metrics", terminaltest.Hostile},
		{"-name", terminaltest.Hostile},
		{"-map", terminaltest.Hostile},
		{"-policy", terminaltest.Hostile},
		{"-addr", terminaltest.Hostile},
		{"-" + terminaltest.Hostile},
		{terminaltest.Hostile},
	} {
		var stderr output
		require.NotZero(t, run(t.Context(), append([]string{"-addr", "127.0.0.1:0"}, args...), strings.NewReader(""), &stderr))
		complaint, _, _ := strings.Cut(stderr.String(), "Usage:")
		require.NotEmpty(t, complaint)
		terminaltest.RequirePlain(t, complaint)
	}
}

// What players and the console write does nothing to a terminal that shows the log.
func TestHostileTextsInLog(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		w := newWorld(t, options{}, nil)
		var log output
		w.match.log = terminal.Logger(&log, asJSON, true)
		const name = "x\x1b[2J\nforged: line\t\x7f\u0090\u009d\u202e"
		g := w.join(name)
		text := stream.Text(name)
		g.say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: text})
		g.name = strings.TrimSuffix(name, "\u202e") // the name of a ship is in Windows-1252
		g.launch("akira", 0)
		g.say(&opcode.VersionMismatch{Name: text})
		for _, command := range []string{"kick ", "", "say "} {
			require.False(t, w.match.command(command+terminaltest.Hostile))
		}
		w.run(time.Second)
		require.Contains(t, log.String(), "forged: line")
		require.Contains(t, log.String(), "no such player")
		require.Contains(t, log.String(), "no such command")
		require.Contains(t, log.String(), "chat")
		terminaltest.RequirePlain(t, log.String())
	}
}
