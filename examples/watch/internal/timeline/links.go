package timeline

import (
	"fmt"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
)

// linkOf returns the link of a datagram, or nil if there are too many. A link begins with a
// readable message of the game.
func (s *Store) linkOf(d *show.Datagram) *link {
	if transport.IsGameSpy(d.Data) {
		return s.other
	}
	f := flowOf(d)
	if l := s.links[f]; l != nil {
		return l
	}
	if !s.isReadable(d) {
		return s.other
	}
	if len(s.links) >= maxLinks && !s.forgetLinks() {
		return nil
	}
	s.readable = true
	s.lastLink++
	l := &link{
		id: s.lastLink, flow: f, history: s.historyOf(f), state: state{s.newDecoder(), newWorld()},
		senders: map[sender]bool{}, plots: map[string]*plot{},
	}
	l.world.players, l.world.updated = l.history.playersBefore(s.messages), l.sample
	l.start, l.end = s.clock.last, s.clock.last
	s.links[f] = l
	s.news++
	return l
}

// isReadable reports whether a datagram has a message of the game without an error.
func (s *Store) isReadable(d *show.Datagram) bool {
	own := *d
	own.Data = slices.Clone(d.Data)
	messages := s.newDecoder().Decode(&own).Messages
	return slices.ContainsFunc(messages, func(m *show.Message) bool { return m.Err == nil && m.Type != "" })
}

// silence is the time in seconds after which a link of a live match makes room for another one.
const silence = 60

// forgetLinks removes the links of which no datagram is kept, and which therefore have no checkpoint. In a
// live match, it otherwise removes the link that has been silent for longest. Its messages stay, without the
// state of its world. It reports whether there is room for another link.
func (s *Store) forgetLinks() bool {
	var oldest *link
	for _, l := range s.links {
		if len(l.checkpoints) == 0 {
			delete(s.links, l.flow)
		} else if oldest == nil || l.end < oldest.end {
			oldest = l
		}
	}
	if s.options.Live && len(s.links) >= maxLinks && s.clock.last-oldest.end >= silence {
		delete(s.links, oldest.flow)
	}
	return len(s.links) < maxLinks
}

// link returns the link with a number.
func (s *Store) link(id int) (*link, error) {
	for _, l := range s.links {
		if l.id == id {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w %d; /api/info lists the links", ErrNoLink, id)
}
