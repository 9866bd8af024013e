package main

import (
	"errors"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// launch takes the ship that a player has chosen, in place of the one before. It says
// whether the ship is new.
func (m *match) launch(p *player, msg *opcode.ObjectCreateTeam) bool {
	switch {
	case m.ended:
		m.stats.drop("ended")
		return false
	case p.ship != nil && p.ship.ID == msg.ObjectID:
		m.stats.drop("repeated ship")
		return false
	}
	told := &stateupdate.Tracker{MaxShips: 1, MaxUnknown: 1}
	change, err := told.Apply(msg)
	if errors.Is(err, stateupdate.ErrNotFinite) || err != nil && !errors.Is(err, stateupdate.ErrNoClass) {
		m.drop(p, msg.Opcode(), "malformed", err)
		return false
	}
	if change.Ship == nil { // not a ship
		m.stats.drop("not a ship")
		return false
	}
	if !p.budget.launches.AllowN(m.now, 1) {
		m.stats.drop("rate")
		return false
	}
	if p.ship != nil {
		m.broadcast(m.everybody(p), &opcode.DestroyObject{ObjectID: p.ship.ID})
		m.scrap(p)
	}
	p.told, p.ship = told, change.Ship
	m.log.Info("ship", "player", p, "id", p.ship.ID, "species", p.ship.Species)
	m.send(p, &opcode.ObjectNotFound{ObjectID: p.ship.ID}) // the game does so, whatever the name
	return true
}

// scrap forgets the ship of a player.
func (m *match) scrap(p *player) {
	if p.ship == nil {
		return
	}
	for _, other := range m.players {
		delete(other.encoders, p.ship.ID)
	}
	p.ship = nil
}

// moved takes what a player says of its ship.
func (m *match) moved(p *player, msg *opcode.StateUpdate) {
	if _, err := p.told.Update(msg); err != nil {
		m.drop(p, msg.Opcode(), "state", err)
	}
}

// sendShip tells a player of the ship of another, as it is now.
func (m *match) sendShip(to, owner *player) {
	if owner.ship == nil {
		return
	}
	creation, err := owner.ship.Creation()
	if err != nil {
		m.log.Error("ship does not encode", "player", owner, "error", err)
		return
	}
	m.send(to, creation)
}

// requested answers a client that has missed the creation of a ship.
func (m *match) requested(p *player, id objectid.ID) {
	for _, owner := range m.everybody(p) {
		if owner.ship != nil && owner.ship.ID == id {
			m.sendShip(p, owner)
		}
	}
}

// updateShips tells everybody in the game about every ship, its owner included, who
// learns the state of the subsystems.
func (m *match) updateShips() {
	now := m.gameTime()
	all := m.everybody(nil)
	for _, to := range all {
		for _, owner := range all {
			if owner.ship != nil {
				m.update(to, owner, now)
			}
		}
	}
}

func (m *match) update(to, owner *player, now float32) {
	e := to.encoders[owner.ship.ID]
	if e == nil {
		e = &stateupdate.Encoder{Role: stateupdate.HostToOther}
		if to == owner {
			e.Role = stateupdate.HostToOwner
		}
		to.encoders[owner.ship.ID] = e
	}
	payload, err := e.Append(m.buf[:0], now, owner.ship)
	if err != nil {
		m.log.Error("update does not encode", "player", owner, "error", err)
		return
	}
	m.buf = payload
	if len(payload) > 0 {
		m.sendPayload(to, payload, transport.Unreliable)
	}
}
