package match

import (
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// subject returns the player that a message is about: the sender, or the player whose ship or
// name is in a message of the host.
func (w *world) subject(p *show.Packet, m *show.Message) objectid.PeerID {
	if p.Dir == recording.ToServer {
		if p.Peer.Valid() {
			return p.Peer
		}
		return w.self
	}
	switch b := m.Body.(type) {
	case *transport.NameChange:
		return b.PeerID
	case *transport.Disconnect:
		return b.PeerID
	case *transport.Boot:
		return b.PeerID
	case *transport.ConnectReply:
		return b.PeerID
	}
	switch m := m.Decoded.(type) {
	case *opcode.StateUpdate:
		if s := w.tracker.Ship(m.ObjectID); s != nil {
			return s.PeerID
		}
	case opcode.Shot:
		weapon, _, _ := m.Fired()
		return w.owner(weapon)
	case *opcode.ChatMessage, *opcode.TeamChatMessage:
		chat := *w.chat // the line may show what the host writes, before it is applied
		chat.Observe(m, objectid.Host)
		return opcode.Speaker(m, objectid.Host, chat.Slots())
	case *opcode.ScoreChange:
		return known(m.VictimID)
	case *opcode.Score:
		return known(m.PlayerID)
	case *opcode.ScoreInit:
		return known(m.PlayerID)
	case *opcode.TeamMessage:
		return known(m.PlayerID)
	case *opcode.ObjectCreateTeam:
		return known(m.NetPlayerID)
	case *opcode.DestroyObject:
		return w.owner(m.ObjectID)
	case *opcode.Explosion:
		return w.owner(m.ObjectID)
	case *opcode.ObjectNotFound:
		return w.owner(m.ObjectID)
	case *opcode.EnterSet:
		return w.owner(m.ObjectID)
	case *opcode.DeletePlayerUI:
		return known(m.PlayerID)
	case opcode.EventMessage:
		return w.owner(m.Envelope().Dest)
	}
	return objectid.NoPeer
}

// owner returns the player whose ship an ID belongs to, or NoPeer.
func (w *world) owner(id objectid.ID) objectid.PeerID {
	if s := w.shipWith(id); s != nil && s.PeerID.Valid() {
		return s.PeerID
	}
	return objectid.NoPeer
}

// known returns a peer ID in a message, or NoPeer if it is none.
func known(p objectid.PeerID) objectid.PeerID {
	if p.Valid() {
		return p
	}
	return objectid.NoPeer
}
