package simulated

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// delay is the time that a datagram takes.
const delay = 20 * time.Millisecond

// Network carries datagrams between sockets. It is for bubbles of testing/synctest, in which waiting takes no
// time. The zero value is ready to use.
type Network struct {
	mu      sync.Mutex
	sockets map[netip.AddrPort]*Socket
}

// Listen returns the socket with an address such as "10.0.0.1:22101".
func (n *Network) Listen(address string) *Socket {
	s := &Socket{network: n, addr: netip.MustParseAddrPort(address)}
	s.changed.L = &s.mu
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sockets == nil {
		n.sockets = map[netip.AddrPort]*Socket{}
	}
	n.sockets[s.addr] = s
	return s
}

// Socket is a socket of a [Network], a udp.PacketConn.
type Socket struct {
	network *Network
	addr    netip.AddrPort

	mu       sync.Mutex
	changed  sync.Cond
	queue    []arrival // in the order of their times
	deadline time.Time
	closed   bool
}

// arrival is a datagram on its way.
type arrival struct {
	at   time.Time
	from netip.AddrPort
	data []byte
}

// change changes the socket, and wakes its readers then and at a time. The zero Time is none.
func (s *Socket) change(at time.Time, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.changed.Broadcast()
	if !at.IsZero() {
		time.AfterFunc(time.Until(at), s.changed.Broadcast)
	}
}

// WriteToUDPAddrPort sends a copy of a datagram. Without a socket at the address, it is lost.
func (s *Socket) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	s.network.mu.Lock()
	receiver := s.network.sockets[to]
	s.network.mu.Unlock()
	if receiver != nil {
		at := time.Now().Add(delay)
		receiver.change(at, func() { receiver.queue = append(receiver.queue, arrival{at, s.addr, bytes.Clone(b)}) })
	}
	return len(b), nil
}

// ReadFromUDPAddrPort waits for a datagram until the deadline.
func (s *Socket) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		now := time.Now()
		switch {
		case s.closed:
			return 0, netip.AddrPort{}, net.ErrClosed
		case len(s.queue) > 0 && !now.Before(s.queue[0].at):
			first := s.queue[0]
			s.queue = s.queue[1:]
			return copy(b, first.data), first.from, nil
		case !s.deadline.IsZero() && !now.Before(s.deadline):
			return 0, netip.AddrPort{}, os.ErrDeadlineExceeded
		}
		s.changed.Wait()
	}
}

// SetReadDeadline sets the deadline of reads, also of those in progress.
func (s *Socket) SetReadDeadline(t time.Time) error {
	s.change(t, func() { s.deadline = t })
	return nil
}

// Close ends reads.
func (s *Socket) Close() error {
	s.change(time.Time{}, func() { s.closed = true })
	return nil
}
