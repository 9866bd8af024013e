package main

import (
	"errors"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// brokenSocket is one whose reads fail, each with the next of some errors; the last one
// stays.
type brokenSocket struct {
	errs  []error
	reads int
}

func (s *brokenSocket) SetReadDeadline(time.Time) error { return nil }

func (s *brokenSocket) ReadFromUDPAddrPort([]byte) (int, netip.AddrPort, error) {
	err := s.errs[min(s.reads, len(s.errs)-1)]
	s.reads++
	return 0, netip.AddrPort{}, err
}

var errBroken = errors.New("the network is gone")

// A socket whose reads go on failing ends the server.
func TestReadsThatGoOnFailing(t *testing.T) {
	w := newWorld(t, options{}, nil)
	conn := &brokenSocket{errs: []error{errBroken}}
	w.server.conn = conn
	require.ErrorIs(t, w.server.run(t.Context()), errBroken)
	require.Equal(t, maxFailures, conn.reads)
}

// A read that fails now and then is what the network said of a datagram that was sent
// earlier, and so are many, as long as something is sent.
func TestReadsThatFailOfWhatWasSent(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.server.conn = &brokenSocket{errs: []error{errBroken}}
	for range 3 * maxFailures {
		require.NoError(t, w.server.step(time.Time{}))
		w.server.write(time.Now(), netip.MustParseAddrPort("10.0.0.1:22102"), []byte("x"))
	}
	w.server.conn = &brokenSocket{errs: []error{os.ErrDeadlineExceeded}}
	for range 3 * maxFailures {
		require.NoError(t, w.server.step(time.Time{}))
	}
}
