package match

import (
	"math"
	"slices"
)

// makeRoom begins a segment if necessary, and drops the oldest ones.
func (s *Store) makeRoom() error {
	if n := len(s.segments); n > 0 && !s.segments[n-1].full(&s.options) {
		return nil
	}
	g, err := newSegment(s.options.Dir, s.messages, s.datagrams)
	if err != nil {
		return err
	}
	s.segments = append(s.segments, g)
	for len(s.segments) > 2 && s.exceeds() {
		s.dropOldest()
	}
	return nil
}

// exceeds reports whether the kept messages and bytes, with a full new segment, exceed the limits.
func (s *Store) exceeds() bool {
	bytes := s.options.segmentBytes
	for _, g := range s.segments {
		bytes += g.size()
	}
	o := &s.options
	return o.MaxMessages > 0 && s.messages-s.first()+o.segmentMessages > o.MaxMessages || o.MaxBytes > 0 && bytes > o.MaxBytes
}

// dropOldest drops the oldest segment.
func (s *Store) dropOldest() {
	s.segments[0].close()
	s.segments = slices.Delete(s.segments, 0, 1)
	first, firstData := s.segments[0].first, s.segments[0].firstData
	for _, l := range s.links {
		n := slices.IndexFunc(l.checkpoints, func(c checkpoint) bool { return c.datagram >= firstData })
		if n < 0 {
			n = len(l.checkpoints)
		}
		s.checkpoints -= n
		l.checkpoints = slices.Delete(l.checkpoints, 0, n)
		gone := slices.IndexFunc(l.events, func(e Event) bool { return e.Message >= first })
		if gone < 0 {
			gone = len(l.events)
		}
		if gone > 0 {
			l.dropEvents(gone)
		}
	}
	s.filters.drop(first)
}

// first returns the number of the first kept message.
func (s *Store) first() int {
	if len(s.segments) == 0 {
		return s.messages
	}
	return s.segments[0].first
}

// checkpoint keeps the state of a link before the next datagram, if it is time. The first datagram
// of a link in a segment has one, so that older segments can be dropped.
func (s *Store) checkpoint(l *link) {
	g := s.segments[len(s.segments)-1]
	n := len(l.checkpoints)
	pinned := n == 0 || l.checkpoints[n-1].datagram < g.firstData
	if !pinned && l.since < s.options.Every {
		return
	}
	l.checkpoints = append(l.checkpoints, checkpoint{s.datagrams, l.end, pinned, l.clone()})
	if l.messages == 0 {
		l.checkpoints[0].before = math.Inf(-1)
	}
	l.since = 0
	s.checkpoints++
	if s.checkpoints > s.options.MaxCheckpoints {
		s.thin()
	}
}

// thin removes every other checkpoint and doubles their distance. Pinned checkpoints stay if
// segments can be dropped.
func (s *Store) thin() {
	s.options.Every *= 2
	s.checkpoints = 0
	for _, l := range s.links {
		i := -1
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool {
			i++
			return i%2 == 1 && !(c.pinned && s.options.Live)
		})
		s.checkpoints += len(l.checkpoints)
	}
}
