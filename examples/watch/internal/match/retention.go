package match

import "slices"

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
// The pinned checkpoints of many hostile clients also exceed their limit.
func (s *Store) exceeds() bool {
	if s.drops() && s.checkpoints.bytes > s.options.MaxCheckpointBytes {
		return true
	}
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
	gone := map[int]int{}
	for i := range s.segments[0].datagrams {
		gone[int(s.segments[0].datagrams[i].link)]++
	}
	s.segments = slices.Delete(s.segments, 0, 1)
	first, firstData := s.segments[0].first, s.segments[0].firstData
	for _, l := range s.links {
		l.kept -= gone[l.id]
		n := slices.IndexFunc(l.checkpoints, func(c checkpoint) bool { return c.datagram >= firstData })
		if n < 0 {
			n = len(l.checkpoints)
		}
		s.dropCheckpoints(l, n)
		old := slices.IndexFunc(l.events, func(e Event) bool { return e.Message >= first })
		if old < 0 {
			old = len(l.events)
		}
		if old > 0 {
			l.dropEvents(old)
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
