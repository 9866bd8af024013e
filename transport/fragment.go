package transport

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// What the stock game fragments, and how.
const (
	// MaxUnfragmented is the length of the largest Data message that is not split.
	MaxUnfragmented = 412
	// MaxUnfragmentedPayload is the length of the largest payload of a reliable one: 407
	// bytes.
	MaxUnfragmentedPayload = MaxUnfragmented - 5
	// MaxFragments is the largest number of pieces of a payload.
	MaxFragments = 255
	// MaxPayload is the length of the largest payload that can be sent: 103,529 bytes.
	MaxPayload = firstPiece + (MaxFragments-1)*nextPiece

	firstPiece = MaxUnfragmented - 7 // with the index and the total
	nextPiece  = MaxUnfragmented - 6 // with the index

	wholeUnreliable = MaxUnfragmented - 3
)

// AppendFragments appends to dst the reliable messages that carry a payload: one, or the
// fewest pieces if it is longer than
// [MaxUnfragmentedPayload]. All pieces have the same sequence number;
// they alias the payload. It fails with [ErrTooLong] for more than [MaxPayload] bytes.
func AppendFragments(dst []Message, seq uint16, payload []byte) ([]Message, error) {
	if len(payload) <= MaxUnfragmentedPayload {
		return append(dst, NewData(seq, payload)), nil
	}
	if len(payload) > MaxPayload {
		return dst, alone(TypeData, ErrTooLong)
	}
	total := 1 + (len(payload)-firstPiece+nextPiece-1)/nextPiece
	for i, size := 0, firstPiece; i < total; i, size = i+1, nextPiece {
		m := NewData(seq, payload[:min(size, len(payload))])
		payload = payload[len(m.Body):]
		m.Fragment = true
		m.FragIndex = uint8(i)
		if i == 0 {
			m.FragTotal = uint8(total)
		}
		dst = append(dst, m)
	}
	return dst, nil
}

// assembly is the payloads of one peer that are in the making. It does not know which
// are done.
type assembly struct {
	sets  []*set
	bytes int
}

// set is a payload in the making. What it takes in memory is in proportion to what has
// come of it.
type set struct {
	seq    uint16
	since  time.Time
	total  int // 0: not known, the first piece is missing
	bytes  int
	pieces []piece // in the order of their indexes
}

type piece struct {
	index uint8
	body  []byte
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
	known := s != nil
	if !known {
		s = &set{}
	}
	switch v := s.admit(m, room, keep); {
	case v == VerdictRefused && known:
		a.discard(s)
		return nil, VerdictDiscarded
	case v != VerdictStored:
		return nil, v
	case !known:
		s = &set{seq: m.Seq, since: now} // not before: a flood is to cost no memory
		a.sets = append(a.sets, s)
	}
	s.store(m)
	a.bytes += len(m.Body)
	if len(s.pieces) != s.total {
		return nil, VerdictStored
	}
	a.discard(s)
	return s.join(), VerdictComplete
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

// place returns where a piece is among the others, or should be.
func (s *set) place(index uint8) (i int, have bool) {
	return slices.BinarySearchFunc(s.pieces, index, func(p piece, index uint8) int { return cmp.Compare(p.index, index) })
}

// admit says what is to be done with a piece.
func (s *set) admit(m *Message, room, keep int) Verdict {
	i, have := s.place(m.FragIndex)
	switch {
	case !s.fits(m), have && m.FragIndex == 0 && !bytes.Equal(s.pieces[i].body, m.Body):
		return VerdictRefused
	case have:
		return VerdictRepeated
	case len(m.Body) > room, s.last(m) && s.bytes+len(m.Body) > keep:
		return VerdictDropped
	}
	return VerdictStored
}

// fits says whether index and total of a piece agree with the others.
func (s *set) fits(m *Message) bool {
	i, total := int(m.FragIndex), int(m.FragTotal)
	if i > 0 {
		return i < MaxFragments && (s.total == 0 || i < s.total)
	}
	highest := 0
	if n := len(s.pieces); n > 0 {
		highest = int(s.pieces[n-1].index)
	}
	return total > highest && (s.total == 0 || s.total == total)
}

// last says whether a piece that is missing is the only one.
func (s *set) last(m *Message) bool {
	total := s.total
	if m.FragIndex == 0 {
		total = int(m.FragTotal)
	}
	return len(s.pieces)+1 == total
}

func (s *set) store(m *Message) {
	if m.FragIndex == 0 {
		s.total = int(m.FragTotal)
	}
	i, _ := s.place(m.FragIndex)
	s.pieces = slices.Insert(s.pieces, i, piece{m.FragIndex, bytes.Clone(m.Body)})
	s.bytes += len(m.Body)
}

func (s *set) join() []byte {
	payload := make([]byte, 0, s.bytes)
	for _, p := range s.pieces {
		payload = append(payload, p.body...)
	}
	return payload
}
