package transport

import (
	"crypto/rand"
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
