package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/transport"
)

// Control characters in file names and host names do not reach the terminal.
func TestHostileNames(t *testing.T) {
	for _, args := range [][]string{
		{"-record", filepath.Join(t.TempDir(), terminaltest.Hostile, "x")},
		{"-server", terminaltest.Hostile},
		{"-server", "127.0.0.1:" + terminaltest.Hostile},
		{"-listen", terminaltest.Hostile},
		{"-drop", terminaltest.Hostile},
		{"-" + terminaltest.Hostile},
		{terminaltest.Hostile},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var stderr bytes.Buffer
		require.NotZero(t, run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), io.Discard, &stderr))
		complaint, _, _ := strings.Cut(stderr.String(), "Usage:")
		require.NotEmpty(t, complaint)
		terminaltest.RequirePlain(t, complaint)
	}
}

// Control characters in texts of players and servers do not reach the terminal.
func TestHostileTexts(t *testing.T) {
	for _, flag := range []string{"-v=false", "-v", "-x", "-json"} {
		p := startProxy(t, echo(t, '>'), flag)
		player := dial(t, p.addr)
		name, err := transport.NewUTF16Z("\u3164" + strings.ToValidUTF8(terminaltest.Hostile, ""))
		require.NoError(t, err)
		for _, datagram := range [][]byte{
			system(t, 2, &transport.NameChange{PeerID: 2, Name: name}), chat(t, 2, terminaltest.Hostile), []byte(`\hostname\` + terminaltest.Hostile), []byte(terminaltest.Hostile),
		} {
			send(t, player, datagram)
			receive(t, player)
		}
		require.Zero(t, p.stop())
		require.Contains(t, p.stdout.String(), "ChatMessage")
		require.Contains(t, p.stdout.String(), `\u3164`)
		terminaltest.RequirePlain(t, p.stdout.String())
		terminaltest.RequirePlain(t, p.log.String())
	}
}
