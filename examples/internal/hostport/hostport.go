// Package hostport reads the addresses that the flags of the example programs take.
package hostport

import (
	"net"
	"strconv"
)

// WithPort returns the HOST:PORT of a HOST[:PORT].
func WithPort(addr string, port int) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(addr, strconv.Itoa(port))
}
