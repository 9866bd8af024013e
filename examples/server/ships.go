package main

import (
	"errors"
	"iter"
	"math"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// launch adds the ship that a player has chosen, in place of the ship before.
func (m *match) launch(p *player, msg *opcode.ObjectCreateTeam) (reason string, err error) {
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
	case !p.limits.ships.AllowN(m.now, 1):
		return "rate", nil
	}
	m.removeShip(p, m.players(p)...)
	p.reports, p.ship = reports, change.Ship
	if err := m.updates.AddShip(p.ship); err != nil {
		m.log.Error("ship has no updates", "player", p, "error", err)
	}
	m.log.Info("ship", "player", p, "id", p.ship.ID, "species", p.ship.Species)
	m.send(&opcode.ObjectNotFound{ObjectID: p.ship.ID}, p) // as the game does, whatever the name says
	return "", nil
}

// removeShip removes the ship of a player, if there is one, and the copies of some players.
func (m *match) removeShip(p *player, from ...*player) {
	if p.ship != nil {
		m.send(&opcode.DestroyObject{ObjectID: p.ship.ID}, from...)
		m.updates.RemoveShip(p.ship.ID)
		p.ship = nil
	}
}

// sendShip sends a player the current state of the ship of another player.
func (m *match) sendShip(to, owner *player) {
	if owner.ship != nil {
		if creation, err := owner.ship.Creation(); err == nil {
			m.send(creation, to)
		}
	}
}

// owner returns the player with a ship, or nil.
func (m *match) owner(ship objectid.ID) *player {
	return m.find(func(p *player) bool { return p.ship != nil && p.ship.ID == ship })
}

// updateShips sends the updates that are due.
func (m *match) updateShips() {
	m.updates.Dedicated, m.updates.Modem, m.updates.Players = true, m.modem, 0
	for _, p := range m.slots {
		if p != nil {
			m.updates.Players++
		}
		if p != nil && p.receiver != nil {
			p.receiver.Modem, p.receiver.All = p.modem, m.allShips
		}
	}
	m.sendUpdates(m.updates.Updates(m.gameTime()))
}

func (m *match) sendUpdates(updates iter.Seq2[objectid.PeerID, []byte]) {
	n := 0
	for peer, payload := range updates {
		if s := m.hub.Session(peer); s != nil && s.Send(payload, transport.Unreliable) == nil {
			n++
		}
	}
	m.stats.sent.WithLabelValues(opcode.OpStateUpdate.String()).Add(float64(n))
	if err := m.updates.Err(); err != nil {
		m.log.Error("update does not encode", "error", err)
	}
}

// collide subtracts the force of a collision from the points of the hull, a rule of this program.
// Each client reports the collisions of its own ship.
func (m *match) collide(p *player, msg *opcode.CollisionEffect) (reason string, err error) {
	_, other, ok := msg.Collided()
	hull := p.ship.FirstOf(stateupdate.KindHull)
	if !ok || !m.collisions || hull == nil || hull.Subsystem.MaxCondition == 0 || math.IsNaN(float64(msg.Force)) {
		return "collision", nil
	}
	p.collided.with, p.collided.at = other, m.now
	hull.Condition = stateupdate.LevelOf((hull.Points() - max(0, msg.Force)) / hull.Subsystem.MaxCondition)
	if hull.Condition > 0 {
		return "", nil
	}
	m.destroy(p, m.rammed(p, other))
	return "", nil
}

// rammed returns the player whose ship has destroyed the ship of another player by a collision, or
// nil. Each of the two clients reports the collision of its own ship. If the other client reports
// none, the collision did not happen, and the player would only give away a kill.
func (m *match) rammed(p *player, other objectid.ID) *player {
	killer := m.owner(other)
	switch {
	case killer == nil || killer == p || distance(p.ship, killer.ship) > contactRange:
	case killer.collided.with != p.ship.ID || m.now.Sub(killer.collided.at) > contactTime:
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
