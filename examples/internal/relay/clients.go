package relay

import (
	"container/list"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport/recording"
)

// client is a player's address.
type client struct {
	number        int64 // from 1, in the order of arrival
	addr          netip.AddrPort
	conn          *net.UDPConn // towards the server
	links         [2]*link
	firstSeen     time.Time       // time of the first datagram from the player
	lastSeen      time.Time       // time of the last datagram from the player
	lastReply     time.Time       // time of the last datagram from the server
	peer          objectid.PeerID // the peer ID that the server has assigned, or NoPeer
	proven        bool            // the client has used its peer ID
	logged        bool            // its address has been printed
	errorReported bool            // an error of the client has been printed
	removed       bool
	filter        func([]byte) [][]byte // nil before its first datagram
	waiting       *list.Element         // in the table's list of unproven clients
	held          []*show.Datagram      // to be shown when the client is proven
	heldBytes     int                   // of all that was to be held

	unrecorded      []recording.Datagram // to be recorded when the client is proven
	unrecordedBytes int
}

// Limits of the table. Anybody can send a Connect from a forged address, and the server replies to
// it. A client is therefore unproven until it uses the peer ID in the reply, which only the owner of
// the address receives.
const (
	maxUnproven     = 512
	unprovenTimeout = 5 * time.Second // of silence
	patience        = time.Second     // until another client may replace an unproven one

	// replaceAfter is the silence of a proven client, or of the server towards it, after which a new
	// client may replace it if the table is full. Both sides send a keepalive after five seconds. The
	// server soon ends the session of a forged client that has guessed its peer ID.
	replaceAfter = 12 * time.Second
)

// clients is the table of the current clients.
type clients struct {
	options  *Options
	byAddr   map[netip.AddrPort]*client
	unproven list.List             // of *client, in the order of arrival
	perIP    [2]map[netip.Addr]int // number of unproven and of proven clients of each IP address
	proven   int                   // clients in the table
	count    int64                 // of all clients, also removed ones
	refused  int                   // datagrams of other addresses while the table was full
}

func newClients(o *Options) clients {
	return clients{options: o, byAddr: map[netip.AddrPort]*client{}, perIP: [2]map[netip.Addr]int{{}, {}}}
}

// counted changes the number of clients of an IP address.
func (t *clients) counted(c *client, n int) {
	counts := t.perIP[0]
	if c.proven {
		counts = t.perIP[1]
		t.proven += n
	}
	if counts[place(c.addr)] += n; counts[place(c.addr)] == 0 {
		delete(counts, place(c.addr))
	}
}

// at returns the client at an address, or nil if there is none.
func (t *clients) at(now time.Time, addr netip.AddrPort) *client {
	c := t.byAddr[addr]
	if c != nil {
		c.lastSeen = now
	}
	return c
}

// add adds a client at a new address. If the table is full, it returns nil. If there are too many
// unproven clients, the caller must also remove an old one, which add returns.
func (t *clients) add(now time.Time, addr netip.AddrPort) (c, old *client) {
	ok, _ := t.room(now, addr)
	if ok && t.unproven.Len() >= maxUnproven {
		old = t.oldUnproven(now)
		ok = old != nil
	}
	if !ok {
		t.refused++
		return nil, nil
	}
	t.count++
	c = &client{number: t.count, addr: addr, firstSeen: now, lastSeen: now, lastReply: now, peer: objectid.NoPeer}
	for dir, conditions := range t.options.Conditions {
		c.links[dir] = newLink(conditions, t.options.Seed, uint64(2*t.count)+uint64(dir))
	}
	t.byAddr[addr] = c
	c.waiting = t.unproven.PushBack(c)
	t.counted(c, 1)
	return c, old
}

// oldUnproven returns the unproven client that another one may replace: of those that had enough
// time, the oldest one of the IP address with most of them. It returns nil if there is none.
func (t *clients) oldUnproven(now time.Time) (old *client) {
	most := 0
	for e := t.unproven.Front(); e != nil; e = e.Next() {
		c := e.Value.(*client)
		if now.Sub(c.firstSeen) < patience {
			break
		}
		if n := t.perIP[0][place(c.addr)]; n > most {
			old, most = c, n
		}
	}
	return old
}

// room reports whether the table has room for another proven client at an address. The client may
// have to replace an old one: the one whose link has been silent for longest, if that is long. An IP
// address gets room for a whole match, and for no more than a quarter of a large table.
func (t *clients) room(now time.Time, addr netip.AddrPort) (ok bool, old *client) {
	crowded := t.perIP[1][place(addr)] >= max(objectid.Slots, t.options.Clients/4)
	if !crowded && t.proven < t.options.Clients {
		return true, nil
	}
	for _, c := range t.byAddr {
		if c.proven && now.Sub(c.heard()) >= replaceAfter && (!crowded || place(c.addr) == place(addr)) &&
			(old == nil || c.heard().Before(old.heard())) {
			old = c
		}
	}
	return old != nil, old
}

// heard returns the time until which both sides of a link were heard.
func (c *client) heard() time.Time {
	if c.lastReply.Before(c.lastSeen) {
		return c.lastReply
	}
	return c.lastSeen
}

// prove notes that a client has used its peer ID. The caller must remove the client that it returns:
// a silent one that the client replaces, or the client itself if there is no room.
func (t *clients) prove(now time.Time, c *client) (old *client) {
	ok, old := t.room(now, c.addr)
	if !ok {
		return c
	}
	t.counted(c, -1)
	t.unproven.Remove(c.waiting)
	c.proven = true
	t.counted(c, 1)
	return old
}

// idle returns the clients that have been silent for too long.
func (t *clients) idle(now time.Time) (all []*client) {
	for _, c := range t.byAddr {
		limit := t.options.Idle
		if !c.proven {
			limit = min(limit, unprovenTimeout)
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
	t.counted(c, -1)
	if !c.proven {
		t.unproven.Remove(c.waiting)
	}
	delete(t.byAddr, c.addr)
}

// place returns the IP address that limits apply to. A computer has a whole /64 of IPv6.
func place(a netip.AddrPort) netip.Addr {
	ip := a.Addr().WithZone("")
	if ip.Is6() {
		if prefix, err := ip.Prefix(64); err == nil {
			return prefix.Addr()
		}
	}
	return ip
}
