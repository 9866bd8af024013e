package gamespy

import (
	"net/netip"
	"time"
)

// Reply is an answer put together from its datagrams.
type Reply struct {
	From   netip.AddrPort
	Number uint32 // of the answer, as the server counts them; 0 if it does not tell
	Pairs  Pairs  // without the frame: final and queryid

	// Incomplete says that a datagram is missing, or what was beyond [MaxPairs]. What
	// Pairs has is what came; where a datagram is missing a value may stand for a key.
	Incomplete bool
}

// partSet is an incomplete reply.
type partSet struct {
	from   netip.AddrPort
	number uint32
	since  time.Time
	total  int // 0: not known, the last part is missing
	count  int
	bytes  int
	parts  [MaxParts][]byte // nil: missing
}

func (s *partSet) highest() int {
	i := len(s.parts)
	for i > 0 && s.parts[i-1] == nil {
		i--
	}
	return i
}

func (s *partSet) store(p *part) {
	if p.final {
		s.total = p.index
	}
	s.parts[p.index-1] = append(make([]byte, 0, len(p.text)), p.text...) // not nil, even if empty
	s.count++
	s.bytes += len(p.text)
}

// reply joins the parts. A pair may be cut between two of them, but no pair goes across
// one that is missing.
func (s *partSet) reply() Reply {
	r := Reply{From: s.from, Number: s.number, Incomplete: s.count != s.total}
	var text []byte
	for _, p := range s.parts[:s.highest()] {
		if p == nil {
			r.read(text)
			text = nil
		}
		text = append(text, p...)
	}
	r.read(text)
	return r
}

// read adds the pairs of a text.
func (r *Reply) read(text []byte) {
	if len(text) == 0 {
		return
	}
	var m Message
	err := m.UnmarshalBinary(text)
	room := MaxPairs - len(r.Pairs)
	if err != nil || len(m.Pairs) > room {
		r.Incomplete = true
		m.Pairs = m.Pairs[:min(len(m.Pairs), room)]
	}
	if r.Pairs == nil {
		r.Pairs = m.Pairs
		return
	}
	r.Pairs = append(r.Pairs, m.Pairs...)
}
