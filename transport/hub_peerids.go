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

// choose returns a peer ID for a client. It is the lowest free one that has rested; else the
// one that has rested longest; else, if all free ones are reserved, one that the fewest
// half-open sessions share. It returns false if all are taken.
func (p *peerIDs) choose(now time.Duration, random bool) (id int8, ok bool) {
	if random {
		return p.chooseRandom(now)
	}
	for i := Host + 1; i < 127; i++ {
		if p.free(i) && (!ok || p.better(i, id, now)) {
			id, ok = i, true
		}
	}
	return id, ok
}

func (p *peerIDs) free(id int8) bool { return validPeer(id) && !p.taken[id] }

// better reports whether a client should get the ID a rather than b.
func (p *peerIDs) better(a, b int8, now time.Duration) bool {
	if p.reserved[a] != p.reserved[b] {
		return p.reserved[a] < p.reserved[b]
	}
	return max(0, p.rested[a]-now) < max(0, p.rested[b]-now)
}

// chooseRandom returns a random ID that has rested and that no half-open session has
// reserved: clients who connect at the same time get different ones. An attacker could use
// up most of these to make the others easier to guess. If fewer than half are left,
// chooseRandom returns any free ID.
func (p *peerIDs) chooseRandom(now time.Duration) (id int8, ok bool) {
	var good, free []int8
	for i := Host + 1; i < 127; i++ {
		if !p.free(i) {
			continue
		}
		free = append(free, i)
		if p.reserved[i] == 0 && p.rested[i] <= now {
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
