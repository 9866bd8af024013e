package transport

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Reassembler joins fragments, in any order, for programs without a [Session] or an [Observer]. Use
// one Reassembler for each direction of a connection, and call [Reassembler.Expire] regularly. The
// zero value is ready to use. A Reassembler is not safe for concurrent use.
type Reassembler struct {
	MaxPayloads int           // limit of partial payloads; the default is 16
	MaxBytes    int           // limit of the bytes of their fragments; the default is 128 KiB
	MaxAge      time.Duration // age at which Expire discards a partial payload; the default is 360 s

	partial  partialPayloads
	complete sequenceSet
}

// Default limits of partial payloads, which [Options] shares.
const (
	defaultPartialPayloads = 16
	defaultPartialBytes    = 128 << 10
	defaultPartialAge      = 360 * time.Second
)

// orDefault returns the default if an option is zero or negative.
func orDefault[T int | time.Duration](option, standard T) T { return cmp.Or(max(option, 0), standard) }

// Add adds a Data message, and returns the payload if the message completes one. A payload without
// fragments aliases the message; others are copies. With VerdictDropped, the error wraps [ErrLimit]
// and is not an [*Error]. With VerdictRefused and VerdictDiscarded it is an [*Error] wrapping
// [ErrBadFragment], or [ErrWrongType] for a message other than Data. The time now may go back.
func (r *Reassembler) Add(now time.Time, m *Message) (payload []byte, v Verdict, err error) {
	switch {
	case m.Type != TypeData:
		return nil, VerdictRefused, messageError(m.Type, ErrWrongType)
	case !m.Reliable && m.Fragment:
		return nil, VerdictRefused, messageError(m.Type, ErrBadFragment)
	case !m.Reliable:
		return m.Body, VerdictComplete, nil
	}
	partial := r.partial.find(m.Seq)
	switch {
	case r.complete.has(m.Seq):
		return nil, VerdictDuplicate, nil
	case !m.Fragment && partial != nil:
		return nil, VerdictDuplicate, nil // fragments arrived first
	case !m.Fragment:
		r.complete.add(m.Seq)
		return m.Body, VerdictComplete, nil
	}
	if most := orDefault(r.MaxPayloads, defaultPartialPayloads); partial == nil && len(r.partial.list) >= most {
		return nil, VerdictDropped, &excess{ErrLimit, "# partial payloads", len(r.partial.list) + 1, most}
	}
	most := orDefault(r.MaxBytes, defaultPartialBytes)
	room := most - r.partial.bytes
	payload, v = r.partial.add(now, m, room, math.MaxInt)
	switch v {
	case VerdictComplete:
		r.complete.add(m.Seq)
	case VerdictDropped:
		err = &excess{ErrLimit, "# bytes of fragments", r.partial.bytes + len(m.Body), most}
	case VerdictRefused, VerdictDiscarded:
		err = messageError(m.Type, ErrBadFragment)
	}
	return payload, v, err
}

// Expire discards partial payloads older than MaxAge, and returns their sequence numbers.
func (r *Reassembler) Expire(now time.Time) (seqs []uint16) {
	for i := len(r.partial.list) - 1; i >= 0; i-- {
		if p := r.partial.list[i]; now.Sub(p.since) > orDefault(r.MaxAge, defaultPartialAge) {
			seqs = append(seqs, p.seq)
			r.partial.discard(p)
		}
	}
	slices.Reverse(seqs) // oldest first
	return seqs
}

// Pending returns the number of partial payloads, and the bytes of their fragments.
func (r *Reassembler) Pending() (payloads, bytes int) {
	return len(r.partial.list), r.partial.bytes
}

// partialPayloads holds the payloads of one peer that lack fragments. It does not record which
// payloads are complete.
type partialPayloads struct {
	list  []*partialPayload // in the order of their first fragments
	bytes int
}

// partialPayload is a payload that lacks fragments. Its memory is proportional to the bytes of
// the fragments.
type partialPayload struct {
	seq       uint16
	since     time.Time
	total     int // 0: unknown, since the first fragment is missing
	bytes     int
	fragments []fragment // in the order of their indexes
}

type fragment struct {
	index uint8
	body  []byte
}

// find returns the payload with a sequence number, or nil.
func (p *partialPayloads) find(seq uint16) *partialPayload {
	for _, payload := range p.list {
		if payload.seq == seq {
			return payload
		}
	}
	return nil
}

// add adds a fragment, and returns the payload if that was the last fragment. Room is the number
// of bytes that may be added, and keep the largest length of a complete payload.
func (p *partialPayloads) add(now time.Time, m *Message, room, keep int) (payload []byte, v Verdict) {
	partial := p.find(m.Seq)
	known := partial != nil
	if !known {
		partial = &partialPayload{}
	}
	switch v := partial.admit(m, room, keep); {
	case v == VerdictRefused && known:
		p.discard(partial)
		return nil, VerdictDiscarded
	case v != VerdictStored:
		return nil, v
	case !known:
		partial = &partialPayload{seq: m.Seq, since: now} // after admit, so that refused fragments allocate nothing
		p.list = append(p.list, partial)
	}
	partial.store(m)
	p.bytes += len(m.Body)
	if len(partial.fragments) != partial.total {
		return nil, VerdictStored
	}
	p.discard(partial)
	return partial.join(), VerdictComplete
}

