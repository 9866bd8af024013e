package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// DeletePlayerUI tells all clients that a player left or, despite its name, joined. For the new
// client, it ends the join.
//
//	offset  size  field
//	0       1     0x17
//	1       17    an Event of ClassPlayerEvent with PlayerID
//
//	field of ETNewPlayerInGame  evidence  role
//	Source                      observed  none
//	Dest                        observed  the sender's network object; see below
//	PlayerID                    observed  the peer ID of the player who joined
//
//	field of ETNetworkDeletePlayer  evidence    role
//	Source                          documented  none
//	Dest                            documented  the sender's network object; see below
//	PlayerID                        documented  the peer ID of the player who left
//
// The engine has one network object on each machine, with a different ID on each. Receivers replace
// Dest by the ID of the object on their machine, so a host may send 0.
type DeletePlayerUI struct{ Event }

// NewPlayerJoined returns the message that a player has joined.
func NewPlayerJoined(player objectid.PeerID) *DeletePlayerUI {
	m := &DeletePlayerUI{hostEvent(OpDeletePlayerUI, ETNewPlayerInGame, objectid.None, objectid.None)}
	m.PlayerID = peerField(player)
	return m
}

// NewPlayerLeft returns the message that a player has left.
func NewPlayerLeft(player objectid.PeerID) *DeletePlayerUI {
	m := &DeletePlayerUI{hostEvent(OpDeletePlayerUI, ETNetworkDeletePlayer, objectid.None, objectid.None)}
	m.PlayerID = peerField(player)
	return m
}

// Joined returns the player who joined, or NoPeer if PlayerID is not a peer ID.
func (m *DeletePlayerUI) Joined() (player objectid.PeerID, ok bool) {
	return m.player(ETNewPlayerInGame)
}

// Left returns the player who left, or NoPeer if PlayerID is not a peer ID.
func (m *DeletePlayerUI) Left() (player objectid.PeerID, ok bool) {
	return m.player(ETNetworkDeletePlayer)
}

func (m *DeletePlayerUI) player(code EventCode) (objectid.PeerID, bool) {
	if !m.is(OpDeletePlayerUI, code) {
		return objectid.NoPeer, false
	}
	return knownPeer(m.PlayerID), true
}

// DeletePlayerAnim shows all clients that a player left. It follows [DeletePlayerUI].
//
//	offset  size  field
//	0       1     0x18
//	1       4+n   Name of the player; the game accepts at most 255 bytes
//	1       2+n   Name, if Form is NameOpenBC
//	1       k     Raw, if Form is NameRaw
type DeletePlayerAnim struct {
	Form NameForm
	Name stream.Text
	Raw  []byte // the whole body if Form is NameRaw
}

// NameForm is the form of a [DeletePlayerAnim]. No payload fits both NameStock and NameOpenBC.
type NameForm uint8

const (
	NameStock  NameForm = iota // the length has four bytes
	NameOpenBC                 // the length has two bytes
	NameRaw                    // neither length fits
)

func (f NameForm) String() string { return word(f, "stock", "OpenBC", "raw") }

func (m *DeletePlayerAnim) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = DeletePlayerAnim{}
		switch n := c.Remaining(); {
		case n >= 4 && uint64(c.PeekUint(0, 4)) == uint64(n-4):
			m.Form = NameStock
		case n >= 2 && int(c.PeekUint(0, 2)) == n-2:
			m.Form = NameOpenBC
		default:
			m.Form = NameRaw
		}
	}
	switch m.Form {
	case NameStock:
		c.Field("Name").String32(&m.Name)
	case NameOpenBC:
		c.Field("Name").String16(&m.Name)
	default:
		c.Field("Raw").Rest(&m.Raw, nil)
	}
}
