package transport

import (
	"slices"
	"time"
)

// assembly is the payloads of one peer that are in the making. It does not know which
// are done.
type assembly struct {
	sets  []*set
	bytes int
}

// set is a payload in the making.
type set struct {
	seq   uint16
	since time.Time
	shape
	pieces [MaxFragments][]byte // nil: missing
}

// shape is what is known of a payload in the making; at first, nothing.
type shape struct {
	total   int // 0: not known, the first piece is missing
	count   int
	highest int
	bytes   int
}

// find returns the payload with a sequence number, nil if there is none.
func (a *assembly) find(seq uint16) *set {
	for _, s := range a.sets {
		if s.seq == seq {
			return s
		}
	}
	return nil
}

// add takes a piece and returns the payload if that was the last one. Room is the number
// of bytes that may be added, and keep how long the payload may be when it is complete.
func (a *assembly) add(now time.Time, m *Message, room, keep int) (payload []byte, v Verdict) {
	s := a.find(m.Seq)
	if s == nil {
		if v := (shape{}).admit(m, nil, room, keep); v != Stored {
			return nil, v
		}
		s = &set{seq: m.Seq, since: now}
		a.sets = append(a.sets, s)
	} else {
		have := s.pieces[min(m.FragIndex, MaxFragments-1)]
		if v := s.admit(m, have, room, keep); v == Refused {
			a.discard(s)
			return nil, Discarded
		} else if v != Stored {
			return nil, v
		}
	}
	s.store(m)
	a.bytes += len(m.Body)
	if s.count != s.total {
		return nil, Stored
	}
	a.discard(s)
	return slices.Concat(s.pieces[:s.total]...), Complete
}

func (a *assembly) discard(s *set) {
	a.bytes -= s.bytes
	a.sets = slices.DeleteFunc(a.sets, func(other *set) bool { return other == s })
}

// oldest returns when the first of them began, false if there is none.
func (a *assembly) oldest() (t time.Time, ok bool) {
	for _, s := range a.sets {
		if !ok || s.since.Before(t) {
			t, ok = s.since, true
		}
	}
	return t, ok
}

// admit says what is to be done with a piece, of which have is there already.
func (s shape) admit(m *Message, have []byte, room, keep int) Verdict {
	switch {
	case !s.fits(m), have != nil && m.FragIndex == 0 && !slices.Equal(have, m.Body):
		return Refused
	case have != nil:
		return Repeated
	case len(m.Body) > room, s.last(m) && s.bytes+len(m.Body) > keep:
		return Dropped
	}
	return Stored
}

// fits says whether index and total of a piece agree with the others.
func (s shape) fits(m *Message) bool {
	i, total := int(m.FragIndex), int(m.FragTotal)
	if i == 0 {
		return total > s.highest && (s.total == 0 || s.total == total)
	}
	return i < MaxFragments && (s.total == 0 || i < s.total)
}

// last says whether a piece that is missing is the only one.
func (s shape) last(m *Message) bool {
	total := s.total
	if m.FragIndex == 0 {
		total = int(m.FragTotal)
	}
	return s.count+1 == total
}

func (s *set) store(m *Message) {
	i := int(m.FragIndex)
	if i == 0 {
		s.total = int(m.FragTotal)
	}
	s.pieces[i] = append(make([]byte, 0, len(m.Body)), m.Body...) // not nil, even if empty
	s.highest = max(s.highest, i)
	s.count++
	s.bytes += len(m.Body)
}
