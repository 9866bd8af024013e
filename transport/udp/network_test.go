package udp_test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bcwire/bcwire/transport/udp"
)

var _ udp.PacketConn = (*net.UDPConn)(nil)

// network is a simulated network in a bubble. Datagrams that are due at the same time arrive in
// the order in which they were sent.
type network struct {
	delay  time.Duration // of each datagram
	jitter time.Duration // the most that a datagram takes beyond delay
	loss   float64       // of each datagram
	lost   func(from, to netip.AddrPort, datagram []byte) bool

	mu     sync.Mutex
	conns  map[netip.AddrPort]*simConn
	random *rand.Rand
}

// newNetwork returns a network with a delay of 20 ms.
func newNetwork() *network {
	return &network{
		delay:  20 * time.Millisecond,
		conns:  map[netip.AddrPort]*simConn{},
		random: rand.New(rand.NewPCG(1, 2)),
	}
}

// listen returns the socket of an address.
func (n *network) listen(t testing.TB, addr string) *simConn {
	c := &simConn{network: n, addr: netip.MustParseAddrPort(addr), changed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[c.addr] = c
	t.Cleanup(func() { c.Close() })
	return c
}

// at returns the socket of an address.
func (n *network) at(addr string) *simConn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.conns[netip.MustParseAddrPort(addr)]
}

// fault sets what happens to datagrams while a test runs.
func (n *network) fault(lost func(from, to netip.AddrPort, datagram []byte) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = lost
}

// everything is a fault that loses all datagrams.
func everything(_, _ netip.AddrPort, _ []byte) bool { return true }

// send carries a datagram, of which it takes a copy.
func (n *network) send(from, to netip.AddrPort, b []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	peer := n.conns[to]
	if peer == nil || n.lost != nil && n.lost(from, to, b) || n.random.Float64() < n.loss {
		return
	}
	at := time.Now().Add(n.delay)
	if n.jitter > 0 {
		at = at.Add(rand.N(n.jitter))
	}
	peer.arrive(arrival{at, from, bytes.Clone(b)})
}

// simConn is a socket of a network.
type simConn struct {
	network *network
	addr    netip.AddrPort

	mu        sync.Mutex
	queue     []arrival // sorted by at
	readErrs  []error   // of the next reads
	writeErr  error     // of all writes
	writeTime time.Duration
	reads     int // that were not ended by the deadline
	expired   int // reads that were
	sent      int
	deadline  time.Time
	closed    bool
	changed   chan struct{} // closed at each change
}

// arrival is a datagram on its way.
type arrival struct {
	at   time.Time
	from netip.AddrPort
	data []byte
}

func (c *simConn) arrive(a arrival) {
	c.change(func() {
		i := len(c.queue)
		for i > 0 && c.queue[i-1].at.After(a.at) {
			i--
		}
		c.queue = slices.Insert(c.queue, i, a)
	})
}

// change changes the socket and wakes its reader.
func (c *simConn) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *simConn) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	c.mu.Lock()
	err, busy := c.writeErr, c.writeTime
	if c.closed {
		err = net.ErrClosed
	}
	if err == nil {
		c.sent++
	}
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if busy > 0 {
		time.Sleep(busy)
	}
	c.network.send(c.addr, to, b)
	return len(b), nil
}

func (c *simConn) SetReadDeadline(t time.Time) error {
	c.change(func() { c.deadline = t })
	return nil
}

func (c *simConn) Close() error {
	c.change(func() { c.closed = true })
	return nil
}

// failReads makes the next reads fail.
func (c *simConn) failReads(errs ...error) {
	c.change(func() { c.readErrs = append(c.readErrs, errs...) })
}

// failWrites makes all writes fail, or none if err is nil.
func (c *simConn) failWrites(err error) {
	c.change(func() { c.writeErr = err })
}

// state returns the read deadline, the number of reads, and whether the socket is closed.
func (c *simConn) state() (deadline time.Time, reads int, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline, c.reads, c.closed
}

// expirations returns the number of reads that the deadline has ended.
func (c *simConn) expirations() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.expired
}

// writes returns the number of datagrams that were sent.
func (c *simConn) writes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

func (c *simConn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		n, from, changed, next, err := c.tryRead(b)
		if changed == nil {
			return n, from, err
		}
		var timeout <-chan time.Time
		if !next.IsZero() {
			timeout = time.After(time.Until(next))
		}
		select {
		case <-changed:
		case <-timeout:
		}
	}
}

// tryRead reads. Otherwise it returns a channel that is closed at the next change, and the next
// time at which to try again.
func (c *simConn) tryRead(b []byte) (n int, from netip.AddrPort, changed chan struct{}, next time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	switch {
	case c.closed:
		return 0, from, nil, next, net.ErrClosed
	case len(c.readErrs) > 0:
		err, c.readErrs = c.readErrs[0], c.readErrs[1:]
		c.reads++
		return 0, from, nil, next, err
	case !c.deadline.IsZero() && !now.Before(c.deadline):
		c.expired++
		return 0, from, nil, next, os.ErrDeadlineExceeded
	case len(c.queue) > 0 && !now.Before(c.queue[0].at):
		a := c.queue[0]
		c.queue = c.queue[1:]
		c.reads++
		return copy(b, a.data), a.from, nil, next, nil
	}
	next = c.deadline
	if len(c.queue) > 0 && (next.IsZero() || c.queue[0].at.Before(next)) {
		next = c.queue[0].at
	}
	return 0, from, c.changed, next, nil
}
