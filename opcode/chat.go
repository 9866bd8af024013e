package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ChatMessage sends a line of chat to all players; the host also sends it back to the sender.
//
//	offset  size  field
//	0       1     0x2C
//	1       4     SenderID, a peer ID
//	5       2+n   Text, at most MaxChat bytes from the game
//
// OpenBC writes slots into SenderID; see [Speaker].
type ChatMessage struct {
	SenderID objectid.PeerID
	Text     stream.Text
}

// MaxChat is the longest Text in bytes of a [ChatMessage] from the game.
const MaxChat = 249 // the game's scripts write messages of at most 256 bytes

// NewChatMessage returns a line of chat. A client names itself as the sender; the host writes the peer
// ID of the player who said the line, or [objectid.Host]. NewChatMessage returns an error wrapping
// [stream.ErrText] if the text cannot be encoded, and one wrapping [stream.ErrInvalid] beyond MaxChat.
func NewChatMessage(sender objectid.PeerID, text string) (*ChatMessage, error) {
	encoded, err := stream.NewText(text)
	if err != nil {
		return nil, err
	}
	return checked(&ChatMessage{SenderID: sender, Text: encoded})
}

func (m *ChatMessage) authorize(a authority) *authError { return a.peer("SenderID", m.SenderID) }

func (m *ChatMessage) Walk(c *stream.Codec) {
	c.Field("SenderID").PeerID(&m.SenderID)
	c.Field("Text").String16(&m.Text)
}

func (m *ChatMessage) validate(op Code) error {
	return atMost(len(m.Text), MaxChat, op, "Text", " bytes")
}

// TeamChatMessage sends a line of chat to the sender's team; the host also sends it back to the sender, and to
// all players if there are no teams.
//
//	offset  size  field
//	0       1     0x2D
//	1       4     SenderID, a peer ID
//	5       2+n   Text, at most MaxChat bytes from the game
//
// OpenBC writes slots into SenderID and sends the line to all; see [Speaker].
type TeamChatMessage struct {
	SenderID objectid.PeerID
	Text     stream.Text
}

func (m *TeamChatMessage) authorize(a authority) *authError { return (*ChatMessage)(m).authorize(a) }

func (m *TeamChatMessage) Walk(c *stream.Codec) {
	(*ChatMessage)(m).Walk(c)
}

func (m *TeamChatMessage) validate(op Code) error { return (*ChatMessage)(m).validate(op) }
