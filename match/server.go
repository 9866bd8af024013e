package match

import (
	"cmp"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// server is what the links of a server have in common.
type server struct {
	m    *Match
	name string
	used uint64 // number of the last datagram

	links []*Link
	match int  // number, -1 before the first readable message
	round int  // counts the matches of the server
	ended bool // an EndGame has ended the round
	heard bool // a datagram of the host was observed

	nobody Player                // does what is done by players who are unknown
	roster []*Player             // in the order in which they were first seen
	count  uint32                // of players until now
	ships  map[objectid.ID]*ship // the last one with each ID
	made   uint32                // ships until now

	game    float32       // the time in the last Settings
	told    time.Duration // of the clock, when the host sent it
	clocked bool          // there was one
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
		m.forgetServer(slices.MinFunc(m.servers, func(a, b *server) int {
			return cmp.Or(cmp.Compare(a.worth(), b.worth()), cmp.Compare(a.used, b.used))
		}))
	}
	s := &server{m: m, name: name, used: m.count, match: -1, ships: make(map[objectid.ID]*ship)}
	s.nobody.server = s
	m.servers = append(m.servers, s)
	return s
}

// worth returns more for a server that stays longer.
func (s *server) worth() (n int) {
	for _, l := range s.links {
		n = max(n, l.worth())
	}
	return n
}

// forgetServer forgets a server and its links.
func (m *Match) forgetServer(s *server) {
	for _, l := range slices.Clone(s.links) {
		m.forget(l)
	}
	of := func(p *Player) bool { return p.server == s }
	m.waiting, m.claimants = slices.DeleteFunc(m.waiting, of), slices.DeleteFunc(m.claimants, of)
	m.servers = slices.DeleteFunc(m.servers, func(other *server) bool { return other == s })
}

// now returns the time of the clock.
func (s *server) now() time.Duration { return s.m.clock.now }

// next begins the next match.
func (s *server) next() {
	s.match, s.ended = s.m.number, false
	s.m.number++
	s.round++
	for _, l := range s.links {
		l.Match = s.match
	}
	clear(s.ships)
	for _, p := range s.roster {
		p.Ship, p.Kills, p.Deaths, p.Score = objectid.None, 0, 0, 0
		p.scores = history[score]{list: p.scores.list[:0]}
	}
	for _, l := range s.links {
		for _, x := range l.view.game {
			if x != nil {
				x.scored, x.score, x.valued = 0, score{}, false
			}
		}
	}
}

// present returns the last player with a peer ID who has not left, or nil.
func (s *server) present(peer objectid.PeerID) *Player {
	for _, p := range slices.Backward(s.roster) {
		if p.PeerID == peer {
			if p.state.over() {
				return nil
			}
			return p
		}
	}
	return nil
}

// succeed ends the players who have had the peer ID of a player before. The host gives it to the next client after they
// have left, also if the capture has lost that.
func (s *server) succeed(p *Player) {
	for _, q := range slices.Clone(s.roster) {
		if q.PeerID == p.PeerID && q.number < p.number && !q.state.over() {
			s.leave(q, s.guess(q))
		}
	}
}

// begin adds a player.
func (s *server) begin(peer objectid.PeerID) *Player {
	s.count++
	p := &Player{PeerID: peer, Slot: objectid.NoSlot, Team: opcode.TeamNone, server: s, Server: s.name, number: s.count, since: s.now()}
	p.scores.list = make([]announcement[score], 0, 8)
	if len(s.roster) == maxPlayers {
		s.remove(slices.MinFunc(s.roster, func(a, b *Player) int {
			return cmp.Or(-cmp.Compare(a.state, b.state), cmp.Compare(a.number, b.number))
		}))
	}
	s.roster = append(s.roster, p)
	return p
}

// remove forgets a player.
func (s *server) remove(p *Player) {
	p.settle("")
	if p.Link != nil {
		p.Link.Player, p.Link = nil, nil
	}
	for _, x := range s.ships {
		x.forget(p)
	}
	for _, l := range s.links {
		l.view.forget(p)
		for _, x := range l.view.ships {
			x.forget(p)
		}
	}
	same := func(other *Player) bool { return other == p }
	s.roster, s.m.claimants = slices.DeleteFunc(s.roster, same), slices.DeleteFunc(s.m.claimants, same)
}

// inSlot returns the last player with a slot who fits, or nil.
func (s *server) inSlot(slot objectid.Slot, fits func(*Player) bool) *Player {
	for _, p := range slices.Backward(s.roster) {
		if p.Slot == slot && fits(p) {
			return p
		}
	}
	return nil
}

// openBC reports whether the host is OpenBC, as far as a link or, if it shows nothing, another one shows.
func (s *server) openBC(l *Link) bool {
	program := l.observer.Host().Program()
	for _, other := range s.links {
		if program == transport.ProgramUnknown {
			program = other.observer.Host().Program()
		}
	}
	return program == transport.ProgramOpenBC
}

// unseen ends the players whom no link can show any more: neither their own, nor one on which the host has announced
// them.
func (s *server) unseen() {
	for _, p := range slices.Clone(s.roster) {
		if !p.state.over() && !slices.ContainsFunc(s.links, func(l *Link) bool { return !l.over() && l.knows(p) }) {
			s.leave(p, "")
			p.ended = -1 // nobody can mean the player any more
		}
	}
}

// clock handles the game time in the Settings of the host. If it is behind the time that the server has shown, and the
// host is silent on the links that it has shown before, the server has been started again. A host without a clock
// says 0.
func (s *server) clock(l *Link, game float32) {
	now, since := s.now(), max(l.since, l.promised) // the client may have asked the server that was there before
	alive := slices.ContainsFunc(s.links, func(other *Link) bool { return other != l && other.settings && other.hostHeard > since })
	if s.clocked && !alive && game > 0 && l.begun && since >= s.told && game < s.game+float32(0.9*float32((since-s.told).Seconds()))-2 {
		for _, other := range slices.Clone(s.links) {
			if other != l && other.settings {
				s.leave(other.Player, timedOut)
				other.state = ended
			}
		}
		for _, p := range slices.Clone(s.roster) {
			if p != l.Player && p.Link == nil {
				s.leave(p, timedOut)
			}
		}
		s.next()
		for _, other := range s.links {
			other.view.advance(s.round)
		}
	}
	s.game, s.told, s.clocked = game, now, true
}
