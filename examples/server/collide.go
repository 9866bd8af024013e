package main

import (
	"math"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// contactRange is how far apart the positions of two ships that collide can be, in units of
// the game: they are those of their centres, as both players last told them.
const contactRange = 100

// collided takes away from the hull of a player's ship what a collision costs: its force
// in points, a rule of this program. Each client reports for its own ship.
func (m *match) collided(p *player, msg *opcode.CollisionEffect) {
	_, other, ok := msg.Collided()
	hull := p.ship.Subsystem("hull")
	if !ok || !m.collisionDamage || hull == nil || hull.Subsystem.MaxCondition == 0 {
		m.stats.drop("collision")
		return
	}
	points := hull.Points() - max(0, msg.Force)
	if math.IsNaN(float64(points)) {
		m.stats.drop("collision")
		return
	}
	hull.Condition = stateupdate.LevelOf(points / hull.Subsystem.MaxCondition)
	if hull.Condition == 0 {
		m.died(p, m.rammer(p.ship, other))
	}
}

// rammer returns the player whose ship has hit another, nil if there is none so near.
func (m *match) rammer(ship *stateupdate.Ship, id objectid.ID) *player {
	other := m.owner(id)
	if other == nil || other.ship == nil || other.ship.ID != id {
		return nil
	}
	var square float64
	for i, x := range ship.Position {
		d := float64(x - other.ship.Position[i])
		square += d * d
	}
	if square > contactRange*contactRange {
		return nil
	}
	return other
}

// owner returns the player whose range an object ID is of, nil if there is none.
func (m *match) owner(id objectid.ID) *player {
	slot, ok := id.Slot()
	if !ok {
		return nil
	}
	return m.slots[slot]
}
