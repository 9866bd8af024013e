package udp

import (
	"net/netip"
	"sync"
	"time"
)

// PacketConn is a UDP socket, for which [*net.UDPConn] is made. It can also be a simulated
// network, or a PacketConn that records the datagrams of another one. Its methods may be
// called by several goroutines at once.
type PacketConn interface {
	// ReadFromUDPAddrPort reads a datagram. If the deadline has passed, it returns an error
	// wrapping [os.ErrDeadlineExceeded]; after the socket is closed, [net.ErrClosed].
	ReadFromUDPAddrPort(b []byte) (n int, addr netip.AddrPort, err error)
	// WriteToUDPAddrPort sends a datagram. It does not retain or change b.
	WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error)
	// SetReadDeadline also ends a read in progress. The zero Time is no deadline.
	SetReadDeadline(t time.Time) error
}

// maxDatagram is the length of the longest datagram of UDP.
const maxDatagram = 1 << 16

// Limits of reads that fail in a row.
const (
	maxTransient = 1000
	maxOther     = 10
)

// past returns a deadline that has passed.
func past() time.Time { return time.Unix(1, 0) }

// reader reads from a socket until a deadline, which any goroutine can bring forward.
type reader struct {
	conn   PacketConn
	failed int // reads in a row, and without a successful write between them

	mu      sync.Mutex
	woken   bool
	stopped bool
	set     time.Time // the deadline of the socket
}

// wake ends the read in progress or, if there is none, the next one.
func (r *reader) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	r.woken, r.set = true, past()
	_ = r.conn.SetReadDeadline(r.set) // fails for a closed socket, which the read reports
}

// until sets the deadline of the next read; the zero Time is none. A deadline that is too
// early remains: it costs one read that returns nothing.
func (r *reader) until(now, deadline time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.woken:
		r.woken = false
		return nil // the deadline has passed already
	case !r.set.IsZero() && now.Before(r.set) && (deadline.IsZero() || !deadline.Before(r.set)):
		return nil
	}
	r.set = deadline
	return r.conn.SetReadDeadline(deadline)
}

// sooner brings the deadline of the read in progress forward.
func (r *reader) sooner(deadline time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !deadline.IsZero() && (r.set.IsZero() || deadline.Before(r.set)) {
		r.set = deadline
		_ = r.conn.SetReadDeadline(deadline) // fails for a closed socket, which the read reports
	}
}

// stop leaves the socket without a deadline. Nothing is read after it.
func (r *reader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	_ = r.conn.SetReadDeadline(time.Time{}) // fails for a closed socket
}

// fatal reports whether there is no point in reading again after an error.
func (r *reader) fatal(err error) bool {
	r.failed++
	if Transient(err) {
		return r.failed >= maxTransient
	}
	return isClosed(err) || r.failed >= maxOther
}
