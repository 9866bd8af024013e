package player

import (
	"fmt"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// match is the game that the host has described.
type match struct {
	slot     objectid.Slot
	loadedAt time.Duration // time at which Settings arrived
	started  float64       // seconds of the host's clock at loadedAt
	system   opcode.System
}

// maxGameTime is the limit of a host's clock in seconds. A float32 beyond it has no tenths.
const maxGameTime = 1 << 20

// gameTime returns the time of the game's clock, which continues the host's.
func (p *Player) gameTime() float32 {
	return float32(p.match.started + (p.clock.now - p.match.loadedAt).Seconds())
}

// play handles a message of the game.
func (p *Player) play(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		p.update(m)
	case *opcode.ObjectCreateTeam:
		p.created(m, m.ObjectID)
	case *opcode.ObjectCreate:
		p.created(m, m.ObjectID)
	case *opcode.DestroyObject:
		p.destroyed(m.ObjectID)
	case *opcode.PythonEvent:
		p.exploding(m)
	case *opcode.ObjectNotFound:
		p.want(m.ObjectID)
	case *opcode.EnterSet:
		p.entered(m)
	case *opcode.DeletePlayerUI:
		p.playerEvent(m)
	case *opcode.ChatMessage:
		p.report("%s: %s", p.speaker(m), m.Text.String())
	case *opcode.TeamChatMessage:
		p.report("%s to the team: %s", p.speaker(m), m.Text.String())
	case *opcode.MissionInit:
		p.mission(m)
	case *opcode.EndGame:
		p.state, p.due = GameOver, never
		p.report("the game is over: %v", m.Reason)
	case *opcode.RestartGame:
		p.flight.ship = nil
		p.track(m)
		p.others.wanted = nil
		clear(p.scores)
		p.report("the game restarts")
		p.choose(p.options.Choose)
	default:
		p.scored(m)
	}
}

// mission handles the system and the limits of the game.
func (p *Player) mission(m *opcode.MissionInit) {
	p.match.system = m.System
	limits := ""
	if m.TimeLimit != opcode.NoLimit {
		limits += fmt.Sprintf(", %d minutes", m.TimeLimit)
	}
	if m.FragLimit != opcode.NoLimit {
		limits += fmt.Sprintf(", %d frags", m.FragLimit)
	}
	p.report("plays in %v, at most %d players%s", m.System, m.PlayerLimit, limits)
	if p.state == Joined {
		p.choose(p.options.Choose)
	}
}

// choose makes a player without a ship choose one after a time.
func (p *Player) choose(after time.Duration) {
	p.state, p.due = Joined, never
	if p.options.Ship != nil {
		p.due = p.clock.now + after
	}
}

// score is the score of a player.
type score struct{ kills, deaths, points int32 }

// scored handles a message about scores.
func (p *Player) scored(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.Score:
		p.score(m.PlayerID, func(s *score) { *s = score{m.Kills, m.Deaths, m.Score} })
	case *opcode.ScoreInit:
		p.score(m.PlayerID, func(s *score) { *s = score{m.Kills, m.Deaths, m.Score} })
	case *opcode.ScoreChange:
		p.score(m.KillerID, func(s *score) { s.kills, s.points = m.KillerKills, m.KillerScore })
		p.score(m.VictimID, func(s *score) { s.deaths = m.VictimDeaths })
		for _, d := range m.Damagers {
			p.score(d.ID, func(s *score) { s.points = d.Score })
		}
	}
}

// score changes the score of a player, unless the ID is not one of a peer.
func (p *Player) score(peer objectid.PeerID, change func(*score)) {
	before, known := p.scores[peer]
	after := before
	change(&after)
	if peer.Valid() && (!known || after != before) {
		p.scores[peer] = after
		p.report("%s has %d kills, %d deaths, %d points", p.name(peer), after.kills, after.deaths, after.points)
	}
}

// chat is the state of the chat.
type chat struct {
	greeted bool
	host    opcode.HostChat
}

// Say sends a line of chat to everybody.
func (p *Player) Say(text string) error {
	m, err := opcode.NewChatMessage(p.id, text)
	if err != nil {
		return err
	}
	return p.Send(m)
}

// greet sends the line of the options, once.
func (p *Player) greet() {
	if p.options.Say != "" && !p.chat.greeted {
		p.chat.greeted = p.Say(p.options.Say) == nil
	}
}

// speaker returns the name of the player who said a line of chat that the host has sent.
func (p *Player) speaker(m opcode.Message) string {
	p.chat.host.OpenBC = p.link.OpenBC()
	p.chat.host.Observe(m, objectid.Host)
	id := opcode.Speaker(m, objectid.Host, p.chat.host.Slots())
	if id == objectid.NoPeer {
		return "an unknown player"
	}
	return p.name(id)
}
