package transport

import "time"

// peerIDCount is the number of peer IDs that clients can have.
const peerIDCount = 124

// peerIDs are those that a Hub has given to clients.
type peerIDs struct {
	users  [128]int
	rested [128]time.Duration // when one that was given back is as good as new
}

// choose returns the lowest peer ID that is free and has rested, else the one that was
// given back first, else the one that is about to be given back, Host if none is.
func (p *peerIDs) choose(now time.Duration, replaced int8) (id int8, ok bool) {
	for i := Host + 1; i < 127; i++ {
		switch {
		case !validPeer(i) || p.users[i] > 0:
		case p.rested[i] <= now:
			return i, true
		case !ok || p.rested[i] < p.rested[id]:
			id, ok = i, true
		}
	}
	if !ok && p.users[replaced] == 1 {
		return replaced, true
	}
	return id, ok
}

func (p *peerIDs) take(id int8) { p.users[id]++ }

func (p *peerIDs) release(id int8, rested time.Duration) {
	p.users[id]--
	p.rested[id] = rested
}
