package player

import (
	"cmp"
	"slices"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// concernsPlayers reports whether the client may know more after a message: about the join, or about
// the players.
func (p *Player) concernsPlayers(m opcode.Message) bool {
	switch m := m.(type) {
	case *opcode.ObjectCreateTeam:
		id := m.NetPlayerID
		return id.Valid() && id > objectid.Host && id != p.ID() && find(p.players.Other, id) == nil
	case *opcode.DeletePlayerUI, *opcode.Score, *opcode.ScoreInit, *opcode.ScoreChange, *opcode.MissionInit, *opcode.BootPlayer:
		return true
	}
	return p.state == Joining
}

// follow reports the progress of the client, and what has changed about the players.
func (p *Player) follow() {
	if p.client == nil || p.err != nil {
		return
	}
	s := p.client.State()
	if s.Err != nil {
		p.Close(s.Err)
		return
	}
	for _, old := range p.players.Other {
		if find(s.Other, old.PeerID) == nil {
			if ship := p.flight.Tracker.ShipOf(old.PeerID); ship != nil {
				p.lose(ship.ID, objectid.NoPeer)
			}
			p.report("%s leaves", p.name(old.PeerID))
		}
	}
	before := p.players
	p.players = s
	if p.flight.pilot == nil && s.Settings != nil {
		p.start(&s)
	}
	p.compare(&before, before.Self, s.Self)
	for _, other := range s.Other {
		old := find(before.Other, other.PeerID)
		if old == nil {
			p.report("%s is in the game", s.NameOf(other.PeerID))
			old = &join.Player{Name: other.Name}
		}
		p.compare(&before, *old, other)
	}
	if p.state == Joining && s.Stage == join.StageInGame {
		p.choose()
	}
}

// compare reports another name and another score of a player.
func (p *Player) compare(before *join.State, old, now join.Player) {
	if old.Name != now.Name {
		p.report("%s is now %s", cmp.Or(old.Name, before.NameOf(now.PeerID)), now.Name)
	}
	if old.Kills != now.Kills || old.Deaths != now.Deaths || old.Points != now.Points {
		p.report("%s has %d kills, %d deaths, %d points", p.players.NameOf(now.PeerID), now.Kills, now.Deaths, now.Points)
	}
}

// speaker returns the name of the player who said a line of chat that the host has sent.
func (p *Player) speaker(m opcode.Message) string {
	if id := p.client.Speaker(m); id != objectid.NoPeer {
		return p.players.NameOf(id)
	}
	return "an unknown player"
}

// name returns the name of a player. NoPeer is the owner of ships without a player.
func (p *Player) name(id objectid.PeerID) string { return p.players.NameOf(max(id, objectid.Host)) }

// find returns the player with a peer ID, or nil.
func find(all []join.Player, id objectid.PeerID) *join.Player {
	if i := slices.IndexFunc(all, func(p join.Player) bool { return p.PeerID == id }); i >= 0 {
		return &all[i]
	}
	return nil
}
