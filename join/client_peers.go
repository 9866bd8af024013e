package join

import (
	"cmp"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// peers are the players of a match, as their host describes them.
type peers struct {
	self  objectid.PeerID
	own   string // name of the client
	known map[objectid.PeerID]*peer
	// ahead counts, for each peer ID, the leaves that the host has announced on the system channel and not yet on the
	// game channel, or minus the reverse. The host can have given the ID to another player in between. A host that
	// announces the leaves of guests, or all leaves, on one channel only does no harm: the next announcement on that
	// channel counts.
	ahead map[objectid.PeerID]int
}

// peer is a player with a name, a score or a ship.
type peer struct {
	Player
	named bool // by a NameChange
	shown bool // by a join or a ship; the score of a player who has left does not show that it is in the match
}

func newPeers(name string) peers {
	return peers{self: objectid.NoPeer, own: name, known: map[objectid.PeerID]*peer{}, ahead: map[objectid.PeerID]int{}}
}

// setSelf adds the client itself.
func (p *peers) setSelf(self objectid.PeerID) {
	p.self = self
	p.know(self).Name = p.own
}

// know returns a player, or nil if a player cannot have the ID.
func (p *peers) know(id objectid.PeerID) *peer {
	if id <= objectid.Host || !id.Valid() {
		return nil
	}
	if p.known[id] == nil {
		p.known[id] = &peer{Player: Player{PeerID: id, Slot: objectid.NoSlot, Team: opcode.TeamNone}}
	}
	return p.known[id]
}

// rename gives the client a new name.
func (p *peers) rename(name string) {
	p.own = name
	p.know(p.self).Name = name
}

// players returns the client itself and the other players of the match.
func (p *peers) players() (own Player, others []Player) {
	own = Player{PeerID: p.self, Slot: objectid.NoSlot, Name: p.own, Team: opcode.TeamNone}
	for id, q := range p.known {
		switch {
		case id == p.self:
			own = q.Player
		case q.named || q.shown:
			others = append(others, q.Player)
		}
	}
	slices.SortFunc(others, func(a, b Player) int { return cmp.Compare(a.PeerID, b.PeerID) })
	return own, others
}

// onSystem handles a message of the transport about a player. A NameChange in OpenBC's form has the slot of
// the player instead of the peer ID.
func (p *peers) onSystem(e transport.Event) {
	switch b := e.Body.(type) {
	case *transport.NameChange:
		id := b.PeerID
		if e.Delivery == transport.Reliable {
			id = objectid.Slot(id).PeerID()
		}
		if q := p.know(id); q != nil && len(b.Name) > 2 && len(b.Name) <= 2*(maxName+1) {
			q.Name, q.named = b.Name.String(), true
		}
	case *transport.Boot:
		p.onSystemLeave(b.PeerID)
	case *transport.Disconnect:
		p.onSystemLeave(b.PeerID)
	}
}

// onMessage handles a message about players of a host, which may be OpenBC.
func (p *peers) onMessage(m opcode.Message, openBC bool) {
	switch m := m.(type) {
	case *opcode.DeletePlayerUI:
		if id, ok := m.Joined(); ok {
			p.onJoin(id)
		}
		if id, ok := m.Left(); ok {
			p.onGameLeave(id)
		}
	case *opcode.ObjectCreateTeam:
		p.onShip(m, openBC)
	case *opcode.TeamMessage:
		if q := p.know(m.PlayerID); q != nil {
			q.Team = m.Team
		}
	case *opcode.ScoreInit:
		if q := p.know(m.PlayerID); q != nil {
			q.Kills, q.Deaths, q.Points, q.Team = m.Kills, m.Deaths, m.Score, m.Team
		}
	case *opcode.Score:
		if q := p.know(m.PlayerID); q != nil {
			q.Kills, q.Deaths, q.Points = m.Kills, m.Deaths, m.Score
		}
	case *opcode.ScoreChange:
		p.onScoreChange(m)
	case *opcode.RestartGame:
		for _, q := range p.known {
			q.Kills, q.Deaths, q.Points = 0, 0, 0
		}
	}
}

func (p *peers) onScoreChange(m *opcode.ScoreChange) {
	if q := p.know(m.KillerID); q != nil {
		q.Kills, q.Points = m.KillerKills, m.KillerScore
	}
	if q := p.know(m.VictimID); q != nil {
		q.Deaths = m.VictimDeaths
	}
	for _, d := range m.Damagers {
		if q := p.know(d.ID); q != nil {
			q.Points = d.Score
		}
	}
}

func (p *peers) onJoin(id objectid.PeerID) {
	if q := p.know(id); q != nil {
		q.shown = true
	}
}

// onShip takes the slot of a player from a ship, and a name if there is none. Each slot has one player. A
// client of OpenBC may write any NetPlayerID.
func (p *peers) onShip(m *opcode.ObjectCreateTeam, openBC bool) {
	id := m.NetPlayerID
	if openBC && m.OwnerSlot.Valid() {
		id = m.OwnerSlot.PeerID()
	}
	q := p.know(id)
	if q == nil {
		return
	}
	q.shown = true
	if name := m.PlayerName; q.Name == "" && len(name) <= maxName {
		q.Name = name.String()
	}
	if m.OwnerSlot.Valid() {
		for _, other := range p.known {
			if other.Slot == m.OwnerSlot {
				other.Slot = objectid.NoSlot
			}
		}
		q.Slot = m.OwnerSlot
	}
}

// onSystemLeave follows the announcement of another client's leave on the system channel. If it is late, the name of
// the system channel is of the player who has left, and the rest can be of the next one. The end of the session is
// the only sign that the client itself has left.
func (p *peers) onSystemLeave(id objectid.PeerID) {
	p.ahead[id]++
	if q := p.known[id]; q != nil && q.shown && p.ahead[id] <= 0 {
		if q.named {
			q.Name, q.named = "", false
		}
		return
	}
	delete(p.known, id)
}

// onGameLeave follows the announcement of a leave on the game channel. If it is late, only a name of the system
// channel can be of the next player.
func (p *peers) onGameLeave(id objectid.PeerID) {
	if id == p.self {
		return
	}
	q := p.known[id]
	p.ahead[id]--
	delete(p.known, id)
	if q != nil && q.named && p.ahead[id] >= 0 {
		next := p.know(id)
		next.Name, next.named = q.Name, true
	}
}
