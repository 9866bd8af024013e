package show

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Player is the player on the link of a datagram. Its values are from the datagrams until then.
type Player struct {
	Name string        // "" if unknown
	Slot objectid.Slot // NoSlot if unknown
}

// players are the players that a session has named. The zero value knows none.
type players struct {
	own   objectid.PeerID                   // the player of the link, or 0 if unknown
	slots map[objectid.PeerID]objectid.Slot // at most 127 peers are valid
	names map[objectid.PeerID]string
}

// clone returns a deep copy.
func (s *players) clone() players {
	return players{s.own, maps.Clone(s.slots), maps.Clone(s.names)}
}

// learn applies the messages of a datagram. The chat belongs to the server.
func (s *players) learn(p *Packet, chat *opcode.HostChat) {
	fromHost := p.Dir == recording.ToClient
	if s.own == 0 && !fromHost && !p.gamespy && !p.malformed && p.Peer > objectid.Host {
		s.own = p.Peer // the recording begins after the ConnectReply
	}
	for _, r := range p.Messages {
		if r.NewConnection {
			*s = players{}
		}
		switch body := r.Body.(type) {
		case *transport.ConnectReply:
			s.own = body.PeerID
		case *transport.NameChange:
			// A client can name any peer, but its message is about itself.
			id := p.Peer
			if fromHost {
				id = body.PeerID
			}
			s.rename(id, body.Name.String())
		}
		switch m := r.Decoded.(type) {
		case *opcode.Settings:
			if fromHost {
				s.place(s.own, m.PlayerSlot)
			}
		case *opcode.ObjectCreateTeam:
			s.created(m, fromHost)
		}
		if r.Subject.Death {
			r.Subject.Killer = s.named(r.Subject.killer)
		}
		s.said(p, r, chat)
	}
}

// said finds the player who said a line of chat, and notes it if another ID is in the line.
func (s *players) said(p *Packet, r *Message, chat *opcode.HostChat) {
	var sender objectid.PeerID
	switch m := r.Decoded.(type) {
	case *opcode.ChatMessage:
		sender = m.SenderID
	case *opcode.TeamChatMessage:
		sender = m.SenderID
	default:
		return
	}
	from := p.Peer
	if p.Dir == recording.ToClient {
		from = objectid.Host
	}
	if !r.Duplicate {
		chat.Observe(r.Decoded, from)
	}
	speaker := opcode.Speaker(r.Decoded, from, chat.Slots())
	if r.Subject.Speaker = s.named(speaker); r.Subject.Speaker != "" && sender != speaker {
		r.note("dialect", "dialect: said by "+r.Subject.Speaker)
	}
}

// created learns from the ship of a player, if the recording begins after the join.
func (s *players) created(m *opcode.ObjectCreateTeam, fromHost bool) {
	id := m.NetPlayerID
	if !fromHost && id != s.own {
		return
	}
	if s.names[id] == "" {
		s.rename(id, m.PlayerName.String())
	}
	s.place(id, m.OwnerSlot)
}

func (s *players) rename(id objectid.PeerID, name string) {
	if id <= objectid.Host {
		return
	}
	if s.names == nil {
		s.names = map[objectid.PeerID]string{}
	}
	s.names[id] = name
}

func (s *players) place(id objectid.PeerID, slot objectid.Slot) {
	if id <= objectid.Host || !slot.Valid() {
		return
	}
	if s.slots == nil {
		s.slots = map[objectid.PeerID]objectid.Slot{}
	}
	s.slots[id] = slot
}

// of returns the player of a datagram. Clients without a name or an address share a session. Their
// peer IDs distinguish them, but datagrams from the host name no client.
func (s *players) of(p *Packet) Player {
	id := s.own
	if p.Client == "" {
		id = p.Peer // the host's has no name
	}
	player := Player{s.names[id], objectid.NoSlot}
	if slot, ok := s.slots[id]; ok {
		player.Slot = slot
	}
	return player
}

// named returns the name of a player, "peer 5" without a name, or "" for no player.
func (s *players) named(id objectid.PeerID) string {
	if id <= objectid.Host {
		return ""
	}
	return cmp.Or(s.names[id], fmt.Sprint("peer ", id))
}
