package transport

import (
	"slices"
	"time"
)

// What the stock game fragments, and how.
const (
	// MaxUnfragmented is the length of the largest Data message that is not split.
	MaxUnfragmented = 412
	// MaxFragments is the largest number of pieces of a payload.
	MaxFragments = 255
	// MaxPayload is the length of the largest payload that can be sent: 103,529 bytes.
	MaxPayload = firstPiece + (MaxFragments-1)*nextPiece

	wholePayload = MaxUnfragmented - 5 // header of a reliable message
	firstPiece   = MaxUnfragmented - 7 // with the index and the total
	nextPiece    = MaxUnfragmented - 6 // with the index
)

// AppendFragments appends to dst the reliable messages that carry a payload: one, or the
// fewest pieces if it is longer than 407 bytes. All pieces have the same sequence number;
// they alias the payload. It fails with [ErrTooLong] for more than [MaxPayload] bytes.
func AppendFragments(dst []Message, seq uint16, payload []byte) ([]Message, error) {
	if len(payload) <= wholePayload {
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

// Reassembler puts the payloads of one peer's Data messages together. Pieces may come in
// any order and any number of times. The zero value is ready, with the default limits.
// It is not safe for concurrent use.
type Reassembler struct {
	MaxSets  int           // payloads in the making; 0 means 16
	MaxBytes int           // bytes of their pieces; 0 means 128 KiB
	MaxAge   time.Duration // from the first piece of a payload; 0 means 360 s

	sets  []*set
	bytes int
	done  window
}

// set is a payload in the making.
type set struct {
	seq     uint16
	since   time.Time
	total   int // 0: not known, the first piece is missing
	count   int
	highest int
	bytes   int
	pieces  [MaxFragments][]byte // nil: missing
}

// Verdict is what a [Reassembler] did with a message.
type Verdict uint8

const (
	// Complete: the payload is there.
	Complete Verdict = iota
	// Stored: pieces are missing.
	Stored
	// Repeated: nothing new; the peer has not seen the Ack.
	Repeated
	// Dropped: a limit is reached. Do not acknowledge, so that it comes again.
	Dropped
	// Refused: the message is impossible. Nothing that was stored is lost.
	Refused
	// Discarded: the message contradicts pieces that were stored and are gone now. The
	// payload can never arrive, and with it everything after it: end the session.
	Discarded
)

// Acknowledge says whether a reliable message with this verdict is to be acknowledged.
func (v Verdict) Acknowledge() bool { return v <= Repeated }

// String returns the verdict in a word.
func (v Verdict) String() string {
	return [...]string{"complete", "stored", "repeated", "dropped", "refused", "discarded"}[min(v, Discarded)]
}

// Add takes a Data message. If that completes a payload, or is one, it returns it; a
// payload of one message aliases the message, others are copies. It returns
// [ErrLimit] with Dropped and, with Refused and Discarded, [ErrBadFragment], or
// [ErrUnknownType] for a message that is not Data. Time need not move forward.
func (r *Reassembler) Add(now time.Time, m *Message) (payload []byte, v Verdict, err error) {
	switch {
	case m.Type != TypeData:
		return nil, Refused, alone(m.Type, ErrUnknownType)
	case !m.Reliable && m.Fragment:
		return nil, Refused, alone(m.Type, ErrBadFragment)
	case !m.Reliable:
		return m.Body, Complete, nil
	}
	i := slices.IndexFunc(r.sets, func(s *set) bool { return s.seq == m.Seq })
	switch {
	case r.done.has(m.Seq):
		return nil, Repeated, nil
	case !m.Fragment && i >= 0:
		return nil, Repeated, nil // the pieces were first
	case !m.Fragment:
		r.done.add(m.Seq)
		return m.Body, Complete, nil
	case i < 0 && len(r.sets) >= or(r.MaxSets, 16):
		return nil, Dropped, ErrLimit // at no cost: this may be a flood
	}
	var s *set
	if i >= 0 {
		s = r.sets[i]
	} else {
		s = &set{seq: m.Seq, since: now}
	}
	switch v, err := r.admit(s, m); {
	case v == Refused && i >= 0:
		r.discard(i)
		return nil, Discarded, err
	case v != Stored:
		return nil, v, err
	}
	if i < 0 {
		i = len(r.sets)
		r.sets = append(r.sets, s)
	}
	s.store(m)
	r.bytes += len(m.Body)
	if s.count != s.total {
		return nil, Stored, nil
	}
	r.discard(i)
	r.done.add(m.Seq)
	return slices.Concat(s.pieces[:s.total]...), Complete, nil
}

// admit says what is to be done with a piece of a set.
func (r *Reassembler) admit(s *set, m *Message) (Verdict, error) {
	switch have := s.pieces[min(m.FragIndex, MaxFragments-1)]; {
	case !s.fits(m), have != nil && m.FragIndex == 0 && !slices.Equal(have, m.Body):
		return Refused, alone(m.Type, ErrBadFragment)
	case have != nil:
		return Repeated, nil
	case r.bytes+len(m.Body) > or(r.MaxBytes, 128<<10):
		return Dropped, ErrLimit
	}
	return Stored, nil
}

// fits says whether index and total of a piece agree with the set.
func (s *set) fits(m *Message) bool {
	i, total := int(m.FragIndex), int(m.FragTotal)
	if i == 0 {
		return total > s.highest && (s.total == 0 || s.total == total)
	}
	return i < MaxFragments && (s.total == 0 || i < s.total)
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

func (r *Reassembler) discard(i int) {
	r.bytes -= r.sets[i].bytes
	r.sets = slices.Delete(r.sets, i, i+1)
}

// Expire discards the payloads whose first piece is older than MaxAge and returns their
// sequence numbers, nil if there are none. As with Discarded, they can never arrive.
func (r *Reassembler) Expire(now time.Time) (seqs []uint16) {
	for i := len(r.sets) - 1; i >= 0; i-- {
		if s := r.sets[i]; now.Sub(s.since) > or(r.MaxAge, 360*time.Second) {
			seqs = append(seqs, s.seq)
			r.discard(i)
		}
	}
	slices.Reverse(seqs) // oldest first
	return seqs
}

// Pending returns how many payloads are in the making, and the bytes of their pieces.
func (r *Reassembler) Pending() (payloads, bytes int) { return len(r.sets), r.bytes }

func or[T int | time.Duration](v, standard T) T {
	if v == 0 {
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
