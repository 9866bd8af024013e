package opcode

import "github.com/bcwire/bcwire/stream"

// Settings tells a joining client the rules of the game and its player slot. The host
// sends it when all checksums are right, after [ChecksumComplete] and before [GameInit].
//
//	offset  size  field
//	0       1     0x00
//	1       4     GameTime, seconds on the host's clock
//	5       1     CollisionDamage, FriendlyFire, ChecksumCorrection, packed
//	6       1     PlayerSlot, 0 to 15
//	7       2+n   Map, "Multiplayer.Episode.Mission1.Mission1"
//	9+n     m     Correction, if ChecksumCorrection
//
// ChecksumCorrection is written after Map and yet packed with the others. The layout of
// Correction is not known, and no capture has it.
//
// Evidence: observed. Engine name: GAME_INITIALIZE.
type Settings struct {
	GameTime           float32
	CollisionDamage    bool
	FriendlyFire       bool
	ChecksumCorrection bool
	PlayerSlot         uint8
	Map                stream.Text
	Correction         []byte
}

// Walk implements [Message].
func (m *Settings) Walk(c *stream.Codec) {
	c.Field("GameTime").Float32(&m.GameTime)
	c.Field("CollisionDamage").Bool(&m.CollisionDamage)
	c.Field("FriendlyFire").Bool(&m.FriendlyFire)
	c.Field("PlayerSlot").Uint8(&m.PlayerSlot)
	c.Field("Map").String16(&m.Map)
	c.Field("ChecksumCorrection").Bool(&m.ChecksumCorrection)
	if m.ChecksumCorrection {
		c.Field("Correction").Rest(&m.Correction, nil)
	}
}
