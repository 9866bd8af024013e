package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Score tells a joining client the score of one player. The host sends one for each.
//
//	offset  size  field
//	0       1     0x37
//	1       4     PlayerID, a peer ID
//	5       4     Kills
//	9       4     Deaths
//	13      4     Score, points
//
// Evidence: observed. A script message.
type Score struct {
	PlayerID int32
	Kills    int32
	Deaths   int32
	Score    int32
}

// Player returns PlayerID as a peer ID, or NoPeer.
func (m *Score) Player() objectid.PeerID { return objectid.PeerIDFrom(int(m.PlayerID)) }

// Walk implements [Message].
func (m *Score) Walk(c *stream.Codec) {
	c.Field("PlayerID").Int32(&m.PlayerID)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Deaths").Int32(&m.Deaths)
	c.Field("Score").Int32(&m.Score)
}
