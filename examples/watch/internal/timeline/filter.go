package timeline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/bcwire/bcwire/match"
)

// Filter selects messages. The zero value selects all.
type Filter struct {
	Link   int    // 0 means all
	Dir    string // "c2s", "s2c", or "" for both
	Names  string // joined with commas
	Marks  string // joined with commas; a message needs one of them
	Player int    // peer ID of the player, or 0
	Text   string // in the name or the texts of the row; the case of A to Z does not matter
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
	filter Filter

	mu      sync.Mutex
	numbers []uint32
	next    int // number of the first message that was not searched
}

// of returns the result of a filter, which may be incomplete.
func (c *filterCache) of(f Filter, first int) *result {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.results, func(r *result) bool { return r.filter == f })
	if i < 0 {
		if len(c.results) == maxFilters {
			c.results = c.results[:maxFilters-1]
		}
		c.results = slices.Insert(c.results, 0, &result{filter: f, next: first})
		return c.results[0]
	}
	r := c.results[i]
	copy(c.results[1:i+1], c.results[:i])
	c.results[0] = r
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

// search searches the messages that were added since the last search. The caller holds the lock of
// the result.
func (s *Store) search(r *result) error {
	m, err := s.newMatcher(r.filter)
	if err != nil {
		return err
	}
	for r.next < s.messages {
		g, i := s.messageAt(r.next)
		if g == nil {
			return fmt.Errorf("%w %d", ErrNoMessage, r.next)
		}
		text, err := g.read(0, uint32(g.size()))
		if err != nil {
			return err
		}
		for ; i < len(g.rows); i++ {
			if m.matches(g, i, text) {
				r.numbers = append(r.numbers, uint32(g.first+i))
			}
		}
		r.next = g.first + len(g.rows)
	}
	return nil
}

// matcher is a filter whose names are looked up.
type matcher struct {
	Filter
	people  []*match.Player
	dir     uint8
	anyName bool
	names   map[uint16]bool
	marks   uint8
	needle  []byte
	text    []byte // of the last row, in lower case
	named   []bool // the needle is in the name, by the index of the name
}

func (s *Store) newMatcher(f Filter) (*matcher, error) {
	m := &matcher{Filter: f, people: s.people, anyName: f.Names == "", names: map[uint16]bool{}, needle: appendLower(nil, []byte(f.Text))}
	switch f.Dir {
	case "", "c2s":
	case "s2c":
		m.dir = 1
	default:
		return nil, fmt.Errorf("%w: dir is c2s or s2c", ErrRange)
	}
	for name := range strings.SplitSeq(f.Names, ",") {
		if i, ok := s.names.index[name]; ok {
			m.names[i] = true
		}
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
	for _, text := range s.names.texts {
		m.named = append(m.named, bytes.Contains(appendLower(nil, []byte(text)), m.needle))
	}
	return m, nil
}

func (m *matcher) matches(g *segment, i int, text []byte) bool {
	row := &g.rows[i]
	d := &g.datagrams[row.datagram]
	switch {
	case m.Link != 0 && int(d.link) != m.Link,
		m.Dir != "" && d.dir != m.dir,
		!m.anyName && !m.names[row.name],
		m.marks != 0 && row.marks&m.marks == 0,
		m.Player != 0 && int(m.people[row.player].PeerID) != m.Player:
		return false
	case m.named[row.name]:
		return true
	}
	m.text = appendLower(m.text[:0], text[row.offset:][:row.length])
	return bytes.Contains(m.text, m.needle)
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
