package transport

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Reassembler joins the fragments of payloads. A [Session] and an [Observer] reassemble by
// themselves; a Reassembler is for programs that read messages without them. Use one for each
// direction of a connection, from its Connect on. Sequence numbers are independent in each
// direction and start again with a new connection. Fragments may arrive in any order and any
// number of times. The zero value is ready to use, with the default limits. It is not safe for
// concurrent use.
type Reassembler struct {
	// A limit that is zero or negative has its default.

	MaxPayloads int           // partial payloads; the default is 16
	MaxBytes    int           // bytes of their fragments; the default is 128 KiB
	MaxAge      time.Duration // since the first fragment of a payload; the default is 360 s

	partial  partialPayloads
	complete sequenceSet
}

// The default limits of partial payloads, which [Options] shares.
const (
	defaultPartialPayloads = 16
	defaultPartialBytes    = 128 << 10
	defaultPartialAge      = 360 * time.Second
)

// orDefault returns the default if an option is zero or negative.
func orDefault[T int | time.Duration](option, standard T) T { return cmp.Or(max(option, 0), standard) }

// Add adds a Data message. It returns the payload if the message completes one. A
// payload of one message aliases the message, and others are copies. Add returns an error
// wrapping [ErrLimit] with VerdictDropped. With VerdictRefused and VerdictDiscarded the error
// wraps [ErrBadFragment], or [ErrWrongType] for a message that is not Data. Time need not move
// forward.
func (r *Reassembler) Add(now time.Time, m *Message) (payload []byte, v Verdict, err error) {
	switch {
	case m.Type != TypeData:
		return nil, VerdictRefused, alone(m.Type, ErrWrongType)
	case !m.Reliable && m.Fragment:
		return nil, VerdictRefused, alone(m.Type, ErrBadFragment)
	case !m.Reliable:
		return m.Body, VerdictComplete, nil
	}
	partial := r.partial.find(m.Seq)
	switch {
	case r.complete.has(m.Seq):
		return nil, VerdictDuplicate, nil
	case !m.Fragment && partial != nil:
		return nil, VerdictDuplicate, nil // the fragments were first
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
		err = alone(m.Type, ErrBadFragment)
	}
	return payload, v, err
}

// Expire discards the payloads whose first fragment is older than MaxAge. It returns their
// sequence numbers, nil if there are none. As with VerdictDiscarded, they can never arrive.
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

// sequenceSet is a set of sequence numbers. It holds numbers among the newest and the 32,768
// before it.
type sequenceSet struct {
	bits   *[1 << 16 / 64]uint64 // nil: no number was ever added
	any    bool                  // there is a number
	newest uint16
}

func (s *sequenceSet) has(seq uint16) bool {
	return s.any && int16(seq-s.newest) <= 0 && s.bits[seq/64]>>(seq%64)&1 != 0
}

func (s *sequenceSet) add(seq uint16) {
	if s.bits == nil {
		s.bits = new([1 << 16 / 64]uint64)
	}
	if !s.any {
		s.any, s.newest = true, seq
	}
	for ahead := int16(seq - s.newest); ahead > 0; ahead = int16(seq - s.newest) {
		// Forget the use of the new numbers before the wrap.
		if s.newest++; s.newest%64 == 0 && ahead >= 64 {
			s.bits[s.newest/64] = 0
			s.newest += 63
		} else {
			s.bits[s.newest/64] &^= 1 << (s.newest % 64)
		}
	}
	s.bits[seq/64] |= 1 << (seq % 64)
}

// clear removes all numbers. The memory is kept.
func (s *sequenceSet) clear() {
	if s.any {
		clear(s.bits[:])
		s.any = false
	}
}
