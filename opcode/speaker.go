package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Speaker returns the player whose line a [ChatMessage] or a [TeamChatMessage] is. It returns NoPeer
// for an unknown player, and for any other message.
//
// The peer ID from is the sender of the datagram with the message. A message of a client is a line of
// that client, whatever its SenderID is. In a message of the host ([objectid.Host]), SenderID is a
// peer ID, or the slot of a player if slots is true. OpenBC's server writes slots, and gives the
// player in slot n the peer ID n + 2. [HostChat.Slots] reports whether a host writes slots.
func Speaker(m Message, from objectid.PeerID, slots bool) objectid.PeerID {
	line, ok := chatOf(m)
	switch {
	case !ok:
		return objectid.NoPeer
	case from != objectid.Host:
		return knownPeer(from)
	case slots:
		return peerOfSlot(objectid.Slot(uint8(line.SenderID))) // OpenBC's server writes the low byte only
	}
	return knownPeer(line.SenderID)
}

// chatOf returns a line of chat as a ChatMessage.
func chatOf(m Message) (line *ChatMessage, ok bool) {
	switch m := m.(type) {
	case *ChatMessage:
		return m, true
	case *TeamChatMessage:
		return (*ChatMessage)(m), true
	}
	return nil, false
}

// OpenBC's server keeps the host in front of the slots, and counts peer IDs from 1.
const openBCOffset = 2

// peerOfSlot returns the peer ID that OpenBC's server gives to the player in a slot.
func peerOfSlot(slot objectid.Slot) objectid.PeerID {
	if !slot.Valid() {
		return objectid.NoPeer
	}
	return objectid.PeerID(slot) + openBCOffset
}

// HostChat finds out whether a host writes slots into chat, for [Speaker]. It needs the chat of the
// host and of at least one client, which may be the program itself:
//
//	chat.Observe(m, from)
//	player := opcode.Speaker(m, from, chat.Slots())
//
// A host shows what it writes when it sends a line of a client to all. The line left the client with
// its peer ID in SenderID. If it comes back with the slot of the client, the host writes slots. If it
// comes back with the peer ID, the host writes peer IDs. If both come back, two players said the same,
// which shows nothing. If lines disagree, the majority counts.
//
// Without such a line, a host writes slots if OpenBC is set, or if a line has the SenderID 0, which is
// no peer ID. A client can cause that only on a host that does not check SenderID.
//
// Use one HostChat for all links of a host. The zero value is ready to use, and copies are
// independent. A HostChat is not safe for concurrent use.
type HostChat struct {
	// OpenBC is set by the program if it knows that the host is OpenBC, as from the method OpenBC of
	// a Session of package transport.
	OpenBC bool

	lines [16]sentLine // the last lines of clients
	next  int          // the line to replace
	votes int          // lines that came back with the slot, less those with the peer ID
	zero  bool         // a line of the host had the SenderID 0
}

// sentLine is a line that a client has sent.
type sentLine struct {
	peer           objectid.PeerID // 0 for none
	op             Code
	text           uint64 // hash
	asPeer, asSlot bool   // came back with the peer ID, with the slot
}

// vote returns what a line shows: 1 for slots, -1 for peer IDs, 0 for nothing.
func (l *sentLine) vote() int {
	switch {
	case l.asPeer == l.asSlot:
		return 0
	case l.asSlot:
		return 1
	}
	return -1
}

// Observe learns from a message with the sender of its datagram, a client or the host. It ignores
// messages other than ChatMessage and TeamChatMessage.
func (c *HostChat) Observe(m Message, from objectid.PeerID) {
	line, ok := chatOf(m)
	if !ok {
		return
	}
	if from == objectid.Host {
		c.received(m.Opcode(), hashOf(line.Text), line.SenderID)
	} else if from.Valid() && line.SenderID == from { // OpenBC's client sends its slot
		c.sent(m.Opcode(), hashOf(line.Text), from)
	}
}

// hashOf returns the FNV-1a hash of a text.
func hashOf(text stream.Text) uint64 {
	const basis, prime = 0xCBF29CE484222325, 0x100000001B3
	hash := uint64(basis)
	for _, b := range text {
		hash = (hash ^ uint64(b)) * prime
	}
	return hash
}

// sent keeps a line of a client. A line that is kept already shows nothing new.
func (c *HostChat) sent(op Code, text uint64, peer objectid.PeerID) {
	for i := range c.lines {
		if l := &c.lines[i]; l.peer == peer && l.op == op && l.text == text {
			return
		}
	}
	c.lines[c.next] = sentLine{peer: peer, op: op, text: text}
	c.next = (c.next + 1) % len(c.lines)
}

// received compares a line of the host with the lines of clients. The host changes only the low byte
// of SenderID, which is a peer ID.
func (c *HostChat) received(op Code, text uint64, sender objectid.PeerID) {
	c.zero = c.zero || sender == 0
	for i := range c.lines {
		l := &c.lines[i]
		if l.peer == 0 || l.op != op || l.text != text {
			continue
		}
		before := l.vote()
		l.asPeer = l.asPeer || sender == l.peer
		l.asSlot = l.asSlot || peerOfSlot(objectid.Slot(sender)) == l.peer
		c.votes += l.vote() - before
	}
}

// Slots reports whether the host writes slots, as far as the observed messages show.
func (c *HostChat) Slots() bool {
	if c.votes != 0 {
		return c.votes > 0
	}
	return c.OpenBC || c.zero
}
