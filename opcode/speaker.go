package opcode

import "github.com/bcwire/bcwire/objectid"

// Speaker returns the player whose line a [ChatMessage] or a [TeamChatMessage] is. It returns NoPeer
// for an unknown player, and for any other message.
//
// The peer ID from is the sender of the datagram with the message. A message of a client is a line of
// that client, whatever its SenderID is. In a message of the host ([objectid.Host]), SenderID is a
// peer ID, or the slot of a player if slots is true. OpenBC's server writes slots; see the type Peer of
// package transport.
func Speaker(m Message, from objectid.PeerID, slots bool) objectid.PeerID {
	var id objectid.PeerID
	switch m := m.(type) {
	case *ChatMessage:
		id = m.SenderID
	case *TeamChatMessage:
		id = m.SenderID
	default:
		return objectid.NoPeer
	}
	if from != objectid.Host {
		id = from
	} else if slots {
		return objectid.Slot(uint8(id)).PeerID() // OpenBC's server writes the low byte only
	}
	return knownPeer(id)
}
