package player

import "github.com/bcwire/bcwire/opcode"

// Score is how a player stands.
type Score struct{ Kills, Deaths, Points int32 }

// maxScores is how many scores are kept: of all peer IDs that there are.
const maxScores = 128

// Score returns the score of a player by its peer ID, and false if nothing is known of it.
func (p *Player) Score(id int32) (Score, bool) {
	s, ok := p.scores[id]
	return s, ok
}

// score notes a score, if it is another one.
func (p *Player) score(id int32, s Score) {
	old, known := p.scores[id]
	if known && old == s || !known && len(p.scores) >= maxScores {
		return
	}
	p.scores[id] = s
	p.event(Scored{p.peer(id), s})
}

// scoreChange notes what a death has changed.
func (p *Player) scoreChange(m *opcode.ScoreChange) {
	if m.KillerID != 0 {
		p.score(m.KillerID, Score{m.KillerKills, p.scores[m.KillerID].Deaths, m.KillerScore})
	}
	victim := p.scores[m.VictimID]
	victim.Deaths = m.VictimDeaths
	p.score(m.VictimID, victim)
	for _, d := range m.Damagers {
		if d.ID != 0 {
			damager := p.scores[d.ID]
			damager.Points = d.Score
			p.score(d.ID, damager)
		}
	}
}
