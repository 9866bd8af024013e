package gamespy

import (
	"cmp"
	"container/list"
	"net/netip"
	"slices"
	"time"
)

// repliesPerSource limits the incomplete replies from one source.
const repliesPerSource = 8

// An Assembler reassembles the replies of many servers from datagrams in any order. At most 8
// replies of one source can be incomplete at a time. Call Expire regularly, or replies that stay
// incomplete fill the limits and Add returns an error. The zero value is ready to use. It is not
// safe for concurrent use.
type Assembler struct {
	MaxReplies int           // limit of incomplete replies, and of remembered ones; the default is 1024 each
	MaxBytes   int           // limit of the text of all incomplete replies; the default is 1 MiB
	MaxAge     time.Duration // age at which Expire removes a reply; the default is 3 s

	sets    map[replyID]*list.Element // of order
	order   list.List                 // of *partSet, in the order of their first datagrams
	sources map[netip.AddrPort]int    // number of sets
	bytes   int
	done    doneReplies
}

// replyID identifies a reply.
type replyID struct {
	from   netip.AddrPort
	number uint32
}

// Add adds a datagram. If it completes a reply, Add returns the reply and true. A datagram without
// queryid is returned at once, as incomplete unless it ends with final. On error, Add keeps the
// earlier datagrams. The error is [ErrNotText], or wraps [ErrConflict] or [ErrLimit].
//
// A duplicate has no effect, except that a reply of one datagram is returned again. When MaxAge has
// passed since a reply was completed, the source may reuse its number.
func (a *Assembler) Add(now time.Time, from netip.AddrPort, datagram []byte) (Reply, bool, error) {
	if !IsGameSpy(datagram) {
		return Reply{}, false, ErrNotText
	}
	p := parsePart(datagram)
	id := replyID{from, p.number}
	known := a.sets[id]
	if p.index == 0 || p.index == 1 && p.final && known == nil {
		r := Reply{From: from, Number: p.number, Incomplete: !p.final}
		r.read(p.text)
		return r, true, nil
	}
	if known == nil {
		if a.done.has(now, id, a.maxAge()) {
			return Reply{}, false, nil
		}
		if err := a.room(&p, from); err != nil {
			return Reply{}, false, err
		}
	}
	s := &partSet{replyID: id, since: now}
	if known != nil {
		s = known.Value.(*partSet)
	}
	if fresh, err := a.admit(s, &p); !fresh {
		return Reply{}, false, err
	}
	if known == nil {
		a.begin(s)
	}
	s.store(&p)
	a.bytes += len(p.text)
	if s.count != s.total {
		return Reply{}, false, nil
	}
	a.done.add(now, id, a.maxReplies())
	return a.take(s), true, nil
}

// room returns an error if there is no room for another reply from the source.
func (a *Assembler) room(p *part, from netip.AddrPort) error {
	if most := a.maxReplies(); len(a.sets) >= most {
		return &Error{"part", p.index, -1, tooMany(ErrLimit, len(a.sets)+1, "incomplete replies", most)}
	}
	if n := a.sources[from]; n >= repliesPerSource {
		return &Error{"part", p.index, -1, tooMany(ErrLimit, n+1, "incomplete replies from one source", repliesPerSource)}
	}
	return nil
}

func (a *Assembler) maxReplies() int { return cmp.Or(max(a.MaxReplies, 0), 1024) }

// begin adds a set.
func (a *Assembler) begin(s *partSet) {
	if a.sets == nil {
		a.sets, a.sources = map[replyID]*list.Element{}, map[netip.AddrPort]int{}
	}
	a.sets[s.replyID] = a.order.PushBack(s)
	a.sources[s.from]++
}

// admit reports whether a part is new. It returns an error if the part conflicts or does
// not fit.
func (a *Assembler) admit(s *partSet, p *part) (bool, error) {
	most := cmp.Or(max(a.MaxBytes, 0), 1<<20)
	have := s.parts[p.index-1]
	switch {
	case have != nil && slices.Equal(have, p.text) && p.final == (p.index == s.total):
		return false, nil
	case have != nil, s.total != 0 && (p.final || p.index > s.total), p.final && s.highest() > p.index:
		return false, &Error{"part", p.index, -1, ErrConflict}
	case s.bytes+len(p.text) > MaxText:
		return false, &Error{"part", p.index, -1, tooMany(ErrLimit, s.bytes+len(p.text), "bytes", MaxText)}
	case a.bytes+len(p.text) > most:
		return false, &Error{"part", p.index, -1, tooMany(ErrLimit, a.bytes+len(p.text), "bytes of incomplete replies", most)}
	}
	return true, nil
}

// take removes a set and returns its reply.
func (a *Assembler) take(s *partSet) Reply {
	a.order.Remove(a.sets[s.replyID])
	delete(a.sets, s.replyID)
	if a.sources[s.from]--; a.sources[s.from] == 0 {
		delete(a.sources, s.from)
	}
	a.bytes -= s.bytes
	return s.reply()
}

// Expire removes and returns the incomplete replies whose first datagram is older than MaxAge.
// Times must not decrease.
func (a *Assembler) Expire(now time.Time) []Reply {
	return a.flush(func(s *partSet) bool { return now.Sub(s.since) > a.maxAge() })
}

func (a *Assembler) maxAge() time.Duration { return cmp.Or(max(a.MaxAge, 0), 3*time.Second) }

// Flush removes and returns all incomplete replies.
func (a *Assembler) Flush() []Reply {
	return a.flush(func(*partSet) bool { return true })
}

// flush removes the sets up to the first that is not due.
func (a *Assembler) flush(due func(*partSet) bool) (replies []Reply) {
	for first := a.order.Front(); first != nil; first = a.order.Front() {
		s := first.Value.(*partSet)
		if !due(s) {
			break
		}
		replies = append(replies, a.take(s))
	}
	return replies
}

// Pending returns the number of incomplete replies and the bytes of their text.
func (a *Assembler) Pending() (replies, bytes int) { return len(a.sets), a.bytes }
