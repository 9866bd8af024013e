package gamespy

import (
	"net/netip"
	"time"
)

// How the game looks for servers in a LAN: it sends \status\ to each of 101 ports of the
// broadcast address, from one socket, and listens until nobody has answered for 3 s.
const (
	FirstScanPort = DefaultPort
	LastScanPort  = FirstScanPort + 100
	ScanWait      = 3 * time.Second
)

// ScanPlan returns where to send the queries of a scan of one address, which may be a
// broadcast address: to all of the 101 ports.
//
// Evidence: observed.
func ScanPlan(addr netip.Addr) []netip.AddrPort {
	plan := make([]netip.AddrPort, 0, LastScanPort-FirstScanPort+1)
	for port := FirstScanPort; port <= LastScanPort; port++ {
		plan = append(plan, netip.AddrPortFrom(addr, uint16(port)))
	}
	return plan
}

// Broadcast returns 255.255.255.255, which reaches the local network.
func Broadcast() netip.Addr { return netip.AddrFrom4([4]byte{255, 255, 255, 255}) }
