package opcode

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Score tells a joining client the score of one player. The host sends one for each player of the
// match, even if all numbers are 0 or the player has left.
//
//	offset  size  field
//	0       1     0x37
//	1       4     PlayerID, a peer ID
//	5       4     Kills
//	9       4     Deaths
//	13      4     Score, points
type Score struct {
	PlayerID objectid.PeerID
	Kills    int32
	Deaths   int32
	Score    int32
}

func (m *Score) Walk(c *stream.Codec) {
	c.Field("PlayerID").PeerID(&m.PlayerID)
	c.Field("Kills").Int32(&m.Kills)
	c.Field("Deaths").Int32(&m.Deaths)
	c.Field("Score").Int32(&m.Score)
}

// ScoreChange tells all clients the new scores after a ship died.
//
//	offset  size  field
//	0       1     0x36
//	1       4     KillerID, a peer ID; 0 for none
//	5       4     KillerKills, new total, unless KillerID is 0
//	9       4     KillerScore, new total, unless KillerID is 0
//	        4     VictimID, a peer ID
//	        4     VictimDeaths, new total
//	        1+n   number of Damagers, Damagers
//
// The game's scripts write messages of at most 256 bytes. They have room for a killer and 29
// Damagers with a score, or for 30 such Damagers and no killer.
type ScoreChange struct {
	KillerID     objectid.PeerID
	KillerKills  int32
	KillerScore  int32
	VictimID     objectid.PeerID
	VictimDeaths int32
	Damagers     []DamagerScore
}

// DamagerScore is the new score of a player who damaged the victim of a [ScoreChange].
//
//	offset  size  field
//	0       4     ID, a peer ID; 0 for none
//	4       4     Score, new total, unless ID is 0
type DamagerScore struct {
	ID    objectid.PeerID
	Score int32
}

// NewScoreChange returns the message that the ship of a player was destroyed, with new totals. If no
// player did it, the killer is [objectid.NoPeer], and kills and score are ignored.
func NewScoreChange(victim objectid.PeerID, deaths int32, killer objectid.PeerID, kills, score int32) *ScoreChange {
	m := &ScoreChange{VictimID: victim, VictimDeaths: deaths}
	if killer.Valid() {
		m.KillerID, m.KillerKills, m.KillerScore = killer, kills, score
	}
	return m
}

func (m *ScoreChange) Walk(c *stream.Codec) {
	if c.Decoding() {
		*m = ScoreChange{Damagers: m.Damagers[:0]}
	}
	c.Field("KillerID").PeerID(&m.KillerID)
	if m.KillerID != 0 {
		c.Field("KillerKills").Int32(&m.KillerKills)
		c.Field("KillerScore").Int32(&m.KillerScore)
	}
	c.Field("VictimID").PeerID(&m.VictimID)
	c.Field("VictimDeaths").Int32(&m.VictimDeaths)
	n := c.Field("Damagers").Count8(len(m.Damagers), 4)
	stream.Resize(c, &m.Damagers, n)
	for i := range n {
		d := &m.Damagers[i]
		c.Element("Damagers", i)
		c.Field("ID").PeerID(&d.ID)
		if d.ID != 0 {
			c.Field("Score").Int32(&d.Score)
		}
		c.End()
	}
}

func (m *ScoreChange) validate(op Code) error {
	size := 14
	if m.KillerID != 0 {
		size += 8
	}
	for _, d := range m.Damagers {
		if size += 4; d.ID != 0 {
			size += 4
		}
	}
	return atMost(size, op.Info().MaxSize, op, "Damagers", " bytes of the message")
}
