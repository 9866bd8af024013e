package match

import (
	"cmp"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// server is what the links of a server have in common.
type server struct {
	m    *Match
	name string
	used uint64 // number of the last datagram

	match int  // number, -1 before the first readable message
	ended bool // an EndGame has ended the match
	heard bool // a datagram of the host was observed

	roster  []*Player    // in the order in which they were first seen
	current [128]*Player // the last player with a peer ID
	slots   [objectid.Slots]*Player
	scores  [128]score // of players who are not known yet
	ships   map[objectid.ID]*ship
	order   []objectid.ID // of ships, the oldest first
	once    sightings
}

type score struct{ kills, deaths, points int32 }

// serverOf returns the server with a name.
func (m *Match) serverOf(name string) *server {
	for _, s := range m.servers {
		if s.name == name {
			return s
		}
	}
	if len(m.servers) == maxServers {
		m.forgetServer(slices.MinFunc(m.servers, func(a, b *server) int { return cmp.Compare(a.used, b.used) }))
	}
	s := &server{m: m, name: name, used: m.count, match: -1, ships: make(map[objectid.ID]*ship)}
	m.servers = append(m.servers, s)
	return s
}

// forgetServer forgets a server and its links.
func (m *Match) forgetServer(s *server) {
	for _, l := range m.indices {
		if l != nil && l.server == s {
			m.forget(l)
		}
	}
	m.waiting = slices.DeleteFunc(m.waiting, func(p *Player) bool { return p.server == s })
	m.servers = slices.DeleteFunc(m.servers, func(other *server) bool { return other == s })
}

// forgetLink forgets a link.
func (s *server) forgetLink(l *Link) {
	l.detach()
	s.once.forget(l)
	for _, x := range s.ships {
		if x.source == l {
			x.source = nil
		}
	}
	for _, p := range s.roster {
		if p.named == l {
			p.named = nil
		}
	}
}

// now returns the time of the clock.
func (s *server) now() time.Duration { return s.m.clock.now }

// first reports whether an event is seen for the first time.
func (s *server) first(key uint64, l *Link, fromHost bool) bool {
	return !s.once.seen(key, l, fromHost, s.now(), window)
}

// next begins the next match.
func (s *server) next() {
	s.match, s.ended = s.m.number, false
	s.m.number++
	for _, l := range s.m.indices {
		if l != nil && l.server == s {
			l.Match = s.match
		}
	}
	clear(s.ships)
	s.order = s.order[:0]
	s.scores = [128]score{}
	for _, p := range s.roster {
		p.Ship, p.Kills, p.Deaths, p.Score = objectid.None, 0, 0, 0
	}
}

// player returns the last player with a peer ID, or nil.
func (s *server) player(peer objectid.PeerID) *Player {
	if !peer.Valid() {
		return nil
	}
	return s.current[peer]
}

// present returns the player with a peer ID who has not left, or nil.
func (s *server) present(peer objectid.PeerID) *Player {
	if p := s.player(peer); p != nil && !p.left {
		return p
	}
	return nil
}

// begin adds a player, who replaces a player with the same peer ID.
func (s *server) begin(peer objectid.PeerID) *Player {
	if before := s.player(peer); before != nil {
		s.dropped(before)
	}
	p := &Player{PeerID: peer, Slot: objectid.NoSlot, Team: opcode.TeamNone, server: s, Server: s.name, since: s.now()}
	s.scores[peer], p.Kills, p.Deaths, p.Score = score{}, s.scores[peer].kills, s.scores[peer].deaths, s.scores[peer].points
	if len(s.roster) == maxPlayers {
		i := max(slices.IndexFunc(s.roster, func(p *Player) bool { return p.left }), 0)
		s.remove(s.roster[i])
	}
	s.current[peer] = p
	s.roster = append(s.roster, p)
	for _, l := range s.m.indices {
		if l != nil && l.server == s {
			l.parted[peer] = 0
		}
	}
	return p
}

// remove forgets a player.
func (s *server) remove(p *Player) {
	p.settle()
	if p.Link != nil {
		p.Link.Player, p.Link = nil, nil
	}
	if s.current[p.PeerID] == p {
		s.current[p.PeerID] = nil
	}
	s.vacate(p)
	for _, x := range s.ships {
		if x.player == p {
			x.player = nil
		}
		for i := range x.hits {
			if x.hits[i].by == p {
				x.hits[i] = hit{}
			}
		}
	}
	s.roster = slices.DeleteFunc(s.roster, func(other *Player) bool { return other == p })
}

// vacate makes the slots of a player free.
func (s *server) vacate(p *Player) {
	for i := range s.slots {
		if s.slots[i] == p {
			s.slots[i] = nil
		}
	}
}

// seat gives a player a slot.
func (s *server) seat(p *Player, slot objectid.Slot) {
	if p == nil || !slot.Valid() {
		return
	}
	if p.Slot != slot {
		s.vacate(p)
	}
	p.Slot, s.slots[slot] = slot, p
}

// openBC reports whether the host is OpenBC, as far as a link or, if it shows nothing, another one shows.
func (s *server) openBC(l *Link) bool {
	program := l.observer.Host().Program()
	for _, other := range s.m.indices {
		if program == transport.ProgramUnknown && other != nil && other.server == s {
			program = other.observer.Host().Program()
		}
	}
	return program == transport.ProgramOpenBC
}

// doubt marks the players who may have left while no link to the server was open, as the connection of
// a link begins.
func (s *server) doubt(l *Link) {
	for _, other := range s.m.indices {
		if other != nil && other != l && other.server == s && other.live() && other.Player != nil {
			return
		}
	}
	for _, p := range s.roster {
		p.doubtful = !p.left && p.Link == nil
	}
}

// pilot returns the player of a tracked ship, which may be nil, if that is known without a lookup in ships.
func (s *server) pilot(tracked *stateupdate.Ship) *Player {
	if tracked != nil && tracked.PeerID.Valid() {
		if p := s.current[tracked.PeerID]; p != nil && p.Ship == tracked.ID {
			return p
		}
	}
	return nil
}

// owner returns the player whose ship or part an ID is, or nil.
func (s *server) owner(id objectid.ID) *Player {
	if x := s.ships[id]; x != nil && x.player != nil {
		return x.player
	}
	if slot, ok := id.Slot(); ok {
		return s.slots[slot]
	}
	return nil
}
