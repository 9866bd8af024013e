package gamespy

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// repliesPerSource is how many incomplete replies one source can have.
const repliesPerSource = 8

// Assembler puts replies of many servers together. Their datagrams may come in any order
// and any number of times; those of different answers are never mixed. One source can
// have 8 incomplete replies. Call Expire before Add, or now and then: what lacks a part
// takes its room until then.
//
// The zero value is ready, with the default limits. It is not safe for concurrent use.
type Assembler struct {
	MaxReplies int           // incomplete, and remembered when complete; <= 0 means 1024
	MaxBytes   int           // of the text of the incomplete ones; <= 0 means 1 MiB
	MaxAge     time.Duration // from the first datagram of a reply; <= 0 means 3 s

	sets  []*partSet
	bytes int
	done  []doneReply // the oldest first
}

// Add takes a datagram. If that completes a reply it returns it and true. A datagram
// that tells neither its number nor that it is the last is returned at once, incomplete.
//
// It fails with [ErrNotText], [ErrConflict] for a part that contradicts those before it,
// and [ErrLimit]; what was there stays.
//
// A part that comes again has no effect, nor has one of a reply that was completed within
// MaxAge, whose number the source may use again afterwards. A reply of one datagram is
// returned as often as it comes.
func (a *Assembler) Add(now time.Time, from netip.AddrPort, datagram []byte) (Reply, bool, error) {
	if !IsGameSpy(datagram) {
		return Reply{}, false, ErrNotText
	}
	p := parsePart(datagram)
	i, ofSource := a.find(from, p.number)
	if p.index == 0 || p.index == 1 && p.final && i < 0 {
		r := Reply{From: from, Number: p.number, Incomplete: !p.final}
		r.read(p.text)
		return r, true, nil
	}
	if i < 0 && a.over(now, from, p.number) {
		return Reply{}, false, nil
	}
	if i < 0 {
		if err := a.room(&p, ofSource); err != nil {
			return Reply{}, false, err
		}
	}
	s := &partSet{from: from, number: p.number, since: now}
	if i >= 0 {
		s = a.sets[i]
	}
	if fresh, err := a.admit(s, &p); !fresh {
		return Reply{}, false, err
	}
	if i < 0 {
		i = len(a.sets)
		a.sets = append(a.sets, s)
	}
	s.store(&p)
	a.bytes += len(p.text)
	if s.count != s.total {
		return Reply{}, false, nil
	}
	a.remember(doneReply{from, p.number, now})
	return a.take(i), true, nil
}

// find returns the place of a set, or -1 and how many there are of its source.
func (a *Assembler) find(from netip.AddrPort, number uint32) (i, ofSource int) {
	for i, s := range a.sets {
		switch {
		case s.from != from:
		case s.number == number:
			return i, 0
		default:
			ofSource++
		}
	}
	return -1, ofSource
}

// room returns an error if there is no place for another reply, of a source that has so many.
func (a *Assembler) room(p *part, ofSource int) error {
	if most := cmp.Or(max(a.MaxReplies, 0), 1024); len(a.sets) >= most {
		return &Error{"part", p.index, -1, tooMany(ErrLimit, len(a.sets)+1, "incomplete replies", most)}
	}
	if ofSource >= repliesPerSource {
		return &Error{"part", p.index, -1, tooMany(ErrLimit, ofSource+1, "incomplete replies of a source", repliesPerSource)}
	}
	return nil
}

// admit says whether a part is new and has its place.
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
		return false, &Error{"part", p.index, -1, tooMany(ErrLimit, a.bytes+len(p.text), "bytes of all replies", most)}
	}
	return true, nil
}

// take removes a set and returns its reply.
func (a *Assembler) take(i int) Reply {
	s := a.sets[i]
	a.sets = slices.Delete(a.sets, i, i+1)
	a.bytes -= s.bytes
	return s.reply()
}

// Expire returns the replies whose first datagram is older than MaxAge, incomplete, and
// forgets them.
func (a *Assembler) Expire(now time.Time) []Reply {
	return a.flush(func(s *partSet) bool { return now.Sub(s.since) > a.maxAge() })
}

func (a *Assembler) maxAge() time.Duration { return cmp.Or(max(a.MaxAge, 0), 3*time.Second) }

// Flush returns all incomplete replies and forgets them.
func (a *Assembler) Flush() []Reply {
	return a.flush(func(*partSet) bool { return true })
}

func (a *Assembler) flush(due func(*partSet) bool) (replies []Reply) {
	for i := 0; i < len(a.sets); {
		if due(a.sets[i]) {
			replies = append(replies, a.take(i))
		} else {
			i++
		}
	}
	return replies
}

// Pending returns how many replies are incomplete, and the bytes of their text.
func (a *Assembler) Pending() (replies, bytes int) { return len(a.sets), a.bytes }
