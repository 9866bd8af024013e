package transport

import (
	"crypto/rand"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// peerIDCount is the number of peer IDs that clients can have.
const peerIDCount = 124

// peerIDs is the peer IDs that a Hub has assigned to clients. An open session holds its ID
// alone. Half-open sessions share IDs if there are more of them than free IDs: the first
// to use an ID gets it.
type peerIDs struct {
	open      [128]bool
	reserved  [128]int           // number of half-open sessions with the ID
	restUntil [128]time.Duration // until then, a released ID is used only if there is no other
}

// choose returns a peer ID for a client: the lowest free ID that has rested. If there is none,
// it returns the free ID that has rested longest. If all free IDs are reserved, it returns one
// that the fewest half-open sessions share. It returns false if all IDs are held.
func (p *peerIDs) choose(now time.Duration, random bool) (id objectid.PeerID, ok bool) {
	if random {
		return p.chooseRandom(now)
	}
	for i := objectid.Host + 1; i < 127; i++ {
		if p.free(i) && (!ok || p.better(i, id, now)) {
			id, ok = i, true
		}
	}
	return id, ok
}

func (p *peerIDs) free(id objectid.PeerID) bool { return validPeer(id) && !p.open[id] }

// better reports whether the ID a is better for a client than b.
func (p *peerIDs) better(a, b objectid.PeerID, now time.Duration) bool {
	if p.reserved[a] != p.reserved[b] {
		return p.reserved[a] < p.reserved[b]
	}
	return max(0, p.restUntil[a]-now) < max(0, p.restUntil[b]-now)
}

// chooseRandom returns a random ID that has rested and that no half-open session has
// reserved: clients that connect at the same time get different ones. An attacker could use
// up most of these to make the others easier to guess. If fewer than half are left,
// chooseRandom returns any free ID.
func (p *peerIDs) chooseRandom(now time.Duration) (id objectid.PeerID, ok bool) {
	var good, free []objectid.PeerID
	for i := objectid.Host + 1; i < 127; i++ {
		if !p.free(i) {
			continue
		}
		free = append(free, i)
		if p.reserved[i] == 0 && p.restUntil[i] <= now {
			good = append(good, i)
		}
	}
	if len(good) >= peerIDCount/2 {
		free = good
	}
	if len(free) == 0 {
		return 0, false
	}
	return free[randomIndex(len(free))], true
}

// randomIndex returns a number below n that cannot be predicted.
func randomIndex(n int) int {
	for {
		var b [1]byte
		_, _ = rand.Read(b[:]) // does not fail
		if limit := 256 / n * n; int(b[0]) < limit {
			return int(b[0]) % n
		}
	}
}

// hold gives an ID to a half-open session that has reserved it.
func (p *peerIDs) hold(id objectid.PeerID) {
	p.reserved[id]--
	p.open[id] = true
}

func (p *peerIDs) release(id objectid.PeerID, restUntil time.Duration) {
	p.open[id] = false
	p.restUntil[id] = restUntil
}

// maxRates is the largest number of addresses in connectRates. An attacker must open sessions
// from more addresses to make it forget one.
const maxRates = 4096

// connectRates is the rate limit of the sessions that open from one IP address: a token
// bucket for each address whose bucket is not full.
type connectRates struct {
	burst    int
	interval time.Duration                // in which a bucket gains a token
	full     map[netip.Addr]time.Duration // when the bucket will be full again
}

// allow reports whether a session of an address may open.
func (r *connectRates) allow(ip netip.Addr, now time.Duration) bool {
	return r.full[ip]-now <= time.Duration(r.burst-1)*r.interval
}

// take takes a token for a session that has opened.
func (r *connectRates) take(ip netip.Addr, now time.Duration) {
	if len(r.full) >= maxRates {
		r.evict(now)
	}
	if r.full == nil {
		r.full = map[netip.Addr]time.Duration{}
	}
	r.full[ip] = max(r.full[ip], now) + r.interval
}

// evict forgets the addresses whose buckets are full or, if there is none, all.
func (r *connectRates) evict(now time.Duration) {
	for ip, full := range r.full {
		if full <= now {
			delete(r.full, ip)
		}
	}
	if len(r.full) >= maxRates {
		clear(r.full)
	}
}

// replaceAfter is the silence of a session after which another Connect from its address may
// replace it, and the time for which a Connect of OpenBC is ignored after its session.
const replaceAfter = 3 * time.Second

// remember is the time for which a Connect whose session has ended is ignored. A peer ID rests
// as long before another client gets it, if there are others.
const remember = 60 * time.Second

// maxRecent is the largest number of Connects that a Hub remembers.
const maxRecent = 256

// recentConnects is the Connects and peer IDs of sessions that have ended. They identify late
// copies of their datagrams. Half-open sessions leave no entry.
type recentConnects struct {
	list []recentConnect // a ring, once it is full
	next int
}

type recentConnect struct {
	addr   netip.AddrPort
	client clientIdentity
	until  time.Duration
}

// add remembers the Connect of a session that has ended. The Connects of OpenBC are all
// alike, and are remembered for a short time.
func (r *recentConnects) add(addr netip.AddrPort, client clientIdentity, now time.Duration) {
	c := recentConnect{addr, client, now + remember}
	if client.short {
		c.until = now + replaceAfter
	}
	if len(r.list) < maxRecent {
		r.list = append(r.list, c)
		return
	}
	r.list[r.next] = c
	r.next = (r.next + 1) % maxRecent
}

// has reports whether a recent session of an address had a client that match accepts.
func (r *recentConnects) has(addr netip.AddrPort, now time.Duration, match func(clientIdentity) bool) bool {
	return slices.ContainsFunc(r.list, func(c recentConnect) bool {
		return c.addr == addr && now < c.until && match(c.client)
	})
}