func (p *partialPayloads) discard(partial *partialPayload) {
	p.bytes -= partial.bytes
	p.list = slices.DeleteFunc(p.list, func(other *partialPayload) bool { return other == partial })
}

// place returns the index of a fragment among the stored fragments, and whether it is present.
func (p *partialPayload) place(index uint8) (i int, present bool) {
	return slices.BinarySearchFunc(p.fragments, index, func(f fragment, index uint8) int { return cmp.Compare(f.index, index) })
}

// admit returns VerdictStored if a fragment may be stored.
func (p *partialPayload) admit(m *Message, room, keep int) Verdict {
	i, present := p.place(m.FragIndex)
	switch {
	case !p.fits(m), present && m.FragIndex == 0 && !bytes.Equal(p.fragments[i].body, m.Body):
		return VerdictRefused
	case present:
		return VerdictDuplicate
	case len(m.Body) > room, p.last(m) && p.bytes+len(m.Body) > keep:
		return VerdictDropped
	}
	return VerdictStored
}

// fits reports whether the index and the total of a fragment agree with the stored fragments.
func (p *partialPayload) fits(m *Message) bool {
	i, total := int(m.FragIndex), int(m.FragTotal)
	if i > 0 {
		return i < maxFragments && (p.total == 0 || i < p.total)
	}
	highest := 0
	if n := len(p.fragments); n > 0 {
		highest = int(p.fragments[n-1].index)
	}
	return total > highest && (p.total == 0 || p.total == total)
}

// last reports whether a missing fragment is the only one missing.
func (p *partialPayload) last(m *Message) bool {
	total := p.total
	if m.FragIndex == 0 {
		total = int(m.FragTotal)
	}
	return len(p.fragments)+1 == total
}

func (p *partialPayload) store(m *Message) {
	if m.FragIndex == 0 {
		p.total = int(m.FragTotal)
	}
	i, _ := p.place(m.FragIndex)
	p.fragments = slices.Insert(p.fragments, i, fragment{m.FragIndex, bytes.Clone(m.Body)})
	p.bytes += len(m.Body)
}

func (p *partialPayload) join() []byte {
	payload := make([]byte, 0, p.bytes)
	for _, f := range p.fragments {
		payload = append(payload, f.body...)
	}
	return payload
}

// sequenceSet is a set of sequence numbers. It holds the newest number, and added numbers among
// the 32,768 before it. Adding a number takes the same time for any number.
type sequenceSet struct {
	pages  [sequencePages]*sequencePage
	used   uint64 // bit i: pages[i] may have numbers; other pages are nil or empty
	newest uint16
}

// sequencePage holds the numbers whose first six bits are equal.
type sequencePage [sequencePageSize / 64]uint64

const (
	sequencePages    = 64
	sequencePageSize = 1 << 16 / sequencePages
)

func (s *sequenceSet) empty() bool { return s.used == 0 }

func (s *sequenceSet) has(seq uint16) bool {
	p := s.pages[seq/sequencePageSize]
	return p != nil && int16(seq-s.newest) <= 0 && p[seq%sequencePageSize/64]>>(seq%64)&1 != 0
}

func (s *sequenceSet) add(seq uint16) {
	switch {
	case s.empty():
		s.newest = seq
	case int16(seq-s.newest) > 0:
		s.remove(s.newest+1, seq) // the numbers of the previous round
		s.newest = seq
	}
	i := seq / sequencePageSize
	if s.pages[i] == nil {
		s.pages[i] = new(sequencePage)
	}
	s.pages[i][seq%sequencePageSize/64] |= 1 << (seq % 64)
	s.used |= 1 << i
}

// remove removes the numbers from first to last, which are at most half of all numbers. It visits
// only used pages, and each addition uses only one.
func (s *sequenceSet) remove(first, last uint16) {
	page := first / sequencePageSize
	most := (last - page*sequencePageSize) / sequencePageSize // pages after the first one
	for used := bits.RotateLeft64(s.used, -int(page)) & (2<<most - 1); used != 0; used &= used - 1 {
		n := uint16(bits.TrailingZeros64(used))
		from, to := uint16(0), uint16(sequencePageSize-1)
		if n == 0 {
			from = first % sequencePageSize
		}
		if n == most {
			to = last % sequencePageSize
		}
		i := (page + n) % sequencePages
		s.pages[i].remove(from, to)
		if to-from == sequencePageSize-1 {
			s.used &^= 1 << i
		}
	}
}

// remove removes the numbers from first to last, without their first bits.
func (p *sequencePage) remove(first, last uint16) {
	i, j := first/64, last/64
	from, to := ^uint64(0)<<(first%64), ^uint64(0)>>(63-last%64)
	if i == j {
		p[i] &^= from & to
		return
	}
	p[i] &^= from
	clear(p[i+1 : j])
	p[j] &^= to
}

// clear removes all numbers and keeps the memory.
func (s *sequenceSet) clear() {
	for ; s.used != 0; s.used &= s.used - 1 {
		clear(s.pages[bits.TrailingZeros64(s.used)][:])
	}
}

// clone returns a deep copy.
func (s *sequenceSet) clone() sequenceSet {
	clone := *s
	for i, p := range s.pages {
		if p != nil {
			own := *p
			clone.pages[i] = &own
		}
	}
	return clone
}
