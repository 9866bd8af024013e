package recording

import "net/netip"

// maxRecent bounds what a Writer remembers: this many addresses, and as many before them.
const maxRecent = 2048

// numbers numbers addresses from 1. A stranger can have any number of them, so those that
// have been silent for long are forgotten; no number comes twice.
type numbers struct {
	recent, earlier map[netip.AddrPort]int64
	last            int64
}

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
