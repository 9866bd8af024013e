package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/gamespy"
)

// Control characters in host names do not reach the terminal.
func TestHostileHosts(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-addr", terminaltest.Hostile},
		{"-addr", "127.0.0.1:" + terminaltest.Hostile},
		{"-master", terminaltest.Hostile},
		{"-wait", terminaltest.Hostile},
		{"-" + terminaltest.Hostile},
		{terminaltest.Hostile},
	} {
		res := runBrowse(t, args...)
		require.NotZero(t, res.status)
		complaint, _, _ := strings.Cut(res.stderr, "Usage:")
		require.NotEmpty(t, complaint)
		terminaltest.RequirePlain(t, complaint)
		terminaltest.RequirePlain(t, res.stdout)
	}
}

// Control characters in texts of servers do not reach the terminal.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	evil := strings.ReplaceAll(terminaltest.Hostile, `\`, "")
	var reply strings.Builder
	for _, key := range []string{"hostname", "mapname", "gamemode", "system", "player_0", "numplayers", "mod", evil} {
		reply.WriteString(`\` + key + `\` + evil)
	}
	addr := rawServer(t, reply.String()+`\final\\queryid\1.1`).String()
	for _, flag := range []string{"-players", "-json"} {
		res := runBrowse(t, "-addr", addr, flag)
		require.Zero(t, res.status)
		require.Contains(t, res.stdout, "forged: line")
		terminaltest.RequirePlain(t, res.stdout)
	}

	// One server does not push the others off the screen.
	var crowd strings.Builder
	for i := range 500 {
		fmt.Fprintf(&crowd, `\player_%d\%s`, i, evil)
	}
	res := runBrowse(t, "-addr", rawServer(t, crowd.String()+`\final\\queryid\1.1`).String(), "-players")
	require.Zero(t, res.status)
	require.Less(t, strings.Count(res.stdout, "\n"), 40)
	require.Contains(t, res.stdout, "… and 468 more\n")

	// On a terminal, an error follows the table.
	var w bytes.Buffer
	f := fixed(1)
	f.servers[0].Pairs = gamespy.Pairs{{Key: "hostname", Value: evil}}
	f.err = errors.New(terminaltest.Hostile)
	s := screen{w: &w, size: func() (int, int, error) { return 200, 50, nil }}
	require.NoError(t, s.show(&tableOutput{style: newStyle(false)}, f))
	text := strings.NewReplacer(home, "", clearLine, "", clearRest, "", "\r\n", "\n").Replace(w.String())
	require.Contains(t, text, `browse: x\x1b[2J\nforged: line`)
	terminaltest.RequirePlain(t, text)
}

// A text of a master is an error, not a list of addresses.
func TestMasterThatRefuses(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Write([]byte(`\basic\\secure\LRPOPQ`))
				conn.Read(make([]byte, 1024))
				conn.Write([]byte(`\error\Unknown game "x` + "\u009b" + `"\final\`))
			}()
		}
	}()
	res := runBrowse(t, "-master", l.Addr().String(), "-wait", "200ms")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, `gamespy: the master reports an error: "Unknown game`)
	terminaltest.RequirePlain(t, res.stderr)
	require.NotContains(t, res.stdout, "did not")
}
