package player

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// peer is another player, or the player itself.
type peer struct {
	name string
	here bool // in the game, and reported
}

// Peers returns the names of the other players in the game. An unknown name is empty.
func (p *Player) Peers() map[objectid.PeerID]string {
	all := map[objectid.PeerID]string{}
	for id, known := range p.peers {
		if known.here && id != p.id {
			all[id] = known.name
		}
	}
	return all
}

// name returns the name of a peer, or the peer ID if the name is not known. NoPeer is the owner
// of ships without a player.
func (p *Player) name(id objectid.PeerID) string {
	known := p.peers[id]
	switch {
	case known != nil && known.name != "":
		return known.name
	case id <= objectid.Host:
		return "the host"
	}
	return fmt.Sprintf("player %d", id)
}

// systemMessage handles a message of the transport about a player.
func (p *Player) systemMessage(body transport.Body) {
	switch b := body.(type) {
	case *transport.NameChange:
		p.rename(p.named(b.PeerID), b.Name.String())
	case *transport.Boot:
		p.left(b.PeerID)
	case *transport.Disconnect:
		p.left(b.PeerID)
	}
}

// named returns the player that a NameChange is about. OpenBC writes slots instead of peer IDs.
// Its first NameChange shows this, because it is about slot 0.
func (p *Player) named(id objectid.PeerID) objectid.PeerID {
	p.bySlot = p.bySlot || id == 0
	if p.bySlot {
		return ofSlot(objectid.Slot(id))
	}
	return id
}

// ofSlot returns the peer ID of the player in a slot of an OpenBC server.
func ofSlot(slot objectid.Slot) objectid.PeerID { return objectid.PeerID(slot) + 2 }

// rename sets the name of a player, who may join later.
func (p *Player) rename(id objectid.PeerID, name string) {
	if id <= objectid.Host || name == "" {
		return
	}
	known, old := p.know(id), p.name(id)
	known.name = name
	if known.here && old != name {
		p.report("%s is now %s", old, name)
	}
}

func (p *Player) know(id objectid.PeerID) *peer {
	if p.peers[id] == nil {
		p.peers[id] = &peer{}
	}
	return p.peers[id]
}

// playerEvent handles the report that a player has joined or left.
func (p *Player) playerEvent(m *opcode.DeletePlayerUI) {
	if id, ok := m.Joined(); ok {
		p.joined(id, "")
	}
	if id, ok := m.Left(); ok {
		p.left(id)
	}
}

// joined handles a player who is in the game. It sets the name if the player has none.
func (p *Player) joined(id objectid.PeerID, name string) {
	if id <= objectid.Host {
		return
	}
	known := p.know(id)
	if known.name == "" {
		known.name = name
	}
	if !known.here {
		known.here = true
		p.report("%s is in the game", p.name(id))
	}
}

// left removes a player and its ship. Several messages report that a player has left; the
// first one has effect.
func (p *Player) left(id objectid.PeerID) {
	known := p.peers[id]
	if known == nil || id == p.id {
		return
	}
	for by, ship := range p.Ships() {
		if by == id {
			p.destroyed(ship.ID)
		}
	}
	if known.here {
		p.report("%s leaves", p.name(id))
	}
	delete(p.peers, id)
}
