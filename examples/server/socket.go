package main

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

// socket is what a server reads from.
type socket interface {
	SetReadDeadline(time.Time) error
	ReadFromUDPAddrPort([]byte) (int, netip.AddrPort, error)
}

// maxFailures is how many reads in a row may fail. A client that is gone makes some systems
// fail the next read of the socket.
const maxFailures = 1000

// fatal says whether there is no use in reading on.
func (s *server) fatal(err error) bool {
	s.failed++
	return s.failed >= maxFailures || errors.Is(err, net.ErrClosed)
}
