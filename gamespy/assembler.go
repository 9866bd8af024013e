package gamespy

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Limits of an [Assembler].
const (
	repliesPerSource = 8       // incomplete replies from one source
	maxReplies       = 1024    // incomplete replies, and as many completed ones that are remembered
	maxBytes         = 1 << 20 // text of all incomplete replies
)

// A Reply is the reply of a server, reassembled from its datagrams.
type Reply struct {
	From  netip.AddrPort
	Pairs Pairs // without final and queryid

	// Incomplete means that a datagram is missing or that there were more than 512 pairs. Some
	// servers split a pair between datagrams. If one of them is missing, Pairs may contain values
	// as keys.
	Incomplete bool
}

// An Assembler reassembles the replies of many servers from datagrams in any order. At most 8
// replies and 64 KiB of one source, and 1,024 replies and 1 MiB of all sources, can be incomplete at
// a time. At a limit, a new datagram replaces the oldest incomplete replies of its source, or of all
// sources. A hostile server therefore does not hide the others. The zero value is ready to use. It
// is not safe for concurrent use.
type Assembler struct {
	MaxAge time.Duration // age at which Expire removes a reply; the default is 3 s

	sets  []*partSet // oldest first
	bytes int
	done  []doneReply // oldest first
}

// doneReply identifies a completed reply of several parts, because UDP may duplicate a part.
type doneReply struct {
	from   netip.AddrPort
	number uint32
	at     time.Time
}

// Add adds a datagram. If it completes a reply, Add returns the reply and true. A datagram without queryid is
// returned at once, as incomplete unless it ends with final. On error, Add keeps the earlier datagrams. The error is
// one wrapping [stream.ErrInvalid], or [stream.ErrLimit] if one reply is longer than 64 KiB. Times must not decrease.
//
// A duplicate has no effect, except that a reply of one datagram is returned again. When MaxAge has
// passed since a reply was completed, the source may reuse its number.
func (a *Assembler) Add(now time.Time, from netip.AddrPort, datagram []byte) (Reply, bool, error) {
	if !isText(datagram) {
		return Reply{}, false, errNotText
	}
	p := parsePart(datagram)
	i := slices.IndexFunc(a.sets, func(s *partSet) bool { return s.from == from && s.number == p.number })
	isNew := i < 0
	if p.index == 0 || p.index == 1 && p.final && isNew {
		r := Reply{From: from, Incomplete: !p.final}
		r.read(p.text)
		return r, true, nil
	}
	if isNew && a.over(now, from, p.number) {
		return Reply{}, false, nil
	}
	s := &partSet{from: from, number: p.number, since: now}
	if !isNew {
		s = a.sets[i]
	}
	if have, err := s.has(&p); have || err != nil {
		return Reply{}, false, err
	}
	a.makeRoom(s, isNew, len(p.text))
	if isNew {
		a.sets = append(a.sets, s)
	}
	s.store(&p)
	a.bytes += len(p.text)
	if s.count != s.total {
		return Reply{}, false, nil
	}
	if len(a.done) >= maxReplies {
		a.done = slices.Delete(a.done, 0, 1)
	}
	a.done = append(a.done, doneReply{from, p.number, now})
	a.remove(slices.Index(a.sets, s))
	return s.reply(), true, nil
}

// over reports whether a reply was completed within MaxAge. It forgets older replies.
func (a *Assembler) over(now time.Time, from netip.AddrPort, number uint32) bool {
	a.done = slices.DeleteFunc(a.done, func(r doneReply) bool { return now.Sub(r.at) > a.maxAge() })
	return slices.ContainsFunc(a.done, func(r doneReply) bool { return r.from == from && r.number == number })
}

// makeRoom discards the oldest other sets of the source, and then of all sources, until there is room
// for so many bytes of a set.
func (a *Assembler) makeRoom(s *partSet, isNew bool, size int) {
	replies, bytes := 0, size
	for _, x := range a.sets {
		if x.from == s.from {
			replies, bytes = replies+1, bytes+x.bytes
		}
	}
	if isNew {
		replies++
	}
	for replies > repliesPerSource || bytes > maxText {
		i := slices.IndexFunc(a.sets, func(x *partSet) bool { return x.from == s.from && x != s })
		replies, bytes = replies-1, bytes-a.sets[i].bytes
		a.remove(i)
	}
	for isNew && len(a.sets) >= maxReplies || a.bytes+size > maxBytes {
		a.remove(slices.IndexFunc(a.sets, func(x *partSet) bool { return x != s }))
	}
}

