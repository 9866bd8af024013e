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
//	1       1     Flag, packed; unless Bare
//
// Flag is false in all captures, and its meaning is not known.
//
// Evidence: observed. Engine name: CLIENT_READY.
type NewPlayerInGame struct {
	Flag bool
	Bare bool // the payload is the opcode alone, which the game takes for false
}

// Walk implements [Message].
func (m *NewPlayerInGame) Walk(c *stream.Codec) {
	if c.Decoding() {
		m.Bare = c.Remaining() == 0
	}
	if !m.Bare {
		c.Field("Flag").Bool(&m.Flag)
	}
}
