package player

import "github.com/bcwire/bcwire/opcode"

// play takes a message of the game.
func (p *Player) play(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		p.update(m)
	case *opcode.ObjectCreateTeam:
		p.created(&m.Object, int32(m.NetPlayerID))
	case *opcode.ObjectCreate:
		p.created(&m.Object, 0)
	case *opcode.DestroyObject:
		p.gone(ShipDestroyed{ID: m.ObjectID})
	case *opcode.PythonEvent:
		p.exploding(&m.Event)
	case *opcode.ObjectNotFound:
		p.want(m.ObjectID)
	case *opcode.DeletePlayerUI:
		p.playerEvent(m)
	case *opcode.MissionInit:
		p.missionInit(m)
	case *opcode.EndGame:
		p.state = GameOver
		p.event(Over{m.Reason})
	case *opcode.RestartGame:
		p.restart()
	default:
		p.talk(m)
	}
}

// talk takes a message about players.
func (p *Player) talk(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.ChatMessage:
		p.event(Said{From: p.speaker(m.SenderID, m.Text), Text: clip(m.Text.String())})
	case *opcode.TeamChatMessage:
		p.event(Said{From: p.speaker(m.SenderID, m.Text), Text: clip(m.Text.String()), Team: true})
	case *opcode.Score:
		p.score(m.PlayerID, Score{m.Kills, m.Deaths, m.Score})
	case *opcode.ScoreInit:
		p.score(m.PlayerID, Score{m.Kills, m.Deaths, m.Score})
	case *opcode.ScoreChange:
		p.scoreChange(m)
	}
}

// missionInit takes the limits and the system, without which the player has no ship.
func (p *Player) missionInit(m *opcode.MissionInit) {
	init := *m
	p.mission = &init
	p.event(Mission{init})
	if p.state == Joined && p.options.Ship != nil {
		p.pickAt = p.clock.now + p.options.Choose
	}
}

// restart begins another game, without asking for anything again.
func (p *Player) restart() {
	p.flight.ship = nil
	p.others = newOtherShips()
	clear(p.scores)
	p.event(Restarted{})
	p.lobby()
}

// lobby is where the player chooses a ship.
func (p *Player) lobby() {
	p.state = Joined
	if p.options.Ship != nil {
		p.pickAt = p.clock.now + p.options.Choose
	}
}

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
