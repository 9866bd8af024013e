package timeline

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// maxLinks is the largest number of links at a time.
const maxLinks = 256

// flow is the key of a link.
type flow struct {
	client         string
	player, server netip.AddrPort
}

func flowOf(d *show.Datagram) flow {
	f := flow{d.Client, d.Src, d.Dst}
	if d.Dir == recording.ToClient {
		f.player, f.server = d.Dst, d.Src
	}
	return f
}

// link is the connection of one client with the server. Link 0 has the datagrams of programs that
// do not take part in a match, such as queries of server browsers; it has no world.
type link struct {
	id int
	flow
	state

	messages    int // of all time
	senders     map[sender]bool
	end         float64      // time of the last datagram
	heard       float64      // time of the last datagram of the host
	checkpoints []checkpoint // in the order of the datagrams
	since       int          // messages since the last checkpoint

	history *history
	match   *match.Link      // nil for link 0
	person  *match.Player    // the last player on the link, or nil
	played  bool             // a player on the link was in the game
	counted [2]match.Traffic // of both sides, until the last datagram
}

// sender is the direction and the peer ID of datagrams. The decoder of a link has a state for each.
type sender struct {
	dir  uint8
	peer int8
}

// state is the state of decoding. It is cloned for checkpoints.
type state struct {
	decoder *show.Decoder
	world   *world
}

// newState returns the state of a link. The world follows each message that the decoder decodes.
func newState(d *show.Decoder, w *world) state {
	for l := range d.Match.Links() {
		w.ships = l.Ships
	}
	d.Step = func(step *match.Step, _ *show.Message) { w.apply(step) }
	return state{d, w}
}

func (s *state) clone() state { return newState(s.decoder.Clone(), s.world.clone()) }

// name returns the name of the link's player, or "".
func (l *link) name() string {
	if l.person == nil {
		return ""
	}
	return text(l.person.Name)
}

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
		id: s.lastLink, flow: f, history: s.historyOf(f), state: newState(s.newDecoder(), newWorld()),
		senders: map[sender]bool{},
	}
	l.world.players, l.world.plots = l.history.playersBefore(s.messages), map[string]*plot{}
	l.end = s.clock.last
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

// forgetLinks removes the links of which no datagram is kept, and which therefore have no checkpoint. If there is no room
// then, it removes the link that has been silent for longest, of those on which nobody was in the game: anybody can send
// from any number of addresses. In a live match, a player who is silent makes room, too. The messages of the link stay,
// without the state of its world. It reports whether there is room for another link.
func (s *Store) forgetLinks() bool {
	var least *link
	for _, l := range s.links {
		if len(l.checkpoints) == 0 {
			delete(s.links, l.flow)
		} else if least == nil || least.played && !l.played || least.played == l.played && l.end < least.end {
			least = l
		}
	}
	if len(s.links) >= maxLinks && (!least.played || s.options.Live && s.clock.last-least.end >= silence) {
		delete(s.links, least.flow)
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
	return nil, fmt.Errorf("%w link %d; /api/info lists the links", ErrNotFound, id)
}
