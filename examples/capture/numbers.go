package capture

import "net/netip"

// maxRecent is the number of addresses in each of the two maps of numbers.
const maxRecent = 2048

// numbers numbers addresses from 1. It forgets addresses that have been silent for long, so that
// forged addresses do not fill the memory. No number is given twice.
type numbers struct {
	recent, earlier map[netip.AddrPort]int64
	last            int64
}

// of returns the number of an address.
func (n *numbers) of(addr netip.AddrPort) int64 {
	if number, ok := n.recent[addr]; ok {
		return number
	}
	number, ok := n.earlier[addr]
	if !ok {
		n.last++
		number = n.last
	}
	if n.recent == nil || len(n.recent) >= maxRecent {
		n.recent, n.earlier = map[netip.AddrPort]int64{}, n.recent
	}
	n.recent[addr] = number
	return number
}
