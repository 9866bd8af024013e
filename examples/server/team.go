package main

import "github.com/bcwire/bcwire/opcode"

// team is the team of a player. In missions without teams nobody chooses one, and all are
// of the same.
type team struct {
	chosen bool
	opcode.Team
}

// teamOf returns the players in the game who are of the team of one, itself included.
func (m *match) teamOf(p *player) (all []*player) {
	for _, other := range m.everybody(nil) {
		if other.team == p.team {
			all = append(all, other)
		}
	}
	return all
}

// sendTeam tells a player which team another has chosen.
func (m *match) sendTeam(to, of *player) {
	if of.team.chosen {
		m.send(to, &opcode.TeamMessage{PlayerID: int32(of.id()), Team: of.team.Team})
	}
}
