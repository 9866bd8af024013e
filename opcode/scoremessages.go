package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ScoreChange tells all the new scores after a ship died. The host sends it.
//
//	offset  size  field
//	0       1     0x36
//	1       4     KillerID, a peer ID; 0 for none
//	5       4     KillerKills, new total, unless KillerID is 0
//	9       4     KillerScore, new total, unless KillerID is 0
//	        4     VictimID, a peer ID
//	        4     VictimDeaths, new total
//	        1+n   Damagers after their number
//
// Evidence: observed without a killer, else documented. A script message.
type ScoreChange struct {
	KillerID     int32
	KillerKills  int32
	KillerScore  int32
	VictimID     int32
	VictimDeaths int32
	Damagers     []DamagerScore
}

// DamagerScore is the new score of a player who damaged the victim of a [ScoreChange].
//
//	offset  size  field
//	0       4     ID, a peer ID; 0 for none
//	4       4     Score, new total, unless ID is 0
type DamagerScore struct{ ID, Score int32 }

// Player returns ID as a peer ID, or NoPeer.
func (d DamagerScore) Player() objectid.PeerID { return objectid.PeerIDFrom(int(d.ID)) }

// Killer returns KillerID as a peer ID, or NoPeer.
func (m *ScoreChange) Killer() objectid.PeerID { return objectid.PeerIDFrom(int(m.KillerID)) }

// Victim returns VictimID as a peer ID, or NoPeer.
func (m *ScoreChange) Victim() objectid.PeerID { return objectid.PeerIDFrom(int(m.VictimID)) }

// Walk implements [Message].
func (m *ScoreChange) Walk(c *stream.Codec) {
	c.Field("KillerID").Int32(&m.KillerID)
	if m.KillerID != 0 {
		c.Field("KillerKills").Int32(&m.KillerKills)
		c.Field("KillerScore").Int32(&m.KillerScore)
	}
	c.Field("VictimID").Int32(&m.VictimID)
	c.Field("VictimDeaths").Int32(&m.VictimDeaths)
	n := c.Field("Damagers").Count8(len(m.Damagers), 4)
	stream.Resize(c, &m.Damagers, n)
	for i := range n {
		d := &m.Damagers[i]
		c.Element("Damagers", i)
		c.Field("ID").Int32(&d.ID)
		if d.ID != 0 {
			c.Field("Score").Int32(&d.Score)
		}
		c.End()
	}
}

// ScoreInit tells a joining client the score and the team of one player, in missions
// with teams. The host sends one for each.
//
//	offset  size  field
//	0       1     0x3F
//	1       4     PlayerID, a peer ID
//	5       4     Kills
//	9       4     Deaths
//	13      4     Score, points
//	17      1     Team, 0, 1 or TeamNone
//
// Evidence: documented. A script message.
type ScoreInit struct {
	PlayerID int32
	Kills    int32
	Deaths   int32
	Score    int32
	Team     Team
}

// Player returns PlayerID as a peer ID, or NoPeer.
func (m *ScoreInit) Player() objectid.PeerID { return objectid.PeerIDFrom(int(m.PlayerID)) }

// Walk implements [Message].
func (m *ScoreInit) Walk(c *stream.Codec) {
	c.Field("PlayerID").Int32(&m.PlayerID)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Deaths").Int32(&m.Deaths)
	c.Field("Score").Int32(&m.Score)
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
}

// TeamScore tells the score of a team. The host sends one for each to a joining client,
// and to all after a ship died.
//
//	offset  size  field
//	0       1     0x40
//	1       1     Team
//	2       4     Kills
//	6       4     Score, points
//
// Evidence: documented. A script message.
type TeamScore struct {
	Team  Team
	Kills int32
	Score int32
}

// Walk implements [Message].
func (m *TeamScore) Walk(c *stream.Codec) {
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Score").Int32(&m.Score)
}

// TeamMessage tells which team a player chose. The client sends it to the host, and the
// host to the others.
//
//	offset  size  field
//	0       1     0x41
//	1       4     PlayerID, a peer ID
//	5       1     Team
//
// Evidence: documented. A script message.
type TeamMessage struct {
	PlayerID int32
	Team     Team
}

// Player returns PlayerID as a peer ID, or NoPeer.
func (m *TeamMessage) Player() objectid.PeerID { return objectid.PeerIDFrom(int(m.PlayerID)) }

func (m *TeamMessage) authorize(a *authority) { a.peer("PlayerID", m.PlayerID) }

// Walk implements [Message].
func (m *TeamMessage) Walk(c *stream.Codec) {
	c.Field("PlayerID").Int32(&m.PlayerID)
	c.Field("Team").Uint8((*uint8)(&m.Team))
	stream.Show(c, m.Team)
}
