package transport

import (
	"crypto/rand"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// peerIDCount is the number of peer IDs for clients.
const peerIDCount = 124

// peerIDs holds the peer IDs that a Hub has assigned to clients. Each open session has its own
// ID. Half-open sessions share IDs if there are not enough free ones: the first client that uses
// an ID gets it.
type peerIDs struct {
	open          [128]bool
	reserved      [128]int           // number of half-open sessions
	cooldownUntil [128]time.Duration // before this time, an ID is assigned only if there is no other
}

// choose returns a peer ID for a client: the lowest free ID without a cooldown. If there is none,
// it returns the free ID with the shortest cooldown. If all free IDs are reserved, it returns the
// ID that the fewest half-open sessions share. It returns false if open sessions have all IDs.
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
	return max(0, p.cooldownUntil[a]-now) < max(0, p.cooldownUntil[b]-now)
}

// chooseRandom returns a random ID that has no cooldown and is not reserved, so that clients that
// connect at the same time get different IDs. If fewer than half of all IDs are left, it returns
// any free ID: an attacker could otherwise reserve IDs until the remaining ones are easy to guess.
func (p *peerIDs) chooseRandom(now time.Duration) (id objectid.PeerID, ok bool) {
	var good, free []objectid.PeerID
	for i := objectid.Host + 1; i < 127; i++ {
		if !p.free(i) {
			continue
		}
		free = append(free, i)
		if p.reserved[i] == 0 && p.cooldownUntil[i] <= now {
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

// randomIndex returns an unpredictable number below n.
func randomIndex(n int) int {
	for {
		var b [1]byte
		_, _ = rand.Read(b[:]) // does not fail
		if limit := 256 / n * n; int(b[0]) < limit {
			return int(b[0]) % n
		}
	}
}

// hold gives an ID to the half-open session that has reserved it.
func (p *peerIDs) hold(id objectid.PeerID) {
	p.reserved[id]--
	p.open[id] = true
}

func (p *peerIDs) release(id objectid.PeerID, cooldownUntil time.Duration) {
	p.open[id] = false
	p.cooldownUntil[id] = cooldownUntil
}

// maxRates is the largest number of addresses in connectRates. An attacker must open sessions
// from more addresses to remove one.
const maxRates = 4096

// connectRates is the rate limit of new sessions: a token bucket for each IP address. Full
// buckets need no entry.
type connectRates struct {
	burst    int
	interval time.Duration                // time in which a bucket gains a token
	full     map[netip.Addr]time.Duration // time at which the bucket will be full
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

// evict removes the full buckets or, if there is none, all buckets.
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

// replaceAfter is the silence after which another Connect from the same address may replace a
// session. It is also the time for which OpenBC's Connects are ignored after the end of a
// session.
const replaceAfter = 3 * time.Second

// cooldown is the time for which the Connect of an ended session is ignored, and for which its peer
// ID is not assigned if there are other IDs.
const cooldown = 60 * time.Second

// maxRecent is the largest number of Connects that a Hub remembers.
const maxRecent = 256

// recentConnects holds the Connects and peer IDs of ended sessions, to identify late duplicates
// of their datagrams. Half-open sessions leave no entry.
type recentConnects struct {
	list []recentConnect // a ring when it is full
	next int
}

type recentConnect struct {
	addr   netip.AddrPort
	client clientIdentity
	until  time.Duration
}

// add remembers the Connect of an ended session. OpenBC's Connects are all equal, so they are
// remembered for a short time.
func (r *recentConnects) add(addr netip.AddrPort, client clientIdentity, now time.Duration) {
	c := recentConnect{addr, client, now + cooldown}
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

// has reports whether an address had a recent session with a client that match accepts.
func (r *recentConnects) has(addr netip.AddrPort, now time.Duration, match func(clientIdentity) bool) bool {
	return slices.ContainsFunc(r.list, func(c recentConnect) bool {
		return c.addr == addr && now < c.until && match(c.client)
	})
}
