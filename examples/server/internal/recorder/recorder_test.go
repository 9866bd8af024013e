package recorder_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/server/internal/recorder"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

const tick = 100 * time.Millisecond

// querySocket is a socket on which one query arrives, and then nothing.
type querySocket struct{ read bool }

func (s *querySocket) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	if s.read {
		time.Sleep(tick)
		return 0, netip.AddrPort{}, os.ErrDeadlineExceeded
	}
	s.read = true
	return copy(b, `\status\`), netip.MustParseAddrPort("10.0.0.1:22102"), nil
}

func (*querySocket) WriteToUDPAddrPort(b []byte, _ netip.AddrPort) (int, error) { return len(b), nil }
func (*querySocket) SetReadDeadline(time.Time) error                            { return nil }

// recordQuery serves a querySocket for some time and records its datagrams. Then it calls check.
func recordQuery(t *testing.T, file string, limit capture.Size, d time.Duration, check func(c *recorder.Conn, log string)) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c, err := recorder.Create(file, limit, &querySocket{}, slog.New(slog.NewTextHandler(&log, nil)))
		require.NoError(t, err)
		reply := func(time.Time, netip.AddrPort, []byte) [][]byte { return [][]byte{[]byte(`\final\`)} }
		ctx, stop := context.WithTimeout(t.Context(), d)
		defer stop()
		hub := transport.NewHub(time.Now(), transport.HubOptions{})
		require.NoError(t, udp.Serve(ctx, c, hub, udp.Handler{Query: reply}))
		check(c, log.String())
	})
}

// A recording has the datagrams of both directions, and can be read while the server runs.
func TestRecordingIsWrittenOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "match.jsonl")
	recordQuery(t, file, capture.DefaultLimit, 1200*time.Millisecond, func(c *recorder.Conn, _ string) {
		f, err := os.Open(file)
		require.NoError(t, err)
		var directions []recording.Direction
		for d, err := range recording.Read(f) {
			require.NoError(t, err)
			require.True(t, transport.IsGameSpy(d.Data))
			directions = append(directions, d.Direction)
		}
		require.Equal(t, []recording.Direction{recording.ToServer, recording.ToClient}, directions)
		require.NoError(t, f.Close())
		require.NoError(t, c.Close())
	})
}

// At the limit, recording ends with one line in the log, and the server goes on.
func TestRecordingReachesItsLimit(t *testing.T) {
	for _, name := range []string{"match.jsonl", "match.pcapng"} {
		file := filepath.Join(t.TempDir(), name)
		recordQuery(t, file, 1, 7*time.Second, func(c *recorder.Conn, log string) {
			require.Regexp(t, `^time=\S+ level=WARN msg="the recording is incomplete" error="the recording has reached its limit of 1 and ends"\n$`, log)
			require.NoError(t, c.Close())
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.LessOrEqual(t, info.Size(), int64(1))
		})
	}
}

func TestNoFile(t *testing.T) {
	_, err := recorder.Create(filepath.Join(t.TempDir(), "x", "y"), 0, &querySocket{}, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
