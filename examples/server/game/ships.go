package game

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// launch adds the ship that a player has chosen, in place of the ship before.
func (m *Match) launch(p *player, msg *opcode.ObjectCreateTeam) (reason string, err error) {
	reports := &stateupdate.Tracker{MaxShips: 1, MaxUnknown: 1}
	change, err := reports.Apply(msg)
	switch {
	case m.ended:
		return "ended", nil
	case p.ship != nil && p.ship.ID == msg.ObjectID:
		return "repeated ship", nil
	case errors.Is(err, stateupdate.ErrNotFinite), err != nil && !errors.Is(err, stateupdate.ErrNoClass):
		return "malformed", err
	case change.Ship == nil:
		return "not a ship", nil
	}
	if m.fights(p) && m.world.Ship(p.ship.ID).Used() { // its damage and its missing torpedoes would be gone
		m.destroy(p, nil, objectid.None)
	}
	m.removeShip(p, slices.DeleteFunc(m.Members(), func(other *join.Member) bool { return other == p.Member })...)
	p.reports, p.ship, p.Ship = reports, change.Ship, change.ObjectID
	p.side, p.launched = p.Team, m.GameTime()
	if err := m.updates.AddShip(p.ship); err != nil {
		m.log.Error("ship has no updates", "player", p, "error", err)
	}
	m.enlist(p)
	m.log.Info("ship", "player", p, "id", p.ship.ID, "species", p.ship.Species)
	m.Send(&opcode.ObjectNotFound{ObjectID: p.ship.ID}, p.Member) // as the game does, whatever the name says
	return "", nil
}

// removeShip removes the ship of a player, if there is one, and the copies of some players.
func (m *Match) removeShip(p *player, from ...*join.Member) {
	if p.ship != nil {
		m.Send(&opcode.DestroyObject{ObjectID: p.ship.ID}, from...)
		m.updates.RemoveShip(p.ship.ID)
		if m.fights(p) && m.world.Ship(p.ship.ID).Alive() { // others may fire at a ship that explodes, until they know
			m.world.Remove(p.ship.ID)
		}
		p.ship, p.Ship = nil, objectid.None
	}
}

// sendShip sends a player the current state of the ship of another player.
func (m *Match) sendShip(to, owner *player) {
	if owner.ship != nil {
		if creation, err := owner.ship.Creation(); err == nil {
			m.Send(creation, to.Member)
		}
	}
}

// updateShips sends the updates that are due.
func (m *Match) updateShips() {
	m.updates.Dedicated, m.updates.Modem, m.updates.Players = true, m.options.Host.Settings.HostModem, 0
	for s := range m.Hub().Sessions() {
		if member, ok := s.Value.(*join.Member); ok && member.Slot != objectid.NoSlot {
			m.updates.Players++
		}
	}
	for _, p := range m.players() {
		p.receiver.Modem, p.receiver.All = p.Modem, m.options.AllShips
	}
	m.sendUpdates(m.updates.Advance(m.GameTime()))
}

func (m *Match) sendUpdates(updates []stateupdate.Update, err error) {
	for _, u := range updates {
		if s := m.Hub().Session(u.Receiver); s != nil {
			_ = s.Send(u.Payload, transport.Unreliable) // the session may have ended
		}
	}
	if err != nil {
		m.log.Error("update does not encode", "error", err)
	}
}

// collide damages a ship by a collision. Each client reports the collisions of its own ship. For a ship
// without combat, the force is subtracted from the points of the hull, a rule of this program.
func (m *Match) collide(p *player, msg *opcode.CollisionEffect) (reason string, err error) {
	if p.ship == nil {
		return "no ship", nil
	}
	_, other, ok := msg.Collided()
	hull := p.ship.FirstOf(stateupdate.KindHull)
	switch {
	case !m.options.Host.Settings.CollisionDamage:
		return "collision", nil
	case m.fights(p):
		return m.apply(p, msg)
	case !ok || hull == nil || hull.Subsystem.MaxCondition == 0 || math.IsNaN(float64(msg.Force)):
		return "collision", nil
	}
	p.collided.with, p.collided.at = other, m.GameTime()
	hull.Condition = stateupdate.LevelOf((hull.Points() - max(0, msg.Force)) / hull.Subsystem.MaxCondition)
	if hull.Condition > 0 {
		return "", nil
	}
	m.destroy(p, m.rammed(p, other), other)
	return "", nil
}

// rammed returns the player whose ship has destroyed the ship of another player by a collision, or
// nil. Each of the two clients reports the collision of its own ship. If the other client reports
// none, the collision did not happen, and the player would only give away a kill.
func (m *Match) rammed(p *player, other objectid.ID) *player {
	killer := m.owner(other)
	switch {
	case killer == nil || killer == p || distance(p.ship, killer.ship) > contactRange:
	case killer.collided.with != p.ship.ID || m.GameTime()-killer.collided.at > contactTime:
	default:
		return killer
	}
	return nil
}

const (
	contactRange = 100             // of two ships that collide, in units of the game
	contactTime  = 2 * time.Second // between the reports of a collision
)

// distance returns the distance of two ships by the last updates of their players.
func distance(a, b *stateupdate.Ship) float64 {
	p, q := a.Position, b.Position
	return math.Hypot(math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1])), float64(p[2]-q[2]))
}