func (a *Assembler) remove(i int) {
	a.bytes -= a.sets[i].bytes
	a.sets = slices.Delete(a.sets, i, i+1)
}

// Expire removes and returns the incomplete replies whose first datagram is older than MaxAge.
func (a *Assembler) Expire(now time.Time) []Reply {
	return a.flush(func(s *partSet) bool { return now.Sub(s.since) > a.maxAge() })
}

func (a *Assembler) maxAge() time.Duration { return cmp.Or(max(a.MaxAge, 0), 3*time.Second) }

// Flush removes and returns all incomplete replies.
func (a *Assembler) Flush() []Reply {
	return a.flush(func(*partSet) bool { return true })
}

func (a *Assembler) flush(due func(*partSet) bool) (replies []Reply) {
	for i := 0; i < len(a.sets); {
		if s := a.sets[i]; due(s) {
			replies = append(replies, s.reply())
			a.remove(i)
		} else {
			i++
		}
	}
	return replies
}

// partSet is an incomplete reply.
type partSet struct {
	from    netip.AddrPort
	number  uint32
	since   time.Time
	total   int // 0 until the last part arrives
	count   int
	highest int // index of a part
	bytes   int
	parts   [maxParts][]byte // nil if missing
}

// has reports whether a part is a duplicate. It returns an error if the part conflicts or does not
// fit with the other parts of its set.
func (s *partSet) has(p *part) (bool, error) {
	have := s.parts[p.index-1]
	size := s.bytes + len(p.text)
	switch {
	case have != nil && bytes.Equal(have, p.text) && p.final == (p.index == s.total):
		return true, nil
	case have != nil, s.total != 0 && (p.final || p.index > s.total), p.final && s.highest > p.index:
		return false, &locatedError{"part", p.index, -1, errConflict}
	case size > maxText:
		return false, &locatedError{"part", p.index, -1, tooMany(size, "bytes", maxText)}
	}
	return false, nil
}

func (s *partSet) store(p *part) {
	if p.final {
		s.total = p.index
	}
	s.parts[p.index-1] = append(make([]byte, 0, len(p.text)), p.text...) // not nil, even if empty
	s.highest = max(s.highest, p.index)
	s.count++
	s.bytes += len(p.text)
}

// reply joins the parts. A pair may continue in the next part, but not across a missing
// part.
func (s *partSet) reply() Reply {
	r := Reply{From: s.from, Incomplete: s.count != s.total}
	var text []byte
	for _, p := range s.parts[:s.highest] {
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
	m, err := Parse(text)
	room := maxPairs - len(r.Pairs)
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

// part is a datagram of a reply without its frame:
//
//	text\queryid\N.M           not the last part
//	text\final\\queryid\N.M    the last part, as the game sends it
//	text\queryid\N.M\final\    the last part, as other servers send it
//	text\final\                the only part
//
// A backslash may follow N.M. Only a final at the end counts, because a player may be
// called final.
type part struct {
	text   []byte
	number uint32 // N, the number of the reply
	index  int    // M, from 1; 0 without queryid
	final  bool
}

func parsePart(datagram []byte) part {
	p := part{text: datagram}
	if i := bytes.LastIndex(datagram, []byte(queryidText)); i >= 0 {
		id, last := bytes.CutSuffix(datagram[i+len(queryidText):], []byte(finalText))
		if !last {
			id = bytes.TrimSuffix(id, []byte(`\`))
		}
		if p.id(id) {
			p.text, p.final = datagram[:i], last
		}
	}
	if text, last := bytes.CutSuffix(p.text, []byte(finalText)); last {
		p.text, p.final = text, true
	}
	return p
}

// id parses N.M.
func (p *part) id(id []byte) bool {
	before, after, ok := bytes.Cut(id, []byte("."))
	number, err := strconv.ParseUint(string(before), 10, 32)
	index, err2 := strconv.ParseUint(string(after), 10, 32)
	if !ok || err != nil || err2 != nil || index < 1 || index > maxParts {
		return false
	}
	p.number, p.index = uint32(number), int(index)
	return true
}
