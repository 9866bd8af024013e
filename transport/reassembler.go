package transport

import (
	"iter"
	"math"
	"slices"
	"time"
)

// Reassembler puts the payloads of Data messages together, for programs that look on; a
// [Session] has one of its own. One reassembler is for what one peer sends to one other,
// from its Connect on: sequence numbers count by themselves in each direction, and begin
// again with a new connection. Pieces may come in any order and any number of times. The
// zero value is ready, with the default limits. It is not safe for concurrent use.
type Reassembler struct {
	// The zero value of a limit, and any below it, means the default.

	MaxSets  int           // payloads in the making; 16
	MaxBytes int           // bytes of their pieces; 128 KiB
	MaxAge   time.Duration // from the first piece of a payload; 360 s

	pending assembly
	done    window
}

// Verdict is what a [Reassembler] did with a message.
type Verdict uint8

const (
	// VerdictComplete: the payload is there.
	VerdictComplete Verdict = iota
	// VerdictStored: pieces are missing.
	VerdictStored
	// VerdictRepeated: nothing new; the peer has not seen the Ack.
	VerdictRepeated
	// VerdictDropped: a limit is reached. Do not acknowledge, so that it comes again.
	VerdictDropped
	// VerdictRefused: the message is impossible. Nothing that was stored is lost.
	VerdictRefused
	// VerdictDiscarded: the message contradicts pieces that were stored and are gone now. The
	// payload can never arrive, and with it everything after it: end the session.
	VerdictDiscarded
)

// Acknowledge says whether a reliable message with this verdict is to be acknowledged.
func (v Verdict) Acknowledge() bool { return v <= VerdictRepeated }

// String returns the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"complete", "stored", "repeated", "dropped", "refused", "discarded"}[min(v, VerdictDiscarded)]
}

// Add takes a Data message. If that completes a payload, or is one, it returns it; a
// payload of one message aliases the message, others are copies. It returns
// [ErrLimit] with VerdictDropped and, with VerdictRefused and VerdictDiscarded, [ErrBadFragment], or
// [ErrWrongType] for a message that is not Data. Time need not move forward.
func (r *Reassembler) Add(now time.Time, m *Message) (payload []byte, v Verdict, err error) {
	switch {
	case m.Type != TypeData:
		return nil, VerdictRefused, alone(m.Type, ErrWrongType)
	case !m.Reliable && m.Fragment:
		return nil, VerdictRefused, alone(m.Type, ErrBadFragment)
	case !m.Reliable:
		return m.Body, VerdictComplete, nil
	}
	s := r.pending.find(m.Seq)
	switch {
	case r.done.has(m.Seq):
		return nil, VerdictRepeated, nil
	case !m.Fragment && s != nil:
		return nil, VerdictRepeated, nil // the pieces were first
	case !m.Fragment:
		r.done.add(m.Seq)
		return m.Body, VerdictComplete, nil
	case s == nil && len(r.pending.sets) >= or(r.MaxSets, defaultMaxSets):
		return nil, VerdictDropped, ErrLimit // at no cost: this may be a flood
	}
	room := or(r.MaxBytes, defaultMaxSetBytes) - r.pending.bytes
	payload, v = r.pending.add(now, m, room, math.MaxInt)
	switch v {
	case VerdictComplete:
		r.done.add(m.Seq)
	case VerdictDropped:
		err = ErrLimit
	case VerdictRefused, VerdictDiscarded:
		err = alone(m.Type, ErrBadFragment)
	}
	return payload, v, err
}

// Payloads iterates over the payloads that a deciphered datagram completes. What is wrong
// with one of its messages comes as an error in between: those of [Messages] and of
// [Reassembler.Add]. A payload is valid until the datagram is overwritten.
func (r *Reassembler) Payloads(now time.Time, datagram []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		Tolerant.each(datagram, func(m Message, err error) bool {
			if err != nil {
				return yield(nil, err)
			}
			if m.Type != TypeData {
				return true
			}
			payload, verdict, err := r.Add(now, &m)
			return verdict != VerdictComplete && err == nil || yield(payload, err)
		})
	}
}

// Expire discards the payloads whose first piece is older than MaxAge and returns their
// sequence numbers, nil if there are none. As with VerdictDiscarded, they can never arrive.
func (r *Reassembler) Expire(now time.Time) (seqs []uint16) {
	sets := r.pending.sets
	for i := len(sets) - 1; i >= 0; i-- {
		if s := sets[i]; now.Sub(s.since) > or(r.MaxAge, defaultMaxSetAge) {
			seqs = append(seqs, s.seq)
			r.pending.discard(s)
		}
	}
	slices.Reverse(seqs) // oldest first
	return seqs
}

// Pending returns how many payloads are in the making, and the bytes of their pieces.
func (r *Reassembler) Pending() (payloads, bytes int) {
	return len(r.pending.sets), r.pending.bytes
}

func or[T int | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

// window remembers which sequence numbers are done, out of the newest and the 32,768
// before it.
type window struct {
	bits   *[1 << 16 / 64]uint64
	newest uint16
}

func (w *window) has(seq uint16) bool {
	return w.bits != nil && int16(seq-w.newest) <= 0 && w.bits[seq/64]>>(seq%64)&1 != 0
}

func (w *window) add(seq uint16) {
	if w.bits == nil {
		w.bits = new([1 << 16 / 64]uint64)
		w.newest = seq
	}
	for ahead := int16(seq - w.newest); ahead > 0; ahead = int16(seq - w.newest) {
		// What the new numbers did before the wrap is long past.
		if w.newest++; w.newest%64 == 0 && ahead >= 64 {
			w.bits[w.newest/64] = 0
			w.newest += 63
		} else {
			w.bits[w.newest/64] &^= 1 << (w.newest % 64)
		}
	}
	w.bits[seq/64] |= 1 << (seq % 64)
}
