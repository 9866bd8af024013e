package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport/recording"
)

// readRecording returns the datagrams of a recording.
func readRecording(t *testing.T, path string) (all []recording.Datagram) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		d.Data = bytes.Clone(d.Data)
		all = append(all, d)
	}
	return all
}

// A decoded recording gives the same text as the output of the proxy.
func TestRecordingEqualsOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-record", path, "-v")
	ann, bob := dial(t, p.addr), dial(t, p.addr)
	sent := [][]byte{chat(t, 2, "from ann"), chat(t, 3, "from bob"), []byte(`\status\`), {}, {2, 1, 0x32}}
	for i, conn := range []*net.UDPConn{ann, bob, ann, ann, bob} {
		send(t, conn, bytes.Clone(sent[i]))
		_, at := receive(t, server)
		_, err := server.WriteToUDP(chat(t, 1, "answer"), at)
		require.NoError(t, err)
		receive(t, conn)
	}
	require.Zero(t, p.stop())

	datagrams := readRecording(t, path)
	require.Len(t, datagrams, 10)
	for i, client := range []int64{1, 2, 1, 1, 2} {
		in, out := datagrams[2*i], datagrams[2*i+1]
		require.Equal(t, []any{recording.ToServer, client, ""}, []any{in.Direction, in.Client, in.Note})
		require.Equal(t, []any{recording.ToClient, client, ""}, []any{out.Direction, out.Client, out.Note})
		require.True(t, bytes.Equal(sent[i], in.Data), "as on the wire")
		require.Equal(t, chat(t, 1, "answer"), out.Data)
		require.True(t, i == 0 || in.Seconds >= datagrams[2*i-1].Seconds)
	}
	var want []byte
	out := show.NewLines(false, true, 0)
	var decoder show.Decoder
	for i, d := range datagrams {
		want = out.Append(want, decoder.Decode(capture.Recorded(i+1, d)))
	}
	require.Equal(t, string(want), p.stdout.String())
	require.Contains(t, string(want), "from bob")
}

// A recording that cannot go on does not stop the proxy. What was recorded is private and readable.
func TestRecordingEnds(t *testing.T) {
	for _, c := range []struct {
		args   []string
		line   string
		status int
	}{
		{[]string{"-recordlimit", "1K"}, "proxy: the recording has reached its limit of 1K and ends\n", 0},
		{[]string{"-record", "/dev/full"}, "proxy: write /dev/full: no space left on device\n", terminal.ExitFailed},
	} {
		if _, err := os.Stat("/dev/full"); err != nil && c.status != 0 {
			continue // not Linux
		}
		path := filepath.Join(t.TempDir(), "match.jsonl")
		p := startProxy(t, echo(t, '>'), append([]string{"-quiet", "-record", path, "-idle", "50ms"}, c.args...)...)
		player := dial(t, p.addr)
		for range 20 {
			send(t, player, chat(t, 2, "hello"))
			receive(t, player)
		}
		p.eventually(c.line)
		send(t, player, chat(t, 2, "still here"))
		receive(t, player)
		require.Equal(t, c.status, p.stop())
		before, _, _ := strings.Cut(p.log.String(), " dir ")
		require.Equal(t, 1, strings.Count(before, c.line))
		if c.status == 0 {
			require.NotEmpty(t, readRecording(t, path))
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.LessOrEqual(t, info.Size(), int64(1024))
			require.True(t, runtime.GOOS == "windows" || info.Mode() == 0o600, info.Mode())
		}
	}
}

// Dropped datagrams are printed and recorded, with a note.
func TestLossesAreNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	for flag, want := range map[string]string{
		"-json":  `"note":"dropped"`,
		"-x":     "[0] ChatMessage  (dropped)",
		"-v":     "ChatMessage  (dropped)",
		"-quiet": "",
	} {
		p := startProxy(t, echo(t, '>'), flag, "-record", path, "-drop", "100%")
		player := dial(t, p.addr)
		send(t, player, chat(t, 2, "hello"))
		p.eventually("client 1 is")
		require.Zero(t, p.stop())
		require.Contains(t, p.stdout.String(), want)
		datagrams := readRecording(t, path)
		require.Len(t, datagrams, 1)
		require.Equal(t, "dropped", datagrams[0].Note)
	}
}
