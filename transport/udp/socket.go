package udp

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"
)

// PacketConn is a UDP socket such as a [*net.UDPConn], a simulated network, or a wrapper that
// records datagrams. Its methods must be safe for concurrent use.
type PacketConn interface {
	// ReadFromUDPAddrPort reads a datagram. It returns an error wrapping [os.ErrDeadlineExceeded]
	// after the deadline, and [net.ErrClosed] after the socket is closed.
	ReadFromUDPAddrPort(b []byte) (n int, addr netip.AddrPort, err error)
	// WriteToUDPAddrPort sends a datagram. It does not retain or change b.
	WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error)
	// SetReadDeadline sets the deadline of later reads, and of a read in progress. The zero Time is
	// no deadline.
	SetReadDeadline(t time.Time) error
}

// maxDatagram is the length of the longest datagram of UDP.
const maxDatagram = 1 << 16

// Limits of failed reads in a row.
const (
	maxFailed = 1000
	maxOther  = 10 // with errors that are not transient
)

// minRead is the least time for reads after a read that returned nothing. A read after its
// deadline returns nothing even if there are datagrams.
const minRead = time.Millisecond

// past returns a deadline that has passed.
func past() time.Time { return time.Unix(1, 0) }

// socket reads from a PacketConn until a deadline, which any goroutine can bring forward. Only one
// goroutine reads.
type socket struct {
	conn PacketConn

	// Only the reading goroutine uses these.
	empty  bool // the last read returned nothing
	late   bool // the deadline has passed, but reads come first; see until
	failed int  // number of failed reads in a row
	other  int  // number of them that are not transient

	mu      sync.Mutex
	woken   bool // since the last read
	stopped bool
	set     time.Time // the deadline of conn
	floor   time.Time // the least deadline of the next read
}

// wake ends the read in progress or, if there is none, the next one.
func (s *socket) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.woken {
		s.woken = true
		s.advance(past())
	}
}

// sooner brings the deadline of the read in progress forward. The zero Time is no deadline.
func (s *socket) sooner(deadline time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !deadline.IsZero() {
		s.advance(deadline)
	}
}

// advance brings the deadline forward, at most to floor. The caller holds mu.
func (s *socket) advance(deadline time.Time) {
	if deadline.Before(s.floor) {
		deadline = s.floor
	}
	if !s.stopped && (s.set.IsZero() || deadline.Before(s.set)) {
		_ = s.deadline(deadline)
	}
}

// until sets the deadline of the next read; the zero Time is no deadline. An early deadline
// remains: it costs one read that returns nothing.
//
// After a read that returned nothing, the next read has time for datagrams that have arrived
// meanwhile. Otherwise frequent deadlines, or goroutines that call wake, could prevent all reading.
// until sets late if the deadline has passed.
func (s *socket) until(now, deadline time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.woken {
		deadline = past()
	}
	if s.empty {
		s.floor = time.Now().Add(minRead)
		if !deadline.IsZero() && deadline.Before(s.floor) {
			deadline, s.late = s.floor, true
		}
	}
	early := !s.set.IsZero() && (deadline.IsZero() || !deadline.Before(s.set))
	if early && now.Before(s.set) && !s.set.Before(s.floor) {
		return nil
	}
	return s.deadline(deadline)
}

// stop leaves the PacketConn without a deadline. No read follows.
func (s *socket) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	_ = s.deadline(time.Time{})
}

// deadline sets the deadline of conn. If this fails, until or the next read fails, too. The caller
// holds mu.
func (s *socket) deadline(t time.Time) error {
	err := s.conn.SetReadDeadline(t)
	if err == nil {
		s.set = t
	}
	return err
}

// read reads a datagram into b. It returns nil without an error after the deadline. The caller then
// does everything for which wake may have been called.
func (s *socket) read(b []byte) (datagram []byte, from netip.AddrPort, err error) {
	n, from, err := s.conn.ReadFromUDPAddrPort(b)
	s.mu.Lock()
	s.woken, s.floor = false, time.Time{}
	s.mu.Unlock()
	s.empty = err != nil && errors.Is(err, os.ErrDeadlineExceeded)
	s.late = s.late && err == nil
	switch {
	case s.empty:
		return nil, netip.AddrPort{}, nil
	case err != nil:
		return nil, netip.AddrPort{}, err
	}
	return b[:n], unmapped(from), nil
}

// ok records that a read has not failed.
func (s *socket) ok() { s.failed, s.other = 0, 0 }

// fatal reports whether reading must end after an error.
func (s *socket) fatal(err error) bool {
	s.failed++
	if !isTransient(err) {
		s.other++
	}
	return errors.Is(err, net.ErrClosed) || s.failed >= maxFailed || s.other >= maxOther
}

// unmapped returns an address with an IPv4 address in place of an IPv4-mapped IPv6 address.
func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// checkUnconnected returns an error for a connected socket, which cannot send to an address.
func checkUnconnected(conn PacketConn) error {
	c, ok := conn.(*net.UDPConn)
	if !ok || c.RemoteAddr() == nil {
		return nil
	}
	return &net.OpError{Op: "write", Net: "udp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: net.ErrWriteToConnected}
}

// isTransient reports whether reading may continue after the error of a read or a write. It reports true for an expired
// deadline and for errors about one datagram.
func isTransient(err error) bool {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	return slices.ContainsFunc(transient[:], func(target error) bool { return errors.Is(err, target) })
}
