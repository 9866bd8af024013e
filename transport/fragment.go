package transport

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// The lengths at which the stock game fragments payloads.
const (
	// MaxUnfragmented is the length of the largest Data message that is not split.
	MaxUnfragmented = 412
	// MaxUnfragmentedPayload is the length of the largest payload of a reliable one: 407
	// bytes.
	MaxUnfragmentedPayload = MaxUnfragmented - 5
	// MaxPayload is the length of the largest payload that can be sent, in 255 fragments:
	// 103,529 bytes.
	MaxPayload = firstFragment + (maxFragments-1)*nextFragment

	maxFragments  = 255
	firstFragment = MaxUnfragmented - 7 // with the index and the total
	nextFragment  = MaxUnfragmented - 6 // with the index

	maxUnreliablePayload = MaxUnfragmented - 3
)

// AppendFragments appends to dst the reliable messages that carry a payload: one message,
// or the fewest fragments for a payload longer than [MaxUnfragmentedPayload]. All fragments
// have the same sequence number and alias the payload. It returns an error wrapping
// [ErrTooLong] for more than [MaxPayload] bytes.
func AppendFragments(dst []Message, seq uint16, payload []byte) ([]Message, error) {
	if len(payload) <= MaxUnfragmentedPayload {
		return append(dst, NewData(seq, payload)), nil
	}
	if len(payload) > MaxPayload {
		return dst, alone(TypeData, &excess{ErrTooLong, "payload of # bytes", len(payload), MaxPayload})
	}
	total := 1 + (len(payload)-firstFragment+nextFragment-1)/nextFragment
	for i, size := 0, firstFragment; i < total; i, size = i+1, nextFragment {
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

// Verdict is the result of adding a message to a [Reassembler].
type Verdict uint8

const (
	VerdictComplete  Verdict = iota // the payload is complete
	VerdictStored                   // fragments are missing
	VerdictDuplicate                // the message was added before; the peer has not received the Ack
	VerdictDropped                  // a limit is reached; do not acknowledge the message, the peer will retransmit it
	VerdictRefused                  // the message is impossible; no stored fragment is lost
	// VerdictDiscarded: the message contradicts stored fragments, which are discarded. The
	// payload, and every later one, can never arrive: end the session.
	VerdictDiscarded
)

// Acknowledge reports whether a reliable message with this verdict must be acknowledged.
func (v Verdict) Acknowledge() bool { return v <= VerdictDuplicate }

// String returns the verdict in a word.
func (v Verdict) String() string {
	return name(v, "complete", "stored", "duplicate", "dropped", "refused", "discarded")
}

// partialPayloads is the payloads from one peer that lack fragments. It does not record
// which payloads are complete.
type partialPayloads struct {
	list  []*partialPayload // in the order of their first fragments
	bytes int
}

// partialPayload is a payload that lacks fragments. Its memory is proportional to the bytes
// that have arrived.
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

// add adds a fragment, and returns the payload if that was the last one. Room is the number
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
		partial = &partialPayload{seq: m.Seq, since: now} // not before: a flood must cost no memory
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

// place returns the place of a fragment among the others, and whether it is present.
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

// fits reports whether index and total of a fragment agree with the others.
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

// last reports whether a missing fragment is the only missing one.
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
