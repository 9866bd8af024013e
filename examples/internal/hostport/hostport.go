// Package hostport completes the addresses in the flags of the example programs.
package hostport

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
)

// WithPort returns addr, a HOST[:PORT], with the given port if it has none.
func WithPort(addr string, port int) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(addr, strconv.Itoa(port))
}

var errPort = errors.New("the port must be from 1 to 65535")

// Resolve returns the address of a HOST[:PORT] on a network, such as "udp4". The given port is the default.
func Resolve(network, addr string, port int) (netip.AddrPort, error) {
	a, err := net.ResolveUDPAddr(network, WithPort(addr, port))
	if err == nil && a.Port == 0 {
		err = errPort
	}
	if err != nil {
		return netip.AddrPort{}, err
	}
	found := a.AddrPort()
	return netip.AddrPortFrom(found.Addr().Unmap(), found.Port()), nil
}
