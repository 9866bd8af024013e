package udp

import (
	"container/list"
	"errors"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
)

// Limits of the table. Anybody can send a Connect from a forged address, and the server replies to
// it. A client is therefore unproven until the server acknowledges another message, or sends a keepalive.
const (
	maxUnproven     = 512
	unprovenTimeout = 6 * time.Second // of silence; both sides send a keepalive after 5 s
	patience        = time.Second     // until another client may replace an unproven one

	// replaceAfter is the silence of a proven client, or of the server towards it, after which a new
	// client may replace it if the table is full. Both sides send a keepalive after five seconds.
	replaceAfter = 12 * time.Second
)

// Reasons for which a [Relay] removes a client.
var (
	errRelayIdle     = errors.New("silent")
	errRelayReplaced = errors.New("silent, and another client takes the place")
	errRelayFull     = errors.New("too many clients")
)

// relayClients is the table of the current clients. It has no clock.
type relayClients struct {
	max      int           // proven ones
	timeout  time.Duration // of silence
	byAddr   map[netip.AddrPort]*RelayClient
	unproven list.List                // of *RelayClient, in the order of arrival
	perNet   [2]map[limit.Network]int // number of unproven and of proven clients of each network
	proven   int                      // clients in the table
	count    int64                    // of all clients, also removed ones
	refused  int                      // datagrams of other addresses while the table was full
}

func newRelayClients(most int, timeout time.Duration) relayClients {
	return relayClients{max: most, timeout: timeout, byAddr: map[netip.AddrPort]*RelayClient{}, perNet: [2]map[limit.Network]int{{}, {}}}
}

// counted changes the number of clients of a network.
func (t *relayClients) counted(c *RelayClient, n int) {
	counts := t.perNet[0]
	if c.State == RelayProven {
		counts = t.perNet[1]
		t.proven += n
	}
	if counts[limit.Of(c.Addr)] += n; counts[limit.Of(c.Addr)] == 0 {
		delete(counts, limit.Of(c.Addr))
	}
}

// at returns the client at an address, or nil if there is none.
func (t *relayClients) at(now time.Time, addr netip.AddrPort) *RelayClient {
	c := t.byAddr[addr]
	if c != nil {
		c.lastSeen = now
	}
	return c
}

// add adds a client at a new address. If the table is full, it returns nil. If there are too many
// unproven clients, the caller must also remove an old one, which add returns.
func (t *relayClients) add(now time.Time, addr netip.AddrPort) (c, old *RelayClient) {
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
	c = &RelayClient{Number: t.count, Addr: addr, firstSeen: now, lastSeen: now, lastReply: now}
	t.byAddr[addr] = c
	c.waiting = t.unproven.PushBack(c)
	t.counted(c, 1)
	return c, old
}

// oldUnproven returns the unproven client that another one may replace: of those that had enough
// time, the oldest one of the network with most of them. It returns nil if there is none.
func (t *relayClients) oldUnproven(now time.Time) (old *RelayClient) {
	most := 0
	for e := t.unproven.Front(); e != nil; e = e.Next() {
		c := e.Value.(*RelayClient)
		if now.Sub(c.firstSeen) < patience {
			break
		}
		if n := t.perNet[0][limit.Of(c.Addr)]; n > most {
			old, most = c, n
		}
	}
	return old
}

// room reports whether the table has room for another proven client at an address. The client may
// have to replace an old one: the one whose link has been silent for longest, if that is long. A
// network gets room for a whole match, and for no more than a quarter of a large table.
func (t *relayClients) room(now time.Time, addr netip.AddrPort) (ok bool, old *RelayClient) {
	crowded := t.perNet[1][limit.Of(addr)] >= max(objectid.Slots, t.max/4)
	if !crowded && t.proven < t.max {
		return true, nil
	}
	for _, c := range t.byAddr {
		if c.State == RelayProven && now.Sub(c.heard()) >= replaceAfter && (!crowded || limit.Of(c.Addr) == limit.Of(addr)) &&
			(old == nil || c.heard().Before(old.heard())) {
			old = c
		}
	}
	return old != nil, old
}

// heard returns the time until which both sides of a link were heard.
func (c *RelayClient) heard() time.Time {
	if c.lastReply.Before(c.lastSeen) {
		return c.lastReply
	}
	return c.lastSeen
}

// prove notes that the server has accepted a client. The caller must remove the client that it returns:
// a silent one that the client replaces, or the client itself if there is no room.
func (t *relayClients) prove(now time.Time, c *RelayClient) (old *RelayClient) {
	ok, old := t.room(now, c.Addr)
	if !ok {
		return c
	}
	t.counted(c, -1)
	t.unproven.Remove(c.waiting)
	c.State = RelayProven
	t.counted(c, 1)
	return old
}

// idle returns the clients that have been silent for too long.
func (t *relayClients) idle(now time.Time) (all []*RelayClient) {
	for _, c := range t.byAddr {
		timeout := t.timeout
		if c.State != RelayProven {
			timeout = min(timeout, unprovenTimeout)
		}
		if now.Sub(c.lastSeen) >= timeout {
			all = append(all, c)
		}
	}
	return all
}

// remove removes a client from the table.
func (t *relayClients) remove(c *RelayClient) {
	t.counted(c, -1)
	if c.State != RelayProven {
		t.unproven.Remove(c.waiting)
	}
	delete(t.byAddr, c.Addr)
	c.State = RelayRemoved
}
