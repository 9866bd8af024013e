package udp

import "net/netip"

// PortClosed is the error by which the system reports that no program has a port.
const PortClosed = portClosed

// Choose returns the address of a host with several addresses.
func Choose(ips []netip.Addr) netip.Addr { return choose(ips) }

// UnreadCap returns the number of events for which a Conn has memory.
func (c *Conn) UnreadCap() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cap(c.unread.list)
}
