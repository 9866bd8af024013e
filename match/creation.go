package match

import (
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// creator returns the player whose ship a message of the host creates. A slot that the host has assigned
// counts more than a NetPlayerID with another slot: OpenBC may write another number there. A late message is of
// a player who has left the slot to another one.
func (s *server) creator(g *opcode.ObjectCreateTeam) *Player {
	p := s.present(g.NetPlayerID)
	if p != nil && p.Name != "" {
		if q := s.departed(g.NetPlayerID, clip(g.PlayerName.String())); q != nil && q.Name != p.Name {
			return q
		}
	}
	if !g.OwnerSlot.Valid() || p != nil && p.Slot == g.OwnerSlot {
		return p
	}
	if q := s.player(g.NetPlayerID); q != nil && q.left && q.Slot == g.OwnerSlot && s.m.step.Time-q.at < window {
		return q
	}
	if q := s.slots[g.OwnerSlot]; q != nil && !q.left {
		return q
	}
	return p
}

// departed returns the last player with a peer ID and a name who has left lately, or nil.
func (s *server) departed(peer objectid.PeerID, name string) *Player {
	for _, p := range slices.Backward(s.roster) {
		if p.PeerID == peer && p.Name == name && p.left && s.m.step.Time-p.at < window {
			return p
		}
	}
	return nil
}

// created follows the creation of a ship.
func (l *Link) created(step *Step) {
	s, id := l.server, step.Change.ObjectID
	var p *Player
	if g, ok := step.Game.(*opcode.ObjectCreateTeam); ok {
		p = step.Sender
		if step.FromHost {
			p = l.owned(g)
			step.Sender = p
		}
		switch {
		case p == nil, p.left && !(step.FromHost && s.news(p, id)), !step.FromHost && !s.mayOwn(p, g):
			return
		case p.left: // the announcement has overtaken the ship, which may still fire and die
			x := s.addShip(id, step.Ship)
			x.player, x.class = p, className(step.Ship)
			return
		}
		if p.Slot == objectid.NoSlot {
			s.seat(p, g.OwnerSlot)
		}
		if p.Name == "" {
			s.rename(p, g.PlayerName.String(), l, false)
		}
		p.doubtful = false
	} else if !step.FromHost {
		return
	}
	first := s.first(keyOf(aboutShip, int64(id)), l, step.FromHost)
	x := s.ships[id]
	if x != nil && x.player == p && (!x.dead || !first || s.ends(id, l)) {
		return // on another link
	}
	if step.FromHost && x != nil && p != nil && !first && s.news(p, id) {
		return // other links have shown the ship of an earlier player
	}
	if step.FromHost && s.behind(l) {
		return // the ship is of the match before
	}
	x = s.addShip(id, step.Ship)
	x.player = p
	x.class = className(step.Ship)
	x.set = clip(step.Ship.SetName)
	if p != nil {
		if step.FromHost || l.newer(step.Message) {
			p.Ship = id
		}
		if s.m.Events {
			e := s.event(Ship, p)
			e.Ship, e.Class = id, x.class
		}
	}
}

// newer reports whether a client has created its other ships before.
func (l *Link) newer(o *transport.Observation) bool {
	late := l.newest.after(o.Seq)
	if !late {
		l.newest.set(o.Seq)
	}
	return !late
}

// news reports whether no link has shown the ship of a player, or a later one with the ID.
func (s *server) news(p *Player, id objectid.ID) bool {
	x := s.ships[id]
	return x == nil || x.player != nil && x.player.since < p.since
}

// ends reports whether other links have shown an end of a ship that the host will still tell on the link.
func (s *server) ends(id objectid.ID, l *Link) bool {
	for _, about := range [...]int{aboutDeath, aboutEndOfShip} {
		if s.once.find(keyOf(about, int64(id)), 0, l, true, s.now(), window) >= 0 {
			return true
		}
	}
	return false
}

// mayOwn reports whether the ship that a client creates can be its own.
func (s *server) mayOwn(p *Player, g *opcode.ObjectCreateTeam) bool {
	slot, ok := g.ObjectID.Slot()
	if p.Slot != objectid.NoSlot {
		return ok && slot == p.Slot
	}
	return ok && slot == g.OwnerSlot && (s.slots[slot] == nil || s.slots[slot].left)
}

// owned returns the player whose ship a message of the host creates, who may have left. The message can be the
// first sign of a player who has joined before the capture began.
func (l *Link) owned(g *opcode.ObjectCreateTeam) *Player {
	s := l.server
	p := s.creator(g)
	if p == nil && g.NetPlayerID.Valid() {
		if q := s.player(g.NetPlayerID); q != nil && q.Name == clip(g.PlayerName.String()) && s.m.step.Time-q.at < window {
			return q // who has left: the message has waited for longer than the announcement
		}
		if x := s.ships[g.ObjectID]; x != nil && x.player != nil && x.player.PeerID == g.NetPlayerID {
			return nil // of a player who has left
		}
		p = s.begin(g.NetPlayerID)
		s.rename(p, g.PlayerName.String(), l, false)
	}
	if p != nil && !p.InGame && (p.Link == nil || p == l.Player && !p.seen) {
		s.enter(p)
	}
	return p
}

func className(ship *stateupdate.Ship) string {
	switch {
	case ship == nil || ship.Life == stateupdate.Unknown:
		return ""
	case ship.Class != nil:
		return ship.Class.Name
	}
	return ship.Species.String()
}
