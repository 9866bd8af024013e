package transport

import (
	"crypto/rand"
	"net/netip"
	"time"
)

// peerIDCount is the number of peer IDs that clients can have.
const peerIDCount = 124

// peerIDs is the peer IDs that a Hub has given to clients. An open session has its ID for
// itself. Half-open sessions share IDs if there are more of them than free IDs: the first
// to use an ID gets it.
type peerIDs struct {
	taken    [128]bool
	reserved [128]int           // by half-open sessions
	rested   [128]time.Duration // when an ID that was given back is as good as new
}

// choose returns a peer ID for a client. It is the lowest free one that has rested, or a
// random one of these; else the one that has rested longest; else, if all free ones are
// reserved, one that the fewest half-open sessions share. It returns false if all are taken.
func (p *peerIDs) choose(now time.Duration, random bool) (id int8, ok bool) {
	var best []int8
	for i := Host + 1; i < 127; i++ {
		if !validPeer(i) || p.taken[i] {
			continue
		}
		order := 0
		if len(best) > 0 {
			order = p.compare(i, best[0], now, random)
		}
		switch {
		case order < 0:
			best = append(best[:0], i)
		case order == 0:
			best = append(best, i)
		}
	}
	switch {
	case len(best) == 0:
		return 0, false
	case random:
		return best[randomIndex(len(best))], true
	}
	return best[0], true
}

// compare returns a negative number if a client should rather have the ID a than b, and 0
// if they are equally good.
func (p *peerIDs) compare(a, b int8, now time.Duration, random bool) int {
	// An attacker could reserve IDs to make the others easier to guess.
	if !random && p.reserved[a] != p.reserved[b] {
		return p.reserved[a] - p.reserved[b]
	}
	restA, restB := max(0, p.rested[a]-now), max(0, p.rested[b]-now)
	switch {
	case restA < restB:
		return -1
	case restA > restB:
		return 1
	}
	return 0
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

func (p *peerIDs) reserve(id int8) { p.reserved[id]++ }
func (p *peerIDs) cancel(id int8)  { p.reserved[id]-- }

// open gives an ID to a half-open session that has reserved it.
func (p *peerIDs) open(id int8) {
	p.reserved[id]--
	p.taken[id] = true
}

func (p *peerIDs) isOpen(id int8) bool { return p.taken[id] }

func (p *peerIDs) release(id int8, rested time.Duration) {
	p.taken[id] = false
	p.rested[id] = rested
}

// maxRates is how many addresses connectRates keeps. An attacker must open sessions from
// more than that to make it forget one.
const maxRates = 4096

// connectRates limits how often sessions of one IP address open: a token bucket for each
// address whose bucket is not full.
type connectRates struct {
	burst    int
	interval time.Duration                // in which a bucket gains a token
	full     map[netip.Addr]time.Duration // when the bucket will be full again
}

// allow reports whether a session of an address may open.
func (r *connectRates) allow(ip netip.Addr, now time.Duration) bool {
	return r.full[ip]-now <= time.Duration(r.burst-1)*r.interval
}

// take notes that a session has opened.
func (r *connectRates) take(ip netip.Addr, now time.Duration) {
	if len(r.full) >= maxRates {
		r.clean(now)
	}
	if r.full == nil {
		r.full = map[netip.Addr]time.Duration{}
	}
	r.full[ip] = max(r.full[ip], now) + r.interval
}

// clean forgets the addresses whose buckets are full or, if there is none, all.
func (r *connectRates) clean(now time.Duration) {
	for ip, full := range r.full {
		if full <= now {
			delete(r.full, ip)
		}
	}
	if len(r.full) >= maxRates {
		clear(r.full)
	}
}

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
