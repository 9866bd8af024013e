package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ChatMessage is a line of chat for all. A client sends it to the host, and the host to
// everybody, the sender included.
//
//	offset  size  field
//	0       1     0x2C
//	1       4     SenderID, a peer ID
//	5       2+n   Text, at most MaxChat bytes from the game
//
// OpenBC puts a slot number into SenderID.
//
// Authorize: SenderID (sender's).
//
// Evidence: observed. A script message.
type ChatMessage struct {
	SenderID int32
	Text     stream.Text
}

// MaxChat is the length of the longest Text of a [ChatMessage] that the game sends: its
// scripts write at most 256 bytes.
const MaxChat = 249

// Sender returns SenderID as a peer ID, or NoPeer.
func (m *ChatMessage) Sender() objectid.PeerID { return objectid.PeerIDFrom(int(m.SenderID)) }

func (m *ChatMessage) authorize(a *authority) { a.peer("SenderID", m.SenderID) }

// Walk implements [Message].
func (m *ChatMessage) Walk(c *stream.Codec) {
	c.Field("SenderID").Int32(&m.SenderID)
	c.Field("Text").String16(&m.Text)
}

func (m *ChatMessage) validate(op Code) error {
	return atMost(len(m.Text), MaxChat, op, "Text", " bytes")
}

// TeamChatMessage is a line of chat for the sender's team. A client sends it to the host,
// and the host to the players of the team, the sender included; without teams to all.
//
//	offset  size  field
//	0       1     0x2D
//	1       4     SenderID, a peer ID
//	5       2+n   Text, at most MaxChat bytes from the game
//
// Authorize: SenderID (sender's).
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

func (m *TeamChatMessage) validate(op Code) error { return (*ChatMessage)(m).validate(op) }
