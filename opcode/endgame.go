package opcode

import "github.com/bcwire/bcwire/stream"

// EndGame ends the game for all. The host sends it.
//
//	offset  size  field
//	0       1     0x38
//	1       4     Reason
//
// Evidence: documented. A script message.
type EndGame struct{ Reason EndReason }

// Walk implements [Message].
func (m *EndGame) Walk(c *stream.Codec) {
	c.Field("Reason").Int32((*int32)(&m.Reason))
	stream.Show(c, m.Reason)
}

// RestartGame begins the game anew for all. The host sends it.
//
//	offset  size  field
//	0       1     0x39
//
// Evidence: documented. A script message.
type RestartGame struct{}

// Walk implements [Message].
func (*RestartGame) Walk(*stream.Codec) {}
