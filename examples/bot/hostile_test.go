package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Control characters in the names of files do not reach the terminal.
func TestHostileFileNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, terminaltest.FileName())
	require.NoError(t, os.WriteFile(bad, []byte("{\x1b"), 0o600))
	for _, args := range [][]string{
		{"-files", bad},
		{"-files", filepath.Join(bad, "x")},
		{"-files", bad},
		{"-files", bad + "x"},
		{"-addr", terminaltest.Hostile},
		{"-ship", terminaltest.Hostile},
		{"-" + terminaltest.Hostile},
		{terminaltest.Hostile},
	} {
		var stdout, stderr output
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		require.NotZero(t, run(ctx, args, &stdout, &stderr))
		cancel()
		complaint, _, _ := strings.Cut(stderr.String(), "Usage:")
		require.NotEmpty(t, complaint)
		terminaltest.RequirePlain(t, complaint)
		terminaltest.RequirePlain(t, stdout.String())
	}
	game := filepath.Join(dir, "game"+terminaltest.FileName())
	ships := filepath.Join(game, "scripts", "ships")
	require.NoError(t, os.MkdirAll(ships, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(ships, "Akira.pyc"), nil, 0o600))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(ships, terminaltest.FileName())))
	b := start(listen(t, hosttest.Options{Silent: true}), "-files", game, "-duration", "50ms")
	require.Equal(t, terminal.ExitFailed, b.wait(t))
	require.Contains(t, b.stderr.String(), "forged")
	terminaltest.RequirePlain(t, b.stderr.String())
	terminaltest.RequirePlain(t, b.stdout.String())
}

// Control characters in texts of the host and of other players do not reach the terminal.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const name = "x\x1b[2J\nforged: line\t\x7f\u0090\u009d\u202e"
	text := stream.Text(terminaltest.Hostile)
	systemName, err := transport.NewUTF16Z(name + terminaltest.Invisible)
	require.NoError(t, err)
	l := listen(t, hosttest.Options{Settings: &opcode.Settings{Map: text}})
	b := start(l, "-v")
	b.until(t, "plays in")
	ship := stateupdate.NewShip(0x3FFFFFFF+objectid.ID(objectid.PerSlot), stateupdate.Stock().Named("akira"))
	ship.PlayerName = strings.TrimSuffix(name, "\u202e") // in Windows-1252
	ship.SetName = ship.PlayerName
	object, err := ship.Object()
	require.NoError(t, err)
	l.do(func(h *hosttest.Host) {
		require.NoError(t, h.Last().Session.SendSystem(&transport.NameChange{PeerID: 3, Name: systemName}))
		h.Last().Send(
			opcode.NewPlayerJoined(3), &opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: 3, Object: object},
			&opcode.FileTransfer{Name: text}, &opcode.ChatMessage{SenderID: 3, Text: text},
			&opcode.ScoreChange{}, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("done")},
		)
	})
	b.until(t, ": done")
	b.stop()
	require.Zero(t, b.wait(t))
	require.Greater(t, strings.Count(b.stdout.String(), "forged: line"), 2)
	terminaltest.RequirePlain(t, b.stdout.String())
	terminaltest.RequirePlain(t, b.stderr.String())

	for _, refusal := range []opcode.Message{
		&opcode.VersionMismatch{Name: text}, &opcode.SystemChecksumFailed{Name: text},
	} {
		b := start(listen(t, hosttest.Options{Hook: func(c *hosttest.Client, m opcode.Message) bool {
			if m.Opcode() == opcode.OpChecksumResponse {
				c.Send(refusal)
			}
			return m.Opcode() == opcode.OpChecksumResponse
		}}))
		require.Equal(t, terminal.ExitFailed, b.wait(t))
		require.Contains(t, b.stderr.String(), "forged")
		terminaltest.RequirePlain(t, b.stderr.String())
	}
}
