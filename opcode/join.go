package opcode

import "github.com/bcwire/bcwire/stream"

// GameInit tells a joining client to load the mission. The host sends it once, after
// [Settings].
//
//	offset  size  field
//	0       1     0x01
//
// Evidence: observed. Engine name: GAME_INITIALIZE_DONE.
type GameInit struct{}

// Walk implements [Message].
func (*GameInit) Walk(*stream.Codec) {}

// ChecksumComplete tells a joining client that its files are right and that none follow.
// The host sends it once, in one datagram with [Settings] and [GameInit]; the stock
// client ignores it.
//
//	offset  size  field
//	0       1     0x28
//
// Evidence: observed. Engine name: SEND_FILE_COMPLETED.
type ChecksumComplete struct{}

// Walk implements [Message].
func (*ChecksumComplete) Walk(*stream.Codec) {}

// NewPlayerInGame tells the host that a client has loaded the mission. The host answers
// with [MissionInit], the scores and the objects of the game.
//
//	offset  size  field
//	0       1     0x2A
//	1       1     Modem, packed; unless Bare
//
// Modem is false in all captures. The host sends fewer StateUpdates to a client on a modem.
//
// Evidence: observed; documented for the meaning of Modem, by the engine's code on both
// sides. Engine name: CLIENT_READY.
type NewPlayerInGame struct {
	Modem bool // the client is on a modem
	Bare  bool // the payload is the opcode alone, which the game takes for false
}

func (*NewPlayerInGame) authorize(*authority) {}

// Walk implements [Message].
func (m *NewPlayerInGame) Walk(c *stream.Codec) {
	if c.Decoding() {
		m.Bare = c.Remaining() == 0
	}
	if !m.Bare {
		c.Field("Modem").Bool(&m.Modem)
	}
}
