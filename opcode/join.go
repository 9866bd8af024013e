package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// GameInit tells a joining client to load the mission.
//
//	offset  size  field
//	0       1     0x01
type GameInit struct{}

func (*GameInit) Walk(*stream.Codec) {}

// Settings tells a joining client its slot and the rules of the game. It comes
// after [ChecksumComplete] and before [GameInit].
//
//	offset   size  field
//	0        1     0x00
//	1        4     GameTime, seconds on the host's clock
//	5        1     CollisionDamage, HostModem, Renamed, packed
//	6        1     PlayerSlot, 0 to 15
//	7        2+n   Map, "Multiplayer.Episode.Mission1.Mission1"
//	9+n      4+2c  NewName, if Renamed: the number c, then c UTF-16 units
//	9+n      k     Rest, if Renamed and Opaque, in place of NewName
//
// Renamed is written after Map but shares the byte of the other bools. A client that is Renamed
// must take NewName as its name. It sends NewName to the host in a second NameChange of package
// transport. If the bytes after Map are not a NewName, the message is Opaque. It is unknown how
// the host forms a new name. Some documents wrongly call HostModem FriendlyFire and Renamed
// ChecksumCorrection.
type Settings struct {
	GameTime        float32
	CollisionDamage bool
	HostModem       bool // the host is on a modem and sends fewer StateUpdates
	Renamed         bool // another player has the client's name
	PlayerSlot      objectid.Slot
	Map             stream.Text
	NewName         stream.UTF16
	Opaque          bool // Rest replaces NewName
	Rest            []byte
}

func (m *Settings) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = Settings{}
	}
	c.Field("GameTime").Float32(&m.GameTime)
	c.Field("CollisionDamage").Bool(&m.CollisionDamage)
	c.Field("HostModem").Bool(&m.HostModem)
	c.Field("PlayerSlot").Slot8(&m.PlayerSlot)
	c.Field("Map").String16(&m.Map)
	c.Field("Renamed").Bool(&m.Renamed)
	if !m.Renamed {
		return
	}
	if c.Decoding() {
		n := c.Remaining()
		m.Opaque = n < 4 || n%2 != 0 || uint64(c.PeekUint(0, 4)) != uint64(n-4)/2
	}
	if m.Opaque {
		c.Field("Rest").Rest(&m.Rest, nil)
	} else {
		c.Field("NewName").WString32(&m.NewName)
	}
}

func (m *Settings) validate(op Code) error {
	return within(m.PlayerSlot, 0, objectid.Slots-1, op, "PlayerSlot")
}

// NewPlayerInGame tells the host that the client has loaded the mission. The
// host answers with [MissionInit], the scores and the objects of the game.
//
//	offset  size  field
//	0       1     0x2A
//	1       1     Modem, packed; unless Bare
//
// Modem is false in all captures. The host sends fewer StateUpdates to a client on a modem. The
// engine's NEW_PLAYER_IN_GAME is another message, [DeletePlayerUI].
type NewPlayerInGame struct {
	Modem bool // the client is on a modem
	Bare  bool // the payload has no Modem; Modem is then false
}

func (*NewPlayerInGame) authorize(authority) *authError { return nil }

func (m *NewPlayerInGame) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = NewPlayerInGame{}
		m.Bare = c.Remaining() == 0
	}
	if !m.Bare {
		c.Field("Modem").Bool(&m.Modem)
	}
}

// BootPlayer is the refusal of a client by OpenBC's server. The server may send it before any
// reply to a Connect of package transport. The game does not know this message; it kicks players
// with a Boot of package transport. Payloads of any other length than two decode as [*Unknown].
//
//	offset  size  field
//	0       1     0x04
//	1       1     Reason
type BootPlayer struct {
	Reason RefusalReason
}

func (m *BootPlayer) Walk(c *stream.Codec) {
	c.Field("Reason").Uint8((*uint8)(&m.Reason))
	stream.Show(c, m.Reason)
}
