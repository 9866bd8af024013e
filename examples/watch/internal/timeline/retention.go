package timeline

import "slices"

// makeRoom begins a segment if necessary, and drops the oldest ones.
func (s *Store) makeRoom() error {
	o := &s.options
	last := len(s.segments) - 1
	if last >= 0 && len(s.segments[last].rows) < o.segmentMessages && s.segments[last].size() < o.segmentBytes {
		return nil
	}
	if o.Memory > 0 && s.size() > o.Memory {
		return errMemory
	}
	g, err := newSegment(o, s.messages, s.datagrams)
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
	if _, bytes := s.checkpoints(); s.drops() && bytes > s.options.MaxCheckpointBytes {
		return true
	}
	bytes := s.size() + s.options.segmentBytes
	o := &s.options
	return o.MaxMessages > 0 && s.messages-s.first()+o.segmentMessages > o.MaxMessages || o.MaxBytes > 0 && bytes > o.MaxBytes
}

// size returns the number of bytes in the segments.
func (s *Store) size() (bytes int64) {
	for _, g := range s.segments {
		bytes += g.size()
	}
	return bytes
}

// dropOldest drops the oldest segment.
func (s *Store) dropOldest() {
	s.segments[0].close()
	s.segments = slices.Delete(s.segments, 0, 1)
	first, firstData := s.segments[0].first, s.segments[0].firstData
	for _, l := range s.links {
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool { return c.datagram < firstData })
		l.history.forget(first)
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
