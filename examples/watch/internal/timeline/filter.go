package timeline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport/recording"
)

// Filter selects messages. The zero value selects all.
type Filter struct {
	Link  int    // 0 means all
	Dir   string // "c2s", "s2c", or "" for both
	Names string // joined with commas
	Marks string // joined with commas; a message needs one of them
	Text  string // in the name or the texts of the row; the case of A to Z does not matter
}

// maxFilters is the number of filters whose results are kept.
const maxFilters = 8

// filterCache keeps the results of the last filters, so that scrolling does not search again.
type filterCache struct {
	mu      sync.Mutex
	results []*result // the last used one first
}

// result holds the numbers of the messages that a filter selects.
type result struct {
	filter  Filter
	numbers []uint32
	next    int // number of the first message that was not searched
}

// of returns the result of a filter, which may be incomplete.
func (c *filterCache) of(f Filter, first int) *result {
	r := &result{filter: f, next: first}
	if i := slices.IndexFunc(c.results, func(r *result) bool { return r.filter == f }); i >= 0 {
		r = c.results[i]
		c.results = slices.Delete(c.results, i, i+1)
	}
	c.results = slices.Insert(c.results[:min(len(c.results), maxFilters-1)], 0, r)
	return r
}

// drop forgets the messages before the first. No search runs meanwhile.
func (c *filterCache) drop(first int) {
	for _, r := range c.results {
		i, _ := slices.BinarySearch(r.numbers, uint32(first))
		r.numbers = slices.Clone(r.numbers[i:])
		r.next = max(r.next, first)
	}
}

// searchTime is how long a search lasts before other requests have their turn.
const searchTime = 50 * time.Millisecond

// search returns the numbers of the messages that a filter selects, and whether all were searched. It continues where
// the last search has ended.
func (s *Store) search(f Filter) (numbers []uint32, done bool, err error) {
	m, err := s.newMatcher(f)
	if err != nil {
		return nil, false, err
	}
	s.filters.mu.Lock() // other requests may search, too
	defer s.filters.mu.Unlock()
	r := s.filters.of(f, s.first())
	for began := time.Now(); r.next < s.messages; {
		g, i := s.messageAt(r.next)
		if g == nil {
			return nil, false, fmt.Errorf("%w message %d", ErrNotFound, r.next)
		}
		base := g.datagrams[g.rows[i].datagram].offset
		kept, err := g.read(base, uint32(g.size())-base)
		if err != nil {
			return nil, false, err
		}
		for ; i < len(g.rows); i++ {
			if m.selects(g, i) && (m.named[g.rows[i].name] || m.contains(m.of(s, g, i, kept, base))) {
				r.numbers = append(r.numbers, uint32(g.first+i))
			}
			if r.next++; r.next%256 == 0 && time.Since(began) > searchTime {
				return r.numbers, r.next == s.messages, nil
			}
		}
	}
	return r.numbers, true, nil
}

// writer writes the texts of rows, one after the other.
type writer struct {
	message show.Message
	text    []byte
}

// of returns the texts of a row, see [appendText], until the next call. Kept are the bytes of the segment from an offset
// on, with the datagram and the text.
func (t *writer) of(s *Store, g *segment, i int, kept []byte, base uint32) []byte {
	row := &g.rows[i]
	if row.length > 0 {
		return kept[row.offset-base:][:row.length]
	}
	d := &g.datagrams[row.datagram]
	at := d.offset - base + d.head + datagramHeader
	for _, before := range g.rows[d.first:i] {
		at += uint32(before.size)
	}
	t.message.Update(kept[at:][:row.size], s.options.Classes.Species(opcode.Species(row.offset)))
	t.text = appendText(t.text[:0], &t.message)
	return t.text
}

// matcher is a filter whose names are looked up.
type matcher struct {
	Filter
	dir    int
	names  []bool // that are selected, by the index of the name
	named  []bool // that contain the needle
	marks  uint8
	needle []byte
	lower  []byte // texts of the last row
	writer
}

func (s *Store) newMatcher(f Filter) (*matcher, error) {
	m := &matcher{Filter: f, needle: appendLower(nil, []byte(f.Text))}
	if m.dir = slices.Index(directions[:], recording.Direction(f.Dir)); m.dir < 0 && f.Dir != "" {
		return nil, fmt.Errorf("%w: dir is c2s or s2c", ErrRange)
	}
	if f.Marks != "" {
		for name := range strings.SplitSeq(f.Marks, ",") {
			i := slices.Index(markNames[:], name)
			if i < 0 {
				return nil, fmt.Errorf("%w: a mark is one of %s", ErrRange, strings.Join(markNames[:], ", "))
			}
			m.marks |= 1 << i
		}
	}
	names := strings.Split(f.Names, ",")
	for _, name := range s.names.values {
		m.names = append(m.names, f.Names == "" || slices.Contains(names, name))
		m.named = append(m.named, bytes.Contains(appendLower(nil, []byte(name)), m.needle))
	}
	return m, nil
}

// selects reports whether a message is one of those whose text is searched.
func (m *matcher) selects(g *segment, i int) bool {
	row := &g.rows[i]
	d := &g.datagrams[row.datagram]
	return (m.Link == 0 || int(d.link) == m.Link) && (m.Dir == "" || int(d.dir) == m.dir) && m.names[row.name] && (m.marks == 0 || row.marks&m.marks != 0)
}

// contains reports whether the texts of a row contain the needle.
func (m *matcher) contains(text []byte) bool {
	m.lower = appendLower(m.lower[:0], text)
	return bytes.Contains(m.lower, m.needle)
}

// appendLower appends a text with the letters A to Z in lower case. Others stay, because converting
// them takes several times as long.
func appendLower(dst, text []byte) []byte {
	for _, b := range text {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}
