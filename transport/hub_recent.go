package transport

import (
	"net/netip"
	"time"
)

// maxRecent is how many Connects a Hub remembers.
const maxRecent = 256

// recentConnects is the Connects whose sessions have ended, and the peer IDs of these
// sessions. Late copies of their datagrams are recognised by them. Half-open sessions leave
// no entry.
type recentConnects struct {
	list []recentConnect // a ring, once it is full
	next int
}

type recentConnect struct {
	addr   netip.AddrPort
	connID uint32
	peer   int8
	until  time.Duration
}

// add remembers the Connect of a session that has ended. Those of OpenBC are all alike, and
// are remembered for a short time.
func (r *recentConnects) add(s *Session, now time.Duration, o *HubOptions) {
	c := recentConnect{s.addr, s.connID, s.peer, now + o.Remember}
	if s.nameless {
		c.until = now + o.ReplaceAfter
	}
	if len(r.list) < maxRecent {
		r.list = append(r.list, c)
		return
	}
	r.list[r.next] = c
	r.next = (r.next + 1) % maxRecent
}

// has reports whether a Connect is a late copy.
func (r *recentConnects) has(addr netip.AddrPort, connID uint32, now time.Duration) bool {
	for i := range r.list {
		if c := &r.list[i]; c.connID == connID && c.addr == addr && now < c.until {
			return true
		}
	}
	return false
}

// had reports whether an address had a peer ID not long ago.
func (r *recentConnects) had(addr netip.AddrPort, peer int8, now time.Duration) bool {
	for i := range r.list {
		if c := &r.list[i]; c.peer == peer && c.addr == addr && now < c.until {
			return true
		}
	}
	return false
}
