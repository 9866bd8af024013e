package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// TeamChatMessage is a line of chat for the sender's team. A client sends it to the host,
// and the host to the players of the team, the sender included; without teams to all.
//
//	offset  size  field
//	0       1     0x2D
//	1       4     SenderID, a peer ID
//	5       2+n   Text, at most MaxChat bytes from the game
//
// Evidence: documented. A script message.
type TeamChatMessage struct {
	SenderID int32
	Text     stream.Text
}

// Sender returns SenderID as a peer ID, or NoPeer.
func (m *TeamChatMessage) Sender() objectid.PeerID { return (*ChatMessage)(m).Sender() }

func (m *TeamChatMessage) authorize(a *authority) { (*ChatMessage)(m).authorize(a) }

// Walk implements [Message].
func (m *TeamChatMessage) Walk(c *stream.Codec) {
	(*ChatMessage)(m).Walk(c)
}
