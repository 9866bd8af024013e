package opcode

import "github.com/bcwire/bcwire/stream"

// BootPlayer is the refusal of a client by OpenBC's server; the game does not know it and
// dismisses players by a Boot of package transport. Payloads of any length but two are
// [*Unknown].
//
//	offset  size  field
//	0       1     0x04
//	1       1     Reason
//
// Evidence: documented. Engine name: DESTROY_OBJECT, unused.
type BootPlayer struct {
	Reason uint8 // 0 generic, 1 version, 2 full, 3 banned, 4 checksum
}

// Walk implements [Message].
func (m *BootPlayer) Walk(c *stream.Codec) {
	c.Field("Reason").Uint8(&m.Reason)
}

// HostMessage asks the host to destroy the sender's own ship, despite its name.
//
//	offset  size  field
//	0       1     0x13
//
// Evidence: observed. Engine name: SELF_DESTRUCT_REQUEST.
type HostMessage struct{}

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
//	1       2+n   Name of the player
//
// The layout is that of one document. A payload that it does not fit is Opaque, with all
// of it in Raw.
//
// Evidence: inferred. Engine name: DELETE_PLAYER_FROM_GAME.
type DeletePlayerAnim struct {
	Name   stream.Text
	Opaque bool // Raw takes the place of Name
	Raw    []byte
}

// Walk implements [Message].
func (m *DeletePlayerAnim) Walk(c *stream.Codec) {
	if c.Decoding() {
		head := c.Peek(2)
		m.Opaque = head == nil || 2+int(head[0])+int(head[1])<<8 != c.Remaining()
	}
	if m.Opaque {
		c.Field("Raw").Rest(&m.Raw, nil)
	} else {
		c.Field("Name").String16(&m.Name)
	}
}
