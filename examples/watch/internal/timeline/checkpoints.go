package timeline

import "slices"

// checkpoint is the state before a datagram.
type checkpoint struct {
	datagram int  // number
	pinned   bool // the first one of the link, or of the link in a segment that can become the oldest
	size     int  // bytes of the state, approximately
	state
}

// Approximate sizes in bytes. A hostile client can have 1024 ships and many partial payloads, and
// all checkpoints of its link have copies.
const (
	senderBytes = 75 << 10
	maxSenders  = 20 // of an Observer
	shipBytes   = 2 << 10
	matchBytes  = 64 << 10 // of the match of a decoder
)

// maxEvery is the largest number of messages between two checkpoints of a link. Decoding so many
// again takes a few seconds.
const maxEvery = 1 << 17

// size returns the approximate number of bytes of the state of a link.
func (l *link) size() int {
	senders := min(len(l.senders), maxSenders)
	return matchBytes + senders*senderBytes + len(l.world.ships)*shipBytes + l.decoder.PendingBytes()
}

// drops reports whether the oldest messages are dropped at a limit.
func (s *Store) drops() bool { return s.options.MaxMessages > 0 || s.options.MaxBytes > 0 }

// checkpoint keeps the state of a link before the next datagram, if it is time. If segments can be
// dropped, the first datagram of a link in a segment has a checkpoint.
func (s *Store) checkpoint(l *link) {
	n := len(l.checkpoints)
	pinned := n == 0 || s.drops() && l.checkpoints[n-1].datagram < s.segments[len(s.segments)-1].firstData
	if !pinned && l.since < s.options.Every {
		return
	}
	l.checkpoints = append(l.checkpoints, checkpoint{s.datagrams, pinned, l.size(), l.clone()})
	l.since = 0
	if loose, bytes := s.checkpoints(); loose > s.options.MaxCheckpoints || bytes > s.options.MaxCheckpointBytes {
		s.thin()
	}
}

// checkpoints returns the number of checkpoints that are not pinned, and the bytes of all.
func (s *Store) checkpoints() (loose, bytes int) {
	for _, l := range s.links {
		for i := range l.checkpoints {
			bytes += l.checkpoints[i].size
			if !l.checkpoints[i].pinned {
				loose++
			}
		}
	}
	return loose, bytes
}

// thin removes every other checkpoint that is not pinned, and doubles their distance.
func (s *Store) thin() {
	s.options.Every = min(2*s.options.Every, max(maxEvery, s.options.Every))
	for _, l := range s.links {
		remove := false
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool {
			remove = remove != !c.pinned
			return remove && !c.pinned
		})
	}
}
