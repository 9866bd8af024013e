package gamespy

import (
	"net/netip"
	"time"
)

// A Reply is the reply of a server, reassembled from its datagrams.
type Reply struct {
	From   netip.AddrPort
	Number uint32 // number of the reply; 0 without queryid
	Pairs  Pairs  // without final and queryid

	// Incomplete means that a datagram is missing or that there were more than [MaxPairs]
	// pairs. Some servers split a pair between datagrams. If one of them is missing, Pairs
	// may contain values as keys.
	Incomplete bool
}

// partSet is an incomplete reply.
type partSet struct {
	replyID
	since time.Time
	total int // 0 until the last part arrives
	count int
	bytes int
	parts [MaxParts][]byte // nil if missing
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

// reply joins the parts. A pair may continue in the next part, but not across a missing
// part.
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
