package main

import (
	"net"
	"net/netip"
	"time"
)

// client is an address on the players' side.
type client struct {
	number   int64 // from 1, in the order of their coming
	addr     netip.AddrPort
	conn     *net.UDPConn // towards the server
	links    [2]*link
	seen     time.Time // when it sent something
	answered bool      // by the server
	troubled bool      // an error of its socket has been told
	gone     bool
}

// unanswered is how long an address may be silent that the server did not answer. A
// stranger can have any number of addresses, which are not to keep players out for long.
const unanswered = 5 * time.Second

// clients is the table of those who are there.
type clients struct {
	options *options
	byAddr  map[netip.AddrPort]*client
	count   int64 // of all that ever were
	refused int   // datagrams from addresses for which there was no room
}

// at returns the client at an address, and whether it is new; nil if there is no room.
func (t *clients) at(now time.Time, addr netip.AddrPort) (c *client, isNew bool) {
	if c = t.byAddr[addr]; c != nil {
		c.seen = now
		return c, false
	}
	if len(t.byAddr) >= t.options.clients {
		t.refused++
		return nil, false
	}
	t.count++
	c = &client{number: t.count, addr: addr, seen: now}
	for w, conditions := range t.options.ways {
		c.links[w] = newLink(conditions, t.options.seed, uint64(2*t.count)+uint64(w))
	}
	t.byAddr[addr] = c
	return c, true
}

// idle returns those that have been silent for too long.
func (t *clients) idle(now time.Time) (all []*client) {
	for _, c := range t.byAddr {
		limit := t.options.idle
		if !c.answered {
			limit = min(limit, unanswered)
		}
		if now.Sub(c.seen) >= limit {
			all = append(all, c)
		}
	}
	return all
}

// remove forgets a client.
func (t *clients) remove(c *client) {
	c.gone = true
	delete(t.byAddr, c.addr)
}
