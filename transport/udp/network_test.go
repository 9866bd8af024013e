package udp_test

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/bcwire/bcwire/transport/udp"
)

// network is a simulated network. Every datagram arrives after delay, unless lost returns true
// for it.
type network struct {
	delay time.Duration
	lost  func(from, to netip.AddrPort, datagram []byte) bool

	mu    sync.Mutex
	conns map[netip.AddrPort]*simConn
}

// simConn is a socket of a network.
type simConn struct {
	network *network
	addr    netip.AddrPort

	mu       sync.Mutex
	queue    []arrival
	errs     []error // of the next reads
	reads    int
	deadline time.Time
	closed   bool
	changed  chan struct{} // closed at each change
}

type arrival struct {
	from netip.AddrPort
	data []byte
}

var _ udp.PacketConn = (*net.UDPConn)(nil)

// listen returns the socket of an address.
func (n *network) listen(t testing.TB, addr string) *simConn {
	c := &simConn{network: n, addr: netip.MustParseAddrPort(addr), changed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns == nil {
		n.conns = map[netip.AddrPort]*simConn{}
	}
	n.conns[c.addr] = c
	t.Cleanup(func() { c.Close() })
	return c
}

func (c *simConn) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	n, data := c.network, bytes.Clone(b)
	if n.lost != nil && n.lost(c.addr, to, data) {
		return len(b), nil
	}
	time.AfterFunc(n.delay, func() {
		n.mu.Lock()
		peer := n.conns[to]
		n.mu.Unlock()
		if peer != nil {
			peer.change(func() { peer.queue = append(peer.queue, arrival{c.addr, data}) })
		}
	})
	return len(b), nil
}

// change changes the socket and wakes its reader.
func (c *simConn) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *simConn) SetReadDeadline(t time.Time) error {
	c.change(func() { c.deadline = t })
	return nil
}

func (c *simConn) Close() error {
	c.change(func() { c.closed = true })
	return nil
}

// fail makes the next reads fail.
func (c *simConn) fail(errs ...error) {
	c.change(func() { c.errs = append(c.errs, errs...) })
}

func (c *simConn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		n, from, changed, wait, err := c.tryRead(b)
		if changed == nil {
			return n, from, err
		}
		var timeout <-chan time.Time
		if wait > 0 {
			timeout = time.After(wait)
		}
		select {
		case <-changed:
		case <-timeout:
		}
	}
}

// tryRead reads, or returns a channel that is closed at the next change and the time until the
// deadline.
func (c *simConn) tryRead(b []byte) (n int, from netip.AddrPort, changed chan struct{}, wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.deadline.IsZero() {
		wait = time.Until(c.deadline)
	}
	switch {
	case c.closed:
		return 0, from, nil, 0, net.ErrClosed
	case len(c.errs) > 0:
		err, c.errs = c.errs[0], c.errs[1:]
		c.reads++
		return 0, from, nil, 0, err
	case !c.deadline.IsZero() && wait <= 0:
		return 0, from, nil, 0, os.ErrDeadlineExceeded
	case len(c.queue) > 0:
		a := c.queue[0]
		c.queue = c.queue[1:]
		c.reads++
		return copy(b, a.data), a.from, nil, 0, nil
	}
	return 0, from, c.changed, wait, nil
}
