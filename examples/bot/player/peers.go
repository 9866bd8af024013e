package player

import (
	"maps"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// peer is what is known of a player.
type peer struct {
	name string
	here bool // in the game, and the caller knows
}

// valid says whether a peer ID can be that of a player.
func valid(id int32) bool { return id > int32(objectid.Host) && id < 127 }

// Peers returns the other players in the game, in the order of their IDs.
func (p *Player) Peers() (all []Peer) {
	for _, id := range slices.Sorted(maps.Keys(p.peers)) {
		if p.peers[id].here && id != p.ID() {
			all = append(all, p.peer(id))
		}
	}
	return all
}

// peer returns who has an ID, which may be that of nobody.
func (p *Player) peer(id int32) Peer {
	if known := p.peers[id]; known != nil {
		return Peer{ID: id, Name: known.name}
	}
	return Peer{ID: id}
}

// systemMessage takes what the transport tells about players.
func (p *Player) systemMessage(body transport.Body) {
	switch b := body.(type) {
	case transport.NameChange:
		p.rename(p.named(b.PeerID), clip(b.Name.String()))
	case transport.Boot:
		p.peerGone(int32(b.PeerID))
	case transport.Disconnect:
		p.peerGone(int32(b.PeerID))
	}
}

// named returns the peer ID of the player whom a NameChange is about. OpenBC has slots in
// the place of peer IDs, as the first one gives away.
func (p *Player) named(id objectid.PeerID) int32 {
	p.bySlot = p.bySlot || id == 0
	if p.bySlot {
		return ofSlot(int32(id))
	}
	return int32(id)
}

// ofSlot returns the peer ID of a slot in a match of OpenBC.
func ofSlot(slot int32) int32 { return slot + 2 }

// speaker returns the player who has sent a line of chat. Clients of OpenBC put their slot
// in the place of the peer ID, and OpenBC's server passes it on. The player's own line has
// its peer ID still when it comes back.
func (p *Player) speaker(id int32, text stream.Text) Peer {
	own := id == p.ID() && p.said == string(text)
	if p.session.OpenBC() && !own {
		id = ofSlot(id)
	}
	return p.peer(id)
}

// rename notes the name of a player, who need not have joined yet.
func (p *Player) rename(id int32, name string) {
	if !valid(id) || name == "" {
		return
	}
	known := p.peers[id]
	if known == nil {
		p.peers[id] = &peer{name: name}
		return
	}
	old := known.name
	known.name = name
	if known.here && old != name {
		p.event(Renamed{p.peer(id), old})
	}
}

// playerEvent takes the news that a player has joined or left. Its name has come before.
func (p *Player) playerEvent(m *opcode.DeletePlayerUI) {
	if id, ok := m.Joined(); ok {
		p.present(int32(id), "")
	}
	if id, ok := m.Left(); ok {
		p.peerGone(int32(id))
	}
}

// present notes that a player is in the game.
func (p *Player) present(id int32, name string) {
	if !valid(id) {
		return
	}
	known := p.peers[id]
	if known == nil {
		known = &peer{}
		p.peers[id] = known
	}
	if known.name == "" {
		known.name = name
	}
	if !known.here {
		known.here = true
		p.event(PeerJoined{p.peer(id)})
	}
}

// peerGone forgets a player, and its ship. The ways of learning that it is gone are
// several, and each of them is taken.
func (p *Player) peerGone(id int32) {
	known := p.peers[id]
	if known == nil || id == p.ID() {
		return
	}
	for by, s := range p.Ships() {
		if by == id {
			p.gone(s.ID, ShipDestroyed{})
		}
	}
	if known.here {
		p.event(PeerLeft{p.peer(id)})
	}
	delete(p.peers, id)
}
