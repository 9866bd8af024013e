package match

import (
	"math"
	"slices"
	"sort"

	"github.com/bcwire/bcwire/transport/recording"
)

// checkpoint is the state before a datagram.
type checkpoint struct {
	datagram int     // number
	before   float64 // time of the last datagram before it on the link
	pinned   bool    // the first one of the link, or of the link in a segment that can become the oldest
	size     int     // bytes of the state, approximately
	state
}

// checkpointCount counts the checkpoints of all links.
type checkpointCount struct {
	loose int // not pinned
	bytes int // of all
}

// Approximate sizes in bytes. A hostile client can have 1024 ships and many partial payloads, and
// all checkpoints of its link have copies.
const (
	senderBytes = 75 << 10
	maxSenders  = 20 // of an Observer
	shipBytes   = 2 << 10
)

// maxEvery is the largest number of messages between two checkpoints of a link. Decoding so many
// again takes a few seconds.
const maxEvery = 1 << 17

// sender is a peer ID in one direction.
type sender struct {
	dir  recording.Direction
	peer int8
}

// noteSender counts the senders of a link, for each of which its decoder has a state.
func (l *link) noteSender(dir recording.Direction, peer int8) {
	if x := (sender{dir, peer}); l.senders < maxSenders && !l.seen[x] {
		if l.seen == nil {
			l.seen = map[sender]bool{}
		}
		l.seen[x] = true
		l.senders++
	}
}

// size returns the approximate number of bytes of the state of a link.
func (l *link) size() int {
	return l.senders*senderBytes + len(l.world.ships)*shipBytes + l.decoder.PendingBytes()
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
	c := checkpoint{s.datagrams, l.end, pinned, l.size(), l.clone()}
	if l.messages == 0 {
		c.before = math.Inf(-1)
	}
	l.checkpoints = append(l.checkpoints, c)
	l.since = 0
	s.checkpoints.add(&c, 1)
	if s.checkpoints.loose > s.options.MaxCheckpoints || s.checkpoints.bytes > s.options.MaxCheckpointBytes {
		s.thin()
	}
}

// add adds a checkpoint to the counts n times.
func (x *checkpointCount) add(c *checkpoint, n int) {
	x.bytes += n * c.size
	if !c.pinned {
		x.loose += n
	}
}

// thin removes every other checkpoint that is not pinned, and doubles their distance.
func (s *Store) thin() {
	s.options.Every = min(2*s.options.Every, max(maxEvery, s.options.Every))
	for _, l := range s.links {
		keep := true
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool {
			if c.pinned {
				return false
			}
			if keep = !keep; !keep {
				s.checkpoints.add(&c, -1)
			}
			return !keep
		})
	}
}

// dropCheckpoints removes the first n checkpoints of a link.
func (s *Store) dropCheckpoints(l *link, n int) {
	for i := range l.checkpoints[:n] {
		s.checkpoints.add(&l.checkpoints[i], -1)
	}
	l.checkpoints = slices.Delete(l.checkpoints, 0, n)
}

// checkpointBefore returns the last checkpoint at or before a datagram, or nil.
func (l *link) checkpointBefore(datagram int) *checkpoint {
	i := sort.Search(len(l.checkpoints), func(i int) bool { return l.checkpoints[i].datagram > datagram })
	if i == 0 {
		return nil
	}
	return &l.checkpoints[i-1]
}

// checkpointAt returns the last checkpoint all of whose earlier datagrams are before a time, or
// else the first, or nil.
func (l *link) checkpointAt(t float64) *checkpoint {
	if len(l.checkpoints) == 0 {
		return nil
	}
	i := sort.Search(len(l.checkpoints), func(i int) bool { return l.checkpoints[i].before >= t })
	return &l.checkpoints[max(0, i-1)]
}
