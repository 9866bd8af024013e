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
// Evidence: observed. A script message.
type ChatMessage struct {
	SenderID int32
	Text     stream.Text
}

// Sender returns SenderID as a peer ID, or NoPeer.
func (m *ChatMessage) Sender() objectid.PeerID { return objectid.PeerIDFrom(int(m.SenderID)) }

func (m *ChatMessage) authorize(a *authority) { a.peer("SenderID", m.SenderID) }

// Walk implements [Message].
func (m *ChatMessage) Walk(c *stream.Codec) {
	c.Field("SenderID").Int32(&m.SenderID)
	c.Field("Text").String16(&m.Text)
}
