package query_test

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeConn is a PacketConn without a network, for use with testing/synctest. It passes
// written datagrams to onWrite.
type fakeConn struct {
	net.PacketConn // nil, because no other method is called

	onWrite func(c *fakeConn, to netip.AddrPort, datagram string) error
	arrived chan arrival
	whole   bool // a datagram longer than the buffer is an error, as on Windows

	mu       sync.Mutex
	deadline time.Time
	moved    chan struct{} // closed when the deadline moves
}

type arrival struct {
	from     net.Addr
	datagram string
	err      error
}

func newFakeConn(onWrite func(c *fakeConn, to netip.AddrPort, datagram string) error) *fakeConn {
	return &fakeConn{onWrite: onWrite, arrived: make(chan arrival, 1<<16), moved: make(chan struct{})}
}

// deliver makes datagrams arrive after a duration.
func (c *fakeConn) deliver(after time.Duration, from netip.AddrPort, datagrams ...string) {
	time.AfterFunc(after, func() {
		for _, d := range datagrams {
			c.arrived <- arrival{from: net.UDPAddrFromAddrPort(from), datagram: d}
		}
	})
}

func (c *fakeConn) WriteTo(b []byte, to net.Addr) (int, error) {
	return len(b), c.onWrite(c, to.(*net.UDPAddr).AddrPort(), string(b))
}

func (c *fakeConn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

func (c *fakeConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	close(c.moved)
	c.moved = make(chan struct{})
	return nil
}

func (c *fakeConn) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		c.mu.Lock()
		deadline, moved := c.deadline, c.moved
		c.mu.Unlock()
		var expired <-chan time.Time
		if !deadline.IsZero() {
			expired = time.After(time.Until(deadline))
		}
		select {
		case a := <-c.arrived:
			if c.whole && len(a.datagram) > len(b) {
				return 0, nil, syscall.EMSGSIZE
			}
			return copy(b, a.datagram), a.from, a.err
		case <-expired:
			return 0, nil, os.ErrDeadlineExceeded
		case <-moved:
		}
	}
}

// packetConn returns a socket on the loopback interface.
func packetConn(t *testing.T) net.PacketConn {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func addrOf(conn net.PacketConn) netip.AddrPort {
	return conn.LocalAddr().(*net.UDPAddr).AddrPort()
}
