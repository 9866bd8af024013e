package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/watch/internal/report"
)

// Info describes a match.
type Info struct {
	Title     string      `json:"title"`
	Live      bool        `json:"live"`
	Loading   bool        `json:"loading"`
	Progress  Progress    `json:"progress"`
	Problem   string      `json:"problem"`
	Start     float64     `json:"start"`
	End       float64     `json:"end"`    // of a live match: now
	Silent    float64     `json:"silent"` // seconds since a server of a live match was heard, 0 while it is
	Datagrams int         `json:"datagrams"`
	First     int         `json:"first"`
	Messages  int         `json:"messages"`
	Links     []LinkInfo  `json:"links"`
	Link      int         `json:"link"` // the link with the most messages that shows the live match or the recording, or 0
	Names     []NameCount `json:"names"`
}

// LinkInfo describes a link.
type LinkInfo struct {
	Link     int    `json:"link"`
	Client   string `json:"client"`
	Player   string `json:"player"`
	Peer     *int8  `json:"peer"`
	Messages int    `json:"messages"`
	Here     bool   `json:"here"` // of a live match: the player is in the game, and the server is heard
}

// NameCount is the number of messages with a name.
type NameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Info returns the description.
func (s *Store) Info() *Info {
	s.mu.RLock()
	defer s.mu.RUnlock()
	info := &Info{
		Title: s.options.Title, Live: s.options.Live, Loading: s.loading, Progress: s.progress,
		Start: s.clock.first, End: max(s.clock.last, s.hosts.now), Silent: s.hosts.silent(s.hosts.heard), Datagrams: s.datagrams, First: s.first(), Links: []LinkInfo{}, Names: []NameCount{},
	}
	info.Messages = s.messages - info.First
	info.Progress.Messages = s.messages
	if info.First > 0 && len(s.segments) > 0 {
		info.Start = s.segments[0].datagrams[0].at
	}
	problems := slices.Concat(s.problems, s.notes)
	if s.skipped {
		problems = append(problems, fmt.Sprintf("datagrams of more than %d clients are left out", maxLinks))
	}
	info.Problem = strings.Join(problems, "; ")
	var most *link
	byNumber := func(a, b *link) int { return cmp.Compare(a.id, b.id) }
	for _, l := range slices.SortedFunc(maps.Values(s.links), byNumber) {
		x := LinkInfo{Link: l.id, Client: clip(l.client), Player: l.name(), Messages: l.messages, Here: s.options.Live && s.watchable(l)}
		if l.person != nil {
			x.Peer = new(int8(l.person.PeerID))
		}
		info.Links = append(info.Links, x)
		if most == nil || l.messages > most.messages {
			most = l
		}
	}
	if s.options.Live {
		most = s.best(most)
	}
	if most != nil {
		info.Link = most.id
	}
	for i, text := range s.names.values {
		info.Names = append(info.Names, NameCount{text, s.names.counts[i]})
	}
	slices.SortStableFunc(info.Names, func(a, b NameCount) int { return cmp.Compare(b.Count, a.Count) })
	return info
}

// Events returns count events of a link from an index, and the number of events.
func (s *Store) Events(linkID, from, count int) (events []Event, total int, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	if err != nil {
		return nil, 0, err
	}
	all := l.history.since(from)
	return append([]Event{}, all[:min(len(all), count)]...), l.history.next(), nil
}

// Plot returns the condition of a ship over time.
func (s *Store) Plot(linkID int, key string) ([]Point, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	if err != nil {
		return nil, err
	}
	return l.world.plots[key].all(), nil
}

// Reports returns the beginnings of the reports of all matches, and the number of earlier matches that are
// left out.
func (s *Store) Reports() (all []report.Summary, dropped int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.reports.Summaries(), s.reports.Dropped
}

// Report returns the report of a match.
func (s *Store) Report(number int) (*report.Report, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := s.reports.Report(number)
	if r == nil {
		return nil, fmt.Errorf("%w match %d", ErrNotFound, number)
	}
	return r, nil
}
