package simulation

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of a server, as package join documents them. Sessions beside others may exceed the first one.
const (
	maxSessions = 64 + 4
	maxWaiting  = 2000 // messages of the queues of a checker
)

// checkRound checks what always holds.
func (s *simulation) checkRound() {
	if !s.host.runs() {
		return
	}
	s.Events() // which may be about the end of a session
	hub := s.host.game.Hub()
	if n := hub.Len(); n > maxSessions {
		s.fail("the server has %d sessions, at most %d", n, maxSessions)
	}
	if hub.Len() >= objectid.Slots {
		s.crowded = s.Now.Add(10 * time.Second)
	}
	members := s.host.game.Members()
	if n := len(members); n != s.members {
		s.members, s.changed = n, s.Now
	}
	for i, m := range members {
		if m.Session.Ended() {
			s.fail("%s is in the game, and its session has ended", m.Name)
		}
		if !m.Slot.Valid() || hub.Session(m.PeerID) != m.Session {
			s.fail("%s has slot %d and peer ID %v, which is not its own", m.Name, m.Slot, m.PeerID)
		}
		s.mixed = s.mixed || m.Slot.PeerID() != m.PeerID
		for _, other := range members[:i] {
			if other.Slot == m.Slot || other.PeerID == m.PeerID || strings.EqualFold(other.Name, m.Name) {
				s.fail("%s and %s have the same slot, peer ID or name", m.Name, other.Name)
			}
		}
		if !s.on(Combat) && m.Points != 1000*m.Kills {
			s.fail("%s has %d kills and %d points", m.Name, m.Kills, m.Points)
		}
		if c := s.host.connectionOf(m.Session); c != nil {
			c.member = true
			if noRoom(m.Session) {
				c.full = s.Now
			}
			if m.Session.Flushed() || c.flushed.IsZero() {
				c.flushed = s.Now
			}
			if n := len(c.up) + len(c.down); n > maxWaiting && !c.gone {
				s.fail("%d messages of %s wait", n, c.peer.name)
			}
		}
	}
}

// checkEnd checks the end of a process: without a fault, nobody is disconnected.
func (c *connection) checkEnd() {
	p := c.peer
	var err error
	if p.player != nil {
		err = p.player.Err()
	}
	if err == nil {
		err = p.client.State().Err
	}
	switch {
	case errors.Is(err, bot.ErrLeft), p.s.Now.Before(p.trouble), p.s.Now.Before(p.s.besieged) && p.player == nil:
	case c.tainted, c.kicked:
	case p.s.Now.Before(p.s.crowded) && (errors.Is(err, join.ErrFull) || errors.Is(err, join.ErrRefused) && p.player == nil): // another client may take the place of one that loads
	default:
		p.s.fail("%s ends without a fault: %v", p.name, err)
	}
}

// checkState compares what everybody knows.
func (s *simulation) checkState() {
	if s.mixed && s.dialect == LikeOpenBC {
		return
	}
	members := s.host.game.Members()
	for _, m := range members {
		kills, deaths := s.truth.kills[m.Name], s.truth.fallen[m.Name]
		if kills != m.Kills || deaths != m.Deaths {
			s.fail("%s has %d kills and %d deaths, not %d and %d", m.Name, m.Kills, m.Deaths, kills, deaths)
		}
	}
	for _, p := range s.peers {
		if !s.mixed || p.dialect != LikeOpenBC {
			s.checkClient(p, members)
		}
		s.checkShips(p)
	}
	if s.forged && s.on(Spoof) || s.damaged || s.reused {
		return // observers believe what they see, and two sessions on one port look like one
	}
	s.checkMatch("the observer of all links", s.all, members)
	s.checkClaims("the observer of all links", s.events)
	if s.on(Server) && !s.spoiled {
		s.checkMatch("the observer since the first start", s.through, members)
	}
	s.checkEvents()
	for _, p := range s.peers {
		s.checkMatch("the observer of "+p.name, p.connection.observer, members)
		s.checkSpeakers(p)
		s.checkClaims("the observer of "+p.name, p.connection.events)
		began := p.entered.Sub(siege.Epoch) // what an earlier process has caused on the address may come before
		seen := deathsOf(slices.DeleteFunc(slices.Clone(p.connection.events), func(e match.Event) bool { return e.Time < began }))
		if !s.truth.shownLast(seen) {
			s.fail("the observer of %s has seen the deaths %v, not the last ones of %v", p.name, seen, s.truth.deaths())
		}
	}
}

// checkClient compares what a client knows of the players with the server.
func (s *simulation) checkClient(p *peer, members []*join.Member) {
	state := p.client.State()
	all := append(state.Other, state.Self)
	if len(all) != len(members) {
		s.fail("%s knows %d players, not %d", p.name, len(all), len(members))
	}
	for _, m := range members {
		i := slices.IndexFunc(all, func(x join.Player) bool { return x.PeerID == m.PeerID })
		if i < 0 {
			s.fail("%s does not know %s", p.name, m.Name)
		}
		x := all[i]
		if p.counts256() && x.Name != "" && (x.Name == s.truth.former[m.PeerID] || m.PeerID == state.Self.PeerID && x.Name == p.name) {
			x.Name = m.Name // a system message to OpenBC, which acknowledges none, is sent three times and can be lost
		}
		if x.Name != m.Name || x.Slot != m.Slot || x.Kills != m.Kills || x.Deaths != m.Deaths || x.Points != m.Points || x.Team != m.Team {
			s.fail("%s knows the player %v, not %v", p.name, x, m.Player)
		}
	}
}

