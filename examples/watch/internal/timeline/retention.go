package timeline

import (
	"slices"
	"sort"
)

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

// datagramAt returns the segment of a datagram, and its index there. It returns nil if the datagram
// is not kept.
func (s *Store) datagramAt(number int) (*segment, int) {
	for _, g := range slices.Backward(s.segments) {
		if i := number - g.firstData; i >= 0 && i < len(g.datagrams) {
			return g, i
		}
	}
	return nil, 0
}

// messageAt returns the segment of a message, and its index there. It returns nil if the message is
// not kept.
func (s *Store) messageAt(number int) (*segment, int) {
	for _, g := range slices.Backward(s.segments) {
		if i := number - g.first; i >= 0 && i < len(g.rows) {
			return g, i
		}
	}
	return nil, 0
}

// datagramSince returns the number of the first kept datagram at or after a time.
func (s *Store) datagramSince(t float64) int {
	for _, g := range s.segments {
		if i := sort.Search(len(g.datagrams), func(i int) bool { return g.datagrams[i].at >= t }); i < len(g.datagrams) {
			return g.firstData + i
		}
	}
	return s.datagrams
}

// messageOf returns the number of the first message at or after a datagram.
func (s *Store) messageOf(datagram int) int {
	if g, i := s.datagramAt(datagram); g != nil {
		return g.first + int(g.datagrams[i].first)
	}
	return s.messages
}
