package transport

import (
	"cmp"
	"crypto/rand"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// peerIDCount is the number of peer IDs for clients.
const peerIDCount = 124

// peerIDs holds the peer IDs that a Hub has assigned to clients. Each open session has its own
// ID. Half-open sessions share IDs if there are not enough free ones: the first one that opens
// gets the ID.
type peerIDs struct {
	random        io.Reader
	open          [128]bool
	reserved      [128]int           // number of half-open sessions
	cooldownUntil [128]time.Duration // before this time, an ID is assigned only if there is no other
}

// highestUsual is the last of the peer IDs that a game with 16 slots needs.
const highestUsual objectid.PeerID = objectid.Host + objectid.Slots

// choose returns a peer ID for a client, at random among the best free IDs. An ID is good if fewer
// half-open sessions have reserved it, then if it is at most highestUsual, then if its cooldown
// ends early. With all, any free ID is good that has no reservation and no cooldown. If fewer than
// half of all IDs are then left, any free ID is good: an attacker could otherwise reserve IDs until
// the remaining ones are easy to guess. It returns false if open sessions have all IDs.
func (p *peerIDs) choose(now time.Duration, all bool) (id objectid.PeerID, ok bool) {
	var best, free []objectid.PeerID
	for i := objectid.Host + 1; i < 127; i++ {
		if !validPeer(i) || p.open[i] {
			continue
		}
		free = append(free, i)
		switch {
		case all && (p.reserved[i] > 0 || p.cooldownUntil[i] > now):
			continue
		case !all && len(best) > 0:
			if c := p.compare(i, best[0], now); c > 0 {
				continue
			} else if c < 0 {
				best = best[:0]
			}
		}
		best = append(best, i)
	}
	if all && len(best) < peerIDCount/2 {
		best = free
	}
	if len(best) == 0 {
		return 0, false
	}
	return best[p.randomIndex(len(best))], true
}

// compare returns a negative number if the ID a is better for a client than b, and 0 if both are
// as good.
func (p *peerIDs) compare(a, b objectid.PeerID, now time.Duration) int {
	high := func(id objectid.PeerID) int { return max(0, int(id)-int(highestUsual)) }
	wait := func(id objectid.PeerID) time.Duration { return max(0, p.cooldownUntil[id]-now) }
	return cmp.Or(
		cmp.Compare(p.reserved[a], p.reserved[b]),
		cmp.Compare(min(1, high(a)), min(1, high(b))),
		cmp.Compare(wait(a), wait(b)),
	)
}

// randomIndex returns an unpredictable number below n.
func (p *peerIDs) randomIndex(n int) int {
	var b [1]byte
	for range 100 { // a source may have no other bytes
		readRandom(p.random, b[:])
		if limit := 256 / n * n; int(b[0]) < limit {
			break
		}
	}
	return int(b[0]) % n
}

// readRandom fills b from a source. If the source fails, it takes the bytes of [rand.Reader]: zeros would validate forged
// addresses.
func readRandom(source io.Reader, b []byte) {
	if _, err := io.ReadFull(source, b); err != nil {
		_, _ = rand.Read(b) // never fails
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

// maxRates is the largest number of networks in Hub.rates.
const maxRates = 4096

// newSessions is the bucket in Hub.rates for the sessions of a network. Half-open ones take no token, because
// their addresses may be forged.
const newSessions = 0

// replaceAfter is the silence after which another Connect from the same address may replace a
// session. It is also the time for which OpenBC's Connects are ignored after the end of a
// session.
const replaceAfter = 3 * time.Second

// drainTime is the time in which the datagrams to a client arrive. A Connect makes the session of its address quiet, so
// the next Connect of a client that has restarted comes after this time.
const drainTime = time.Second

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
