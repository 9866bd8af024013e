package game

import (
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// enter sends a player the ships.
func (m *Match) enter(member *join.Member) {
	p := &player{Member: member, receiver: m.updates.AddReceiver(member.PeerID)}
	m.restore(p)
	for _, other := range m.players() {
		m.sendShip(p, other)
	}
	member.Value = p
}

// leave removes the ships of a player who has left, with those that explode, and keeps the score. Nobody saves a damaged
// ship by leaving.
func (m *Match) leave(member *join.Member, _ transport.EndReason) {
	p := member.Value.(*player)
	m.updates.RemoveReceiver(p.PeerID)
	if m.fights(p) && len(p.damage) > 0 {
		m.destroy(p, nil, objectid.None)
	}
	m.removeShip(p, m.Members()...)
	for _, id := range p.fleet { // the wrecks of all who come and go would fill the world
		m.world.Remove(id)
	}
	if p.Kills == 0 && p.Deaths == 0 && p.Points == 0 {
		return
	}
	m.keepScore(p)
}

// message acts on a message that its sender may send, and relays it.
func (m *Match) message(from *join.Member, msg opcode.Message) {
	p := from.Value.(*player)
	m.fight()
	reason, err := m.act(p, msg)
	if reason == "" {
		m.Relay(from, msg)
		return
	}
	m.options.Dropped(reason)
	m.log.Debug("dropped", "player", p, "reason", reason, "error", err)
}

// act acts on a message. A message that is dropped for a reason is not relayed.
func (m *Match) act(p *player, msg opcode.Message) (reason string, err error) {
	switch msg := msg.(type) {
	case *opcode.ObjectCreateTeam:
		return m.launch(p, msg)
	case *opcode.StateUpdate:
		if p.ship == nil {
			return "no ship", nil
		}
		before := p.ship.Motion
		if _, err := p.reports.Apply(msg); err != nil {
			return "state", err
		}
		return m.moved(p, before, msg)
	case *opcode.CollisionEffect:
		return m.collide(p, msg)
	case *opcode.RequestObject: // the client has missed the creation of a ship
		if owner := m.owner(msg.ObjectID); owner != nil && owner != p {
			m.sendShip(p, owner)
		}
	case *opcode.HostMessage: // self-destruction
		m.destroy(p, nil, objectid.None)
	case *opcode.TeamMessage:
		if m.GameTime()-p.launched < teamTime {
			p.side = msg.Team
		}
	case *opcode.ChatMessage:
		m.log.Info("chat", "player", p, "text", msg.Text.String())
	default:
		return m.apply(p, msg)
	}
	return "", nil
}

// owner returns the player with a ship, or nil.
func (m *Match) owner(ship objectid.ID) *player {
	for _, p := range m.players() {
		if p.ship != nil && p.ship.ID == ship {
			return p
		}
	}
	return nil
}
