// Package hostport completes the addresses in the flags of the example programs.
package hostport

import (
	"net"
	"strconv"
)

// WithPort returns addr, a HOST[:PORT], with the given port if it has none.
func WithPort(addr string, port int) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(addr, strconv.Itoa(port))
}
