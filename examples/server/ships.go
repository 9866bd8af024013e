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
	reports := &stateupdate.Tracker{MaxShips: 1, MaxUnknown: 1}
	change, err := reports.Apply(msg)
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
	p.reports, p.ship = reports, change.Ship
	m.log.Info("ship", "player", p, "id", p.ship.ID, "species", p.ship.Species)
	m.send(p, &opcode.ObjectNotFound{ObjectID: p.ship.ID}) // the game does so, whatever the name
	return true
}

// wreck sends the players who get updates of a ship one in which all of it is destroyed,
// beginning with the first subsystem, and forgets the ship.
func (m *match) wreck(p *player) {
	for _, s := range p.ship.Subsystems {
		clear(s.Parts)
	}
	for i := range p.ship.Subsystems {
		p.ship.Subsystems[i].Condition = 0
	}
	m.forgetUpdates(p.ship.ID)
	m.updateShip(p)
	m.scrap(p)
}

// scrap forgets the ship of a player.
func (m *match) scrap(p *player) {
	if p.ship == nil {
		return
	}
	m.forgetUpdates(p.ship.ID)
	p.ship = nil
}

// forgetUpdates forgets what the players have been sent about a ship.
func (m *match) forgetUpdates(id objectid.ID) {
	for _, p := range m.players {
		delete(p.encoders, id)
	}
}

// moved takes what a player says of its ship.
func (m *match) moved(p *player, msg *opcode.StateUpdate) {
	if _, err := p.reports.Apply(msg); err != nil {
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

// updateShips sends the updates of all ships that are due. The owner of a ship learns the
// state of its subsystems.
func (m *match) updateShips() {
	for _, owner := range m.everybody(nil) {
		m.updateShip(owner)
	}
}

// updateShip sends the players the updates of one ship that are due.
func (m *match) updateShip(owner *player) {
	if owner.ship == nil {
		return
	}
	c := stateupdate.Cadence{Host: true, Dedicated: true, Modem: m.hostModem}
	for _, p := range m.slots {
		if p != nil {
			c.Players++
		}
	}
	for _, to := range m.everybody(nil) {
		c.PeerModem = to.modem
		m.update(&c, to, owner)
	}
}

// update sends a player the update of a ship, if the game would send one now. The target of
// the player is not known: TargetChanged names the one before. It matters only with the
// distances of the cadence, which are not known either.
func (m *match) update(c *stateupdate.Cadence, to, owner *player) {
	e := to.encoders[owner.ship.ID]
	if e == nil {
		e = &stateupdate.Encoder{Role: stateupdate.HostToOther}
		if to == owner {
			e.Role = stateupdate.HostToOwner
		}
		to.encoders[owner.ship.ID] = e
	}
	if !m.plainUpdates && !c.Prepare(e, owner.ship, to.ship, objectid.None) {
		return
	}
	payload, err := e.Append(m.buf[:0], m.gameTime(), owner.ship)
	if err != nil {
		m.log.Error("update does not encode", "player", owner, "error", err)
		return
	}
	m.buf = payload
	if len(payload) > 0 {
		m.sendPayload(to, payload, transport.Unreliable)
	}
}
