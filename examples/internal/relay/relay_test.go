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
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport/recording"
)

// failingWriter always fails.
type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

// A failing listener ends the relay with its error. A refused datagram does not.
func TestBrokenListenerEndsTheRelay(t *testing.T) {
	t.Parallel()
	listener, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	p := newRelay(Options{Clients: 1, Idle: time.Minute, Log: io.Discard}, listener, netip.MustParseAddrPort("127.0.0.1:9"), time.Now())
	broken := errors.New("broken")
	p.arrivals <- arrival{err: syscall.ECONNREFUSED}
	p.arrivals <- arrival{err: broken}
	require.Equal(t, broken, p.Run(t.Context()))
	_, err = listener.Write(nil)
	require.ErrorIs(t, err, net.ErrClosed)
}

// The server of TestNoSocketForClient cannot be reached from any interface.
func TestNoSocketForClient(t *testing.T) {
	var stderr bytes.Buffer
	o := Options{Name: "proxy", Clients: 64, Idle: time.Minute, Log: &stderr}
	p := newRelay(o, nil, netip.MustParseAddrPort("[fe80::1%nowhere]:22101"), start)
	for range 2 {
		p.arrive(t.Context(), arrival{from: address(1), at: start, data: []byte{1}})
	}
	require.Regexp(t, "^proxy: client 1: .*\nproxy: client 2: .*\n$", stderr.String())
	require.Empty(t, p.clients.byAddr)
	require.Zero(t, p.packets)
}

func TestCounts(t *testing.T) {
	var c counts
	c.countReceived(outcome{}, 5)
	c.countReceived(outcome{heldBack: true, duplicated: true}, 7)
	c.countReceived(outcome{queueFull: true}, 1)
	c.countSent(nil)
	c.countSent(net.ErrClosed)
	require.Equal(t, counts{received: 3, bytes: 13, queueFull: 1, duplicated: 1, heldBack: 1, sent: 1, failed: 1}, c)
}

func TestLoops(t *testing.T) {
	for _, c := range []struct {
		listen, server string
		loop           bool
	}{
		{"127.0.0.1:1", "127.0.0.1:1", true},
		{"127.0.0.1:1", "127.0.0.1:2", false},
		{"0.0.0.0:1", "127.0.0.1:1", true},
		{"[::]:1", "[::1]:1", true},
		{"[::]:1", "0.0.0.0:1", true},
		{"0.0.0.0:1", "192.0.2.1:1", false},
		{"127.0.0.1:1", "192.0.2.1:1", false},
	} {
		require.Equal(t, c.loop, isLoop(netip.MustParseAddrPort(c.listen), netip.MustParseAddrPort(c.server)), c)
	}
}

// A failing recording is reported once, at the time of the failure.
func TestDiskFull(t *testing.T) {
	var stderr bytes.Buffer
	p := newRelay(Options{Name: "proxy", Log: &stderr}, nil, netip.AddrPort{}, start)
	p.Record = capture.NewLines(failingWriter{errors.New("disk full")}, start)
	p.tick(start)
	require.Empty(t, stderr.String())
	p.Record.Write(recording.Datagram{Data: []byte{1}})
	p.tick(start)
	p.tick(start)
	require.Equal(t, "proxy: disk full\n", stderr.String())
	require.Error(t, p.Record.Flush(), "the exit status depends on this error")
}

// At its limit, a recording ends with one line, also after another error. The relay goes on.
func TestRecordingReachesItsLimit(t *testing.T) {
	for _, name := range []string{"x.jsonl", "x.pcapng"} {
		var stderr bytes.Buffer
		p := newRelay(Options{Name: "proxy", Clients: 1, Idle: time.Hour, Log: &stderr}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
		p.reportError(nil, errors.New("another error"))
		file := filepath.Join(t.TempDir(), name)
		var err error
		p.Record, err = capture.NewRecorder(file, 2000, start, p.server)
		require.NoError(t, err)
		for n := range 100 {
			p.arrive(t.Context(), arrival{from: address(1), at: start, data: make([]byte, 100)})
			if n%10 == 0 {
				p.tick(start)
			}
		}
		require.Equal(t, 100, p.counts[ToServer].received)
		require.Len(t, p.clients.byAddr[address(1)].links[ToServer].queue, 100)
		require.Equal(t, 1, strings.Count(stderr.String(), "proxy: the recording has reached its limit of 2000 and ends\n"))
		require.NoError(t, p.Record.Close())
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(1500))
		require.LessOrEqual(t, info.Size(), int64(2000))
	}
}
