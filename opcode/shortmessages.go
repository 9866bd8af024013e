package opcode

import "github.com/bcwire/bcwire/stream"

// BootPlayer tells a client why OpenBC's server refuses it. The server may send it in answer
// to a Connect of package transport, before any reply to the Connect. The game does not know
// the message: it kicks players with a Boot of package transport. Payloads of any length but
// two are [*Unknown].
//
//	offset  size  field
//	0       1     0x04
//	1       1     Reason
//
// Evidence: documented. Engine name: DESTROY_OBJECT, unused.
type BootPlayer struct {
	Reason RefusalReason
}

// Walk implements [Message].
func (m *BootPlayer) Walk(c *stream.Codec) {
	c.Field("Reason").Uint8((*uint8)(&m.Reason))
	stream.Show(c, m.Reason)
}

// HostMessage asks the host to destroy the sender's own ship, despite its name.
//
//	offset  size  field
//	0       1     0x13
//
// Evidence: observed. Engine name: SELF_DESTRUCT_REQUEST.
type HostMessage struct{}

// authorize accepts the message: the host destroys the ship of the session.
func (*HostMessage) authorize(*authority) {}

// Walk implements [Message].
func (*HostMessage) Walk(*stream.Codec) {}

// UICollisionSetting turns damage by collisions on or off in a running game. The host
// sends it to all; who joins later learns it from [Settings].
//
//	offset  size  field
//	0       1     0x16
//	1       1     Enabled, packed
//
// Evidence: documented. Engine name: COLLISION_ENABLED.
type UICollisionSetting struct{ Enabled bool }

// Walk implements [Message].
func (m *UICollisionSetting) Walk(c *stream.Codec) {
	c.Field("Enabled").Bool(&m.Enabled)
}

// DeletePlayerAnim shows that a player left. The host sends it to all, after
// [DestroyObject] and [DeletePlayerUI].
//
//	offset  size  field
//	0       1     0x18
//	1       4+n   Name of the player, at most 255 bytes for the game
//
// OpenBC writes the length of Name in two bytes. A payload that fits neither length is
// raw: Form tells which of the three was read and is written.
//
// Evidence: documented, by the engine's code of the receiver; one was counted in a capture
// whose bytes are not published. Engine name: DELETE_PLAYER_FROM_GAME.
type DeletePlayerAnim struct {
	Form NameForm
	Name stream.Text
	Raw  []byte // all of the message, if Form is NameRaw
}

// NameForm is the form of a [DeletePlayerAnim].
type NameForm uint8

// The forms. No payload fits more than one of the first two.
const (
	NameStock  NameForm = iota // the length has four bytes
	NameOpenBC                 // the length has two bytes
	NameRaw                    // no length fits
)

// String returns the form in a word.
func (f NameForm) String() string { return word(f, "stock", "OpenBC", "raw") }

// Walk implements [Message].
func (m *DeletePlayerAnim) Walk(c *stream.Codec) {
	if c.Decoding() {
		switch n := c.Remaining(); {
		case n >= 4 && uint64(c.PeekUint32(0)) == uint64(n-4):
			m.Form = NameStock
		case n >= 2 && int(c.PeekUint16(0)) == n-2:
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
