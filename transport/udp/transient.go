package udp

import (
	"errors"
	"net"
	"os"
	"slices"
)

// Transient reports whether a program may continue to read from a UDP socket after the error of a
// read or a write. It reports true for an expired deadline and for errors about one datagram. For
// example, systems report the ICMP reply to an earlier datagram as an error of the next read.
func Transient(err error) bool {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	return slices.ContainsFunc(transient[:], func(target error) bool { return errors.Is(err, target) })
}
