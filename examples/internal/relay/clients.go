package relay

import (
	"net"
	"net/netip"
	"time"
)

// client is a player's address.
type client struct {
	number        int64 // from 1, in the order of arrival
	addr          netip.AddrPort
	conn          *net.UDPConn // towards the server
	links         [2]*link
	lastSeen      time.Time // time of the last datagram from the player
	answered      bool      // the server has sent a datagram
	errorReported bool      // an error of the client has been printed
	removed       bool
}

// unansweredTimeout is the time after which a silent client is removed if the server has never
// replied. It keeps forged addresses from filling the table.
const unansweredTimeout = 5 * time.Second

// clients is the table of the current clients.
type clients struct {
	options *Options
	byAddr  map[netip.AddrPort]*client
	count   int64 // of all clients, also removed ones
	refused int   // datagrams of other addresses while the table was full
}

// at returns the client at an address and reports whether it is new. It returns nil if the table
// is full.
func (t *clients) at(now time.Time, addr netip.AddrPort) (c *client, isNew bool) {
	if c = t.byAddr[addr]; c != nil {
		c.lastSeen = now
		return c, false
	}
	if len(t.byAddr) >= t.options.Clients {
		t.refused++
		return nil, false
	}
	t.count++
	c = &client{number: t.count, addr: addr, lastSeen: now}
	for dir, conditions := range t.options.Conditions {
		c.links[dir] = newLink(conditions, t.options.Seed, uint64(2*t.count)+uint64(dir))
	}
	t.byAddr[addr] = c
	return c, true
}

// idle returns the clients that have been silent for too long.
func (t *clients) idle(now time.Time) (all []*client) {
	for _, c := range t.byAddr {
		limit := t.options.Idle
		if !c.answered {
			limit = min(limit, unansweredTimeout)
		}
		if now.Sub(c.lastSeen) >= limit {
			all = append(all, c)
		}
	}
	return all
}

// remove removes a client from the table.
func (t *clients) remove(c *client) {
	c.removed = true
	delete(t.byAddr, c.addr)
}
