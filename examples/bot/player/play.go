package player

import (
	"time"

	"github.com/bcwire/bcwire/examples/bot/pilot"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// match is the game that the host has described.
type match struct {
	slot  objectid.Slot // NoSlot before Settings
	began time.Duration // when the clock of the game was 0
}

// gameTime returns the time of the game's clock, which continues the host's.
func (p *Player) gameTime() float32 { return float32((p.clock.now - p.match.began).Seconds()) }

// start takes the slot and the time of the game from Settings.
func (p *Player) start(s *join.State) {
	slot := s.Self.Slot
	p.ids = objectid.Allocator{Slot: slot}
	p.match = match{slot, p.clock.now - p.clock.wall.Sub(s.Began)}
	p.flight.pilot = pilot.New(p.options.Seed<<8+uint64(slot), p.options.Skill)
	p.flight.pilot.Peaceful = !p.options.Fire
	p.report("accepted as player %d in slot %d of %s", s.Self.PeerID, slot, s.Settings.Map)
}

// choose makes a player without a ship choose one after a time.
func (p *Player) choose() {
	p.state, p.due = Joined, never
	if p.options.Ship == nil {
		p.greet()
		return
	}
	p.due = p.clock.now + p.options.Choose
}

// greet sends the line of the options, once.
func (p *Player) greet() {
	if p.options.Say != "" && !p.greeted {
		p.greeted = p.Say(p.options.Say) == nil
	}
}

// play handles a message of the game. The client has handled it before.
func (p *Player) play(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.StateUpdate:
		p.update(m, m.ObjectID)
	case *opcode.ObjectCreateTeam:
		p.created(m, m.ObjectID)
	case *opcode.ObjectCreate:
		p.created(m, m.ObjectID)
	case *opcode.DestroyObject:
		p.remove(m.ObjectID, "")
	case *opcode.PythonEvent:
		p.exploding(m)
	case *opcode.ObjectNotFound:
		p.want(m.ObjectID)
	case *opcode.EnterSet:
		p.update(m, m.ObjectID)
	case *opcode.ChatMessage:
		p.report("%s: %s", p.speaker(m), m.Text)
	case *opcode.TeamChatMessage:
		p.report("%s to the team: %s", p.speaker(m), m.Text)
	case *opcode.MissionInit:
		p.report("plays in %v, at most %d players", m.System, m.PlayerLimit)
	case *opcode.EndGame:
		if p.playing() {
			p.state, p.due = GameOver, never
			p.report("the game is over: %v", m.Reason)
		}
	case *opcode.RestartGame:
		p.flight.ship = nil
		p.track(m)
		p.others.wanted = nil
		p.players = p.client.State() // the scores begin again
		if p.playing() {
			p.report("the game restarts")
			p.choose()
		}
	}
}

// speaker returns the name of the player who said a line of chat that the host has sent.
func (p *Player) speaker(m opcode.Message) string {
	if id := p.client.Speaker(m); id != objectid.NoPeer {
		return p.players.NameOf(id)
	}
	return "an unknown player"
}
