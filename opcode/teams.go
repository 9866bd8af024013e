package opcode

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ScoreInit tells a joining client the score and the team of one player.
//
//	offset  size  field
//	0       1     0x3F
//	1       4     PlayerID, a peer ID
//	5       4     Kills
//	9       4     Deaths
//	13      4     Score, points
//	17      1     Team, 0, 1 or TeamNone
type ScoreInit struct {
	PlayerID objectid.PeerID
	Kills    int32
	Deaths   int32
	Score    int32
	Team     Team
}

func (m *ScoreInit) Walk(c *stream.Codec) {
	c.Field("PlayerID").PeerID(&m.PlayerID)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Deaths").Int32(&m.Deaths)
	c.Field("Score").Int32(&m.Score)
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
}

func (m *ScoreInit) validate(op Code) error { return m.Team.validate(op) }

// TeamScore tells clients the score of a team. Joining clients get one for each
// team, and all clients get one after a ship died.
//
//	offset  size  field
//	0       1     0x40
//	1       1     Team
//	2       4     Kills
//	6       4     Score, points
type TeamScore struct {
	Team  Team
	Kills int32
	Score int32
}

func (m *TeamScore) Walk(c *stream.Codec) {
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Score").Int32(&m.Score)
}

func (m *TeamScore) validate(op Code) error { return m.Team.validate(op) }

// TeamMessage tells all players which team a player chose. The client sends it to the host.
//
//	offset  size  field
//	0       1     0x41
//	1       4     PlayerID, a peer ID
//	5       1     Team
type TeamMessage struct {
	PlayerID objectid.PeerID
	Team     Team
}

func (m *TeamMessage) authorize(a authority) *authError { return a.peer("PlayerID", m.PlayerID) }

func (m *TeamMessage) Walk(c *stream.Codec) {
	c.Field("PlayerID").PeerID(&m.PlayerID)
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
}

func (m *TeamMessage) validate(op Code) error { return m.Team.validate(op) }

func (v Team) validate(op Code) error {
	if v <= TeamTwo || v == TeamNone {
		return nil
	}
	return invalid(op, "Team", fmt.Sprintf("%d, not 0, 1 or 255", uint8(v)))
}
