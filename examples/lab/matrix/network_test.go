package main

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// network is a network in a bubble of testing/synctest. Datagrams arrive at once.
type network struct {
	mu    sync.Mutex
	conns []*conn // the ports are 1, 2, ...
}

// first is the address of the first socket.
const first = "10.0.0.1:1"

// listen returns a socket.
func (n *network) listen() (socket, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := &conn{network: n, changed: make(chan struct{})}
	n.conns = append(n.conns, c)
	c.addr = netip.AddrPortFrom(netip.MustParseAddrPort(first).Addr(), uint16(len(n.conns)))
	return c, nil
}

// conn is a socket of a network.
type conn struct {
	network *network
	addr    netip.AddrPort

	mu       sync.Mutex
	arrived  []datagram
	deadline time.Time
	closed   bool
	changed  chan struct{} // closed at each change
}

type datagram struct {
	from netip.AddrPort
	data []byte
}

// change changes the socket, and wakes its reader.
func (c *conn) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.change(func() { c.deadline = t })
	return nil
}

func (c *conn) Close() error {
	c.change(func() { c.closed = true })
	return nil
}

func (c *conn) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	c.network.mu.Lock()
	peer := c.network.conns[to.Port()-1]
	c.network.mu.Unlock()
	peer.change(func() { peer.arrived = append(peer.arrived, datagram{c.addr, bytes.Clone(b)}) })
	return len(b), nil
}

func (c *conn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		c.mu.Lock()
		arrived, deadline, closed, changed := c.arrived, c.deadline, c.closed, c.changed
		if len(arrived) > 0 {
			c.arrived = arrived[1:]
		}
		c.mu.Unlock()
		var timeout <-chan time.Time
		if !deadline.IsZero() {
			timeout = time.After(time.Until(deadline))
		}
		switch {
		case closed:
			return 0, netip.AddrPort{}, net.ErrClosed
		case len(arrived) > 0:
			return copy(b, arrived[0].data), arrived[0].from, nil
		case !deadline.IsZero() && !time.Now().Before(deadline):
			return 0, netip.AddrPort{}, os.ErrDeadlineExceeded
		}
		select {
		case <-changed:
		case <-timeout:
		}
	}
}
