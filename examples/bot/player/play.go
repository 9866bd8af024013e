package player

import "github.com/bcwire/bcwire/opcode"

// play takes a message of the game.
func (p *Player) play(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		p.update(m)
	case *opcode.ObjectCreateTeam:
		p.created(m, &m.Object)
	case *opcode.ObjectCreate:
		p.created(m, &m.Object)
	case *opcode.DestroyObject:
		p.gone(m.ObjectID, ShipDestroyed{})
	case *opcode.PythonEvent:
		p.exploding(m)
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
		p.restart(m)
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
func (p *Player) restart(m *opcode.RestartGame) {
	p.flight.ship = nil
	_, _ = p.others.tracker.Apply(m) // all ships are gone
	p.others.wanted = nil
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
