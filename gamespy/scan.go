package gamespy

import (
	"net/netip"
	"time"
)

// Parameters of a LAN scan. The game sends \status\ to 101 ports of the broadcast address
// and listens until no answer has arrived for 3 s.
const (
	firstScanPort = DefaultPort
	lastScanPort  = firstScanPort + 100
	ScanWait      = 3 * time.Second
)

// ScanPlan returns the 101 targets of a scan of addr, such as [Broadcast]. Evidence: observed.
func ScanPlan(addr netip.Addr) []netip.AddrPort {
	plan := make([]netip.AddrPort, 0, lastScanPort-firstScanPort+1)
	for port := firstScanPort; port <= lastScanPort; port++ {
		plan = append(plan, netip.AddrPortFrom(addr, uint16(port)))
	}
	return plan
}

// Broadcast returns 255.255.255.255, the broadcast address of the local network.
func Broadcast() netip.Addr { return netip.AddrFrom4([4]byte{255, 255, 255, 255}) }
