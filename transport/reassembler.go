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
	limits   partialLimits
	partial  partialPayloads
	complete sequenceSet
	limit    *excess // the last error of a limit, for reuse
}

// partialLimits are limits of partial payloads. Zero is the default.
type partialLimits struct {
	payloads int
	bytes    int           // of their fragments
	age      time.Duration // at which Expire discards a payload
}

// Default limits of partial payloads, which a [Session] shares.
const (
	defaultPartialPayloads = 16
	defaultPartialBytes    = 128 << 10
	defaultPartialAge      = 360 * time.Second
)

// orDefault returns the default if an option is zero or negative.
func orDefault[T int | time.Duration](option, standard T) T { return cmp.Or(max(option, 0), standard) }

// Add adds a Data message, and returns the payload if the message completes one. A payload without
// fragments aliases the message; others are copies. With VerdictDropped, the error is not an
// [*Error]. With VerdictRefused and VerdictDiscarded it is an [*Error], which wraps
// [ErrBadFragment] for Data. The time now may go back.
func (r *Reassembler) Add(now time.Time, m *Message) (payload []byte, v Verdict, err error) {
	switch {
	case m.Type != TypeData:
		return nil, VerdictRefused, messageError(m.Type, errWrongType)
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
	if most := orDefault(r.limits.payloads, defaultPartialPayloads); partial == nil && len(r.partial.list) >= most {
		return nil, VerdictDropped, r.exceeds("# partial payloads", len(r.partial.list)+1, most)
	}
	most := orDefault(r.limits.bytes, defaultPartialBytes)
	room := most - r.partial.bytes
	payload, v = r.partial.addTo(partial, now, m, room, math.MaxInt)
	switch v {
	case VerdictComplete:
		r.complete.add(m.Seq)
	case VerdictDropped:
		err = r.exceeds("# bytes of fragments", r.partial.bytes+len(m.Body), most)
	case VerdictRefused, VerdictDiscarded:
		err = messageError(m.Type, ErrBadFragment)
	}
	return payload, v, err
}

// exceeds returns the error of a limit. A peer can cause the same error with each fragment, so
// exceeds allocates only an error that differs from the last one.
func (r *Reassembler) exceeds(what string, n, most int) error {
	if e := (excess{errLimit, what, n, most}); r.limit == nil || *r.limit != e {
		r.limit = &excess{errLimit, what, n, most}
	}
	return r.limit
}

// Expire discards partial payloads older than 360 s, and returns their sequence numbers.
func (r *Reassembler) Expire(now time.Time) (seqs []uint16) {
	p, most := &r.partial, orDefault(r.limits.age, defaultPartialAge)
	if now.Sub(p.since) <= most {
		return nil
	}
	kept := 0
	for i, payload := range p.list {
		if now.Sub(payload.since) > most {
			seqs = append(seqs, payload.seq)
			p.bytes -= payload.bytes
			payload.clear()
			continue
		}
		if kept == 0 || payload.since.Before(p.since) {
			p.since = payload.since
		}
		p.list[kept], p.list[i] = payload, p.list[kept]
		kept++
	}
	p.list = p.list[:kept]
	return seqs
}

// pending returns the number of partial payloads, and the bytes of their fragments.
func (r *Reassembler) pending() (payloads, bytes int) {
	return len(r.partial.list), r.partial.bytes
}

// partialPayloads holds the payloads of one peer that lack fragments. It does not record which
// payloads are complete.
type partialPayloads struct {
	list  []*partialPayload // in the order of their first fragments
	bytes int
	since time.Time // no payload of the list is older
}

// partialPayload is a payload that lacks fragments. Its memory is proportional to the bytes of
// the fragments.
type partialPayload struct {
	seq       uint16
	since     time.Time
	total     int // 0: unknown, since the first fragment is missing
	bytes     int
	fragments []fragment // in the order of their arrival
	present   [4]uint64  // bit i%64 of element i/64: the fragment with the index i
	highest   uint8      // index of these
	first     uint8      // place of the fragment with the index 0 in fragments
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
	return p.addTo(p.find(m.Seq), now, m, room, keep)
}

// addTo is add, given the payload of the fragment, or nil for a new payload.
func (p *partialPayloads) addTo(partial *partialPayload, now time.Time, m *Message, room, keep int) (payload []byte, v Verdict) {
	if partial == nil {
		if v = new(partialPayload).admit(m, room, keep); v == VerdictStored {
			partial = p.begin(now, m.Seq) // after admit, so that refused fragments allocate nothing
		}
	} else if v = partial.admit(m, room, keep); v == VerdictRefused {
		p.discard(partial)
		return nil, VerdictDiscarded
	}
	if v != VerdictStored {
		return nil, v
	}
	partial.store(m)
	p.bytes += len(m.Body)
	if len(partial.fragments) != partial.total {
		return nil, VerdictStored
	}
	payload = partial.join()
	p.discard(partial)
	return payload, VerdictComplete
}

// begin adds a payload without fragments. Behind the list is the memory of discarded payloads.
func (p *partialPayloads) begin(now time.Time, seq uint16) *partialPayload {
	n := len(p.list)
	if n == 0 || now.Before(p.since) {
		p.since = now
	}
	if n < cap(p.list) && p.list[:n+1][n] != nil {
		p.list = p.list[:n+1]
	} else {
		p.list = append(p.list, &partialPayload{})
	}
	partial := p.list[n]
	partial.seq, partial.since = seq, now
	return partial
}

func (p *partialPayloads) discard(partial *partialPayload) {
	p.bytes -= partial.bytes
	n := len(p.list) - 1
	i := slices.Index(p.list, partial)
	copy(p.list[i:], p.list[i+1:])
	p.list[n] = partial
	p.list = p.list[:n]
	partial.clear()
}

// clear removes all payloads and keeps their memory.
func (p *partialPayloads) clear() {
	for _, partial := range p.list {
		partial.clear()
	}
	p.list, p.bytes = p.list[:0], 0
}

// clear removes the fragments, and keeps memory for few of them.
func (p *partialPayload) clear() {
	const kept = 16
	clear(p.fragments)
	if cap(p.fragments) > kept {
		p.fragments = nil
	}
	*p = partialPayload{fragments: p.fragments[:0]}
}

func (p *partialPayload) has(index uint8) bool { return p.present[index/64]>>(index%64)&1 != 0 }

// admit returns VerdictStored if a fragment may be stored.
func (p *partialPayload) admit(m *Message, room, keep int) Verdict {
	present := p.has(m.FragIndex)
	switch {
	case !p.fits(m), present && m.FragIndex == 0 && !bytes.Equal(p.fragments[p.first].body, m.Body):
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
	return total > int(p.highest) && (p.total == 0 || p.total == total)
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
		p.total, p.first = int(m.FragTotal), uint8(len(p.fragments))
	}
	p.fragments = append(p.fragments, fragment{m.FragIndex, bytes.Clone(m.Body)})
	p.present[m.FragIndex/64] |= 1 << (m.FragIndex % 64)
	p.highest = max(p.highest, m.FragIndex)
	p.bytes += len(m.Body)
}

func (p *partialPayload) join() []byte {
	var places [maxFragments]uint8 // in fragments, by index
	for i, f := range p.fragments {
		places[f.index] = uint8(i)
	}
	payload := make([]byte, 0, p.bytes)
	for _, i := range places[:p.total] {
		payload = append(payload, p.fragments[i].body...)
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

// Verdict is the result of adding a message to a [Reassembler].
type Verdict uint8

const (
	VerdictComplete  Verdict = iota // the payload is complete
	VerdictStored                   // fragments are missing
	VerdictDuplicate                // the message, or a fragment of its payload, was added before
	VerdictDropped                  // a limit is reached; do not acknowledge the message
	VerdictRefused                  // the message is invalid; stored fragments are kept
	// VerdictDiscarded means that a contradiction has discarded the payload. End the session.
	VerdictDiscarded
)

// clone returns a copy that shares only the bodies of the fragments, which are never modified.
func (p *partialPayloads) clone() partialPayloads {
	clone := partialPayloads{bytes: p.bytes, since: p.since, list: make([]*partialPayload, len(p.list))}
	for i, payload := range p.list {
		own := *payload
		own.fragments = slices.Clone(payload.fragments)
		clone.list[i] = &own
	}
	return clone
}