// checkShips compares the ships that a player and the observer of its link know with what their owners fly.
func (s *simulation) checkShips(p *peer) {
	known := map[objectid.ID]*stateupdate.Ship{}
	for owner, ship := range p.player.Ships() {
		i := slices.IndexFunc(s.peers, func(q *peer) bool { return q != p && q.ID() == owner })
		if i < 0 || s.peers[i].Ship().ID != ship.ID {
			s.fail("%s knows the ship %v of %v, which does not exist", p.name, ship.ID, owner)
		}
		known[ship.ID] = ship
	}
	for _, q := range s.peers {
		if q == p {
			continue
		}
		ship := known[q.Ship().ID]
		if ship == nil {
			s.fail("%s does not know the ship of %s", p.name, q.name)
		}
		s.checkShip(p.name, q, ship)
		if s.reused {
			continue
		}
		if observed := s.linkOf(p.connection.observer, p.connection).Ships.Ship(ship.ID); observed == nil {
			s.fail("the observer of %s does not know the ship of %s", p.name, q.name)
		} else {
			s.checkShip("the observer of "+p.name, q, observed)
		}
	}
}

// checkShip compares a ship with what its owner flies.
func (s *simulation) checkShip(who string, owner *peer, ship *stateupdate.Ship) {
	if !s.strict() && !owner.process.seen(s.Now, ship) { // a strict server may refuse a motion
		s.fail("%s sees the ship of %s at %v, speed %v; it was not there", who, owner.name, ship.Position, ship.Speed)
	}
	if s.on(Modem) || s.on(Combat) || s.Now.Sub(s.collided) < 2*time.Second { // the subsystems come too rarely, or have changed
		return
	}
	for i := range ship.Subsystems {
		if got, want := ship.Subsystems[i].Condition, owner.Ship().Subsystems[i].Condition; got != want {
			s.fail("%s sees the subsystem %d of the ship of %s with the condition %v, its owner with %v", who, i, owner.name, got, want)
		}
	}
}

// strict reports whether the server refuses what no ship can do.
func (s *simulation) strict() bool { return s.on(Combat) && s.faults[Combat].strength < 0.2 }

func (s *simulation) linkOf(m *match.Match, c *connection) *match.Link {
	for l := range m.Links() {
		if l.Client == c.label {
			return l
		}
	}
	s.fail("the observer does not know the link of %s", c.peer.name)
	return nil
}

// checkMatch compares the players of an observer with the server.
func (s *simulation) checkMatch(who string, observer *match.Match, members []*join.Member) {
	n := 0
	for x := range observer.Players() {
		if !x.InGame || s.halfway(x.Link) {
			continue
		}
		n++
		i := slices.IndexFunc(members, func(m *join.Member) bool { return m.PeerID == x.PeerID })
		if i < 0 {
			s.fail("%s has the player %v %s, who is not in the game", who, x.PeerID, x.Name)
		}
		m := members[i]
		if x.Name != m.Name || x.Kills != m.Kills || x.Deaths != m.Deaths || x.Score != m.Points || x.Ship != m.Ship {
			s.fail("%s has the player %s with %d kills, %d deaths, %d points, ship %v, not %v, ship %v", who, x.Name, x.Kills, x.Deaths, x.Score, x.Ship, m.Player, m.Ship)
		}
	}
	if n != len(members) {
		s.fail("%s has %d players, not %d", who, n, len(members))
	}
}

// halfway reports whether the process on a link has said that it is in the game and ended before the server
// heard its Ack. Nobody is told.
func (s *simulation) halfway(l *match.Link) bool {
	for _, c := range s.byAddr {
		if l != nil && c.label == l.Client {
			return c.gone && !c.member
		}
	}
	return false
}

// checkSpeakers checks that the observer of a single link gives nobody the line of another player. The line of a player
// whom the link has not named is of "peer 5", one who has come back beside the earlier session is "Ann (2)",
// and one who has not given a name is "Player".
func (s *simulation) checkSpeakers(p *peer) {
	for _, e := range p.connection.events {
		name := s.truth.said[e.Text]
		if e.Kind == match.Chat && name != "" && e.Player != name && !strings.HasPrefix(e.Player, "peer ") && !strings.HasPrefix(e.Player, name+" (") && !strings.HasPrefix(e.Player, "Player (") && e.Player != "Player" {
			s.fail("the observer of %s gives the line %q of %s to %s", p.name, e.Text, name, e.Player)
		}
	}
}

// checkEvents compares the deaths and lines of chat of the observer of all links with the truth.
func (s *simulation) checkEvents() {
	if seen := deathsOf(s.events); !s.truth.shown(seen) {
		s.fail("the observer of all links has seen the deaths %v, not %v", seen, s.truth.deaths())
	}
	times := map[chat]int{}
	for _, e := range s.events {
		if e.Kind != match.Chat || s.truth.said[e.Text] == "" {
			continue
		}
		line := chat{e.Player, e.Text}
		times[line]++
		if times[line] > 1 {
			s.fail("the observer of all links has the line %q of %s twice", e.Text, e.Player)
		}
	}
	for _, line := range s.truth.chat {
		if s.truth.said[line.text] != "" && times[line] != 1 {
			s.fail("the observer of all links has the line %q of %s %d times", line.text, line.name, times[line])
		}
	}
}

// serverMemory is the most memory of a server with 16 players after attacks.
const serverMemory = 40 << 20

// heap is locked for reading by all matches of the process, and for writing while one measures its memory.
var heap sync.RWMutex

// checkMemory checks the memory of the server.
func (s *simulation) checkMemory() {
	s.host.inbox = nil
	heap.RUnlock()
	heap.Lock()
	held := siege.HeapWithout(func() {
		s.Server, s.host.game = siege.Server{}, nil
		for _, c := range s.byAddr {
			c.server = nil
		}
	})
	heap.Unlock()
	heap.RLock()
	if held > serverMemory {
		s.fail("the server has %d KiB", held>>10)
	}
}
