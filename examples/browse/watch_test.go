package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

func TestWatchInPipe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	addr := server(t, gamespy.NewServerInfo("Watched"))
	var stdout, stderr terminaltest.Buffer
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"-watch", "-every", "10ms", "-addr", addr.String()}, &stdout, &stderr)
	}()
	require.Eventually(t, func() bool { return strings.Count(stdout.String(), "Watched") >= 3 }, 20*time.Second, time.Millisecond)
	cancel()
	require.Zero(t, <-done)
	require.Empty(t, stderr.String())
	require.NotContains(t, stdout.String(), "\x1b")
}

// fixed returns the result of a scan with n servers.
func fixed(n int) *found {
	f := &found{silent: 1}
	for i := range n {
		f.servers = append(f.servers, query.Result{
			Ping: time.Duration(i) * 30 * time.Millisecond,
			Reply: gamespy.Reply{
				From: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 22101),
				Pairs: gamespy.Pairs{
					{Key: "hostname", Value: strings.Repeat("N\u00e4me ", i)},
					{Key: "numplayers", Value: fmt.Sprint(i)},
					{Key: "maxplayers", Value: "8"},
					{Key: "player_0", Value: "Höst"},
				},
				Incomplete: i == 1,
			},
		})
	}
	return f
}

// Colours do not change the text.
func TestColours(t *testing.T) {
	t.Parallel()
	plain, err := (&tableOutput{style: newStyle(false), players: true}).format(fixed(4))
	require.NoError(t, err)
	require.NotContains(t, plain, "\x1b")
	coloured, err := (&tableOutput{style: newStyle(true), players: true}).format(fixed(4))
	require.NoError(t, err)
	require.Contains(t, coloured, "\x1b[")
	stripped := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(coloured, "")
	require.Equal(t, plain, regexp.MustCompile(` +\n`).ReplaceAllString(stripped, "\n"))
}

func TestScreen(t *testing.T) {
	t.Parallel()
	var w bytes.Buffer
	width, height, sizeErr := 60, 5, error(nil)
	s := screen{w: &w, size: func() (int, int, error) { return width, height, sizeErr }}
	s.open()
	w.Reset()
	out := &tableOutput{style: newStyle(false)}
	frame := func(f *found, most int) []string {
		t.Helper()
		require.NoError(t, s.show(out, f))
		text, ok := strings.CutPrefix(w.String(), home)
		require.True(t, ok)
		text, ok = strings.CutSuffix(text, clearRest)
		require.True(t, ok)
		w.Reset()
		lines := strings.Split(text, "\r\n")
		for i, line := range lines {
			require.NotContains(t, line, "\n")
			lines[i], ok = strings.CutSuffix(line, clearLine)
			require.True(t, ok)
			require.LessOrEqual(t, len([]rune(lines[i])), most)
		}
		return lines
	}
	require.Len(t, frame(fixed(3), 60), 5)
	lines := frame(fixed(8), 60)
	require.Len(t, lines, 5)
	require.Equal(t, "... 6 more lines", lines[4])

	width, height = 0, 0
	require.Len(t, frame(fixed(8), 80), 10, "the default is 80 columns and 24 lines")
	sizeErr = errors.New("gone")
	f := fixed(0)
	f.err = errors.New("network is down")
	require.Equal(t, []string{"no servers; no reply from 1 server", "browse: network is down"}, frame(f, 80))
	width, height, sizeErr = 12, 5, nil
	require.Equal(t, []string{"no servers;…", "browse: net…"}, frame(f, 12))
	s.close()
	require.Equal(t, leaveScreen, w.String())
}

func TestTable(t *testing.T) {
	t.Parallel()
	text, err := (&tableOutput{style: newStyle(false), players: true}).format(fixed(3))
	require.NoError(t, err)
	require.Equal(t, strings.TrimLeft(`
PW  NAME       PLAYERS  MAP  MODE    PING  ADDRESS
?                  0/8  ?    ?      <1 ms  192.0.2.0:22101
      Höst
?   Näme           1/8  ?    ?      30 ms  192.0.2.1:22101  incomplete
      Höst
?   Näme Näme      2/8  ?    ?      60 ms  192.0.2.2:22101
      Höst
3 servers, 1 incomplete; no reply from 1 server
`, "\n"), text)
}
