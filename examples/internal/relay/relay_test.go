package relay

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// failingWriter always fails.
type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func TestCounts(t *testing.T) {
	var c counts
	c.countReceived(outcome{}, 5)
	c.countReceived(outcome{heldBack: true, duplicated: true}, 7)
	c.countReceived(outcome{queueFull: true}, 1)
	require.Equal(t, counts{received: 3, bytes: 13, queueFull: 1, duplicated: 1, heldBack: 1}, c)

	var p Relay
	ann := client{links: [2]*link{newLink(Conditions{}, 1, 1), newLink(Conditions{}, 1, 2)}}
	ann.links[ToClient].put(start, nil, func([]byte) error { return nil })
	ann.links[ToClient].put(start, nil, func([]byte) error { return net.ErrClosed })
	ann.send(&p, start)
	require.Equal(t, [2]counts{ToClient: {sent: 1, failed: 1}}, p.counts)
}

// A failing recording is reported once, at the time of the failure.
func TestDiskFull(t *testing.T) {
	var stderr bytes.Buffer
	p := newRelay(Options{Name: "proxy", Log: &stderr}, nil, netip.AddrPort{}, start)
	p.Record = capture.NewLines(failingWriter{errors.New("disk full")}, start)
	p.tick()
	require.Empty(t, stderr.String())
	p.Record.Write(recording.Datagram{Data: []byte{1}})
	p.tick()
	p.tick()
	require.Equal(t, "proxy: disk full\n", stderr.String())
	require.Error(t, p.Record.Flush(), "the exit status depends on this error")
}

// At its limit, a recording ends with one line. The relay goes on.
func TestRecordingReachesItsLimit(t *testing.T) {
	for _, name := range []string{"x.jsonl", "x.pcapng"} {
		var stderr bytes.Buffer
		p := newRelay(Options{Name: "proxy", Clients: 1, Idle: time.Hour, Log: &stderr}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
		file := filepath.Join(t.TempDir(), name)
		var err error
		p.Record, err = capture.NewRecorder(file, 2000, start, p.server)
		require.NoError(t, err)
		ann := newGuest(p, 1)
		for n := range 100 {
			ann.send(start, false, make([]byte, 100))
			if n%10 == 0 {
				p.tick()
			}
		}
		require.Equal(t, 100, p.counts[ToServer].received)
		require.Equal(t, 100, p.counts[ToServer].sent)
		require.Equal(t, 1, strings.Count(stderr.String(), "proxy: the recording has reached its limit of 2000 and ends\n"))
		require.NoError(t, p.Record.Close())
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(1500))
		require.LessOrEqual(t, info.Size(), int64(2000))
	}
}

// Each direction of each client has its own stream of random numbers.
func TestStreamsDiffer(t *testing.T) {
	p := newRelay(Options{Log: io.Discard}, nil, netip.AddrPort{}, start)
	seen := map[uint64]bool{}
	for n := range int64(10) {
		for _, l := range p.clientOf(&udp.RelayClient{Number: n}).links {
			x := l.rand.Uint64()
			require.False(t, seen[x])
			seen[x] = true
		}
	}
}
