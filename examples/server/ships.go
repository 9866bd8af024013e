package main

import (
	"errors"
	"iter"
	"slices"

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
	m.broadcastShip(p)
	m.log.Info("ship", "player", p, "id", p.ship.ID, "species", p.ship.Species)
	m.send(p, &opcode.ObjectNotFound{ObjectID: p.ship.ID}) // the game does so, whatever the name
	return true
}

// wreck sends the players who get updates of a ship one in which all of it is destroyed,
// beginning with the first subsystem, and forgets the ship.
func (m *match) wreck(p *player) {
	for i := range p.ship.Subsystems {
		p.ship.Subsystems[i].Condition = 0
		clear(p.ship.Subsystems[i].Parts)
	}
	m.broadcastShip(p)
	m.sendUpdates(m.updates.ShipUpdates(m.gameTime(), p.ship.ID))
	m.scrap(p)
}

// scrap forgets the ship of a player.
func (m *match) scrap(p *player) {
	if p.ship == nil {
		return
	}
	m.updates.RemoveShip(p.ship.ID)
	p.ship = nil
}

// broadcastShip lets the players get updates of a ship, from the beginning.
func (m *match) broadcastShip(p *player) {
	if err := m.updates.AddShip(p.ship); err != nil {
		m.log.Error("ship has no updates", "player", p, "error", err)
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

// updateShips sends the updates of all ships that are due. The target of a player is not known:
// TargetChanged names the one before. It matters only with the distances of the cadence, which
// are not known either.
func (m *match) updateShips() {
	m.updates.Cadence = stateupdate.Cadence{Dedicated: true, Modem: m.hostModem}
	for _, p := range m.slots {
		if p == nil {
			continue
		}
		m.updates.Cadence.Players++
		if p.receiver != nil {
			p.receiver.Modem, p.receiver.All = p.modem, m.plainUpdates
		}
	}
	m.sendUpdates(m.updates.Updates(m.gameTime()))
}

// sendUpdates sends updates to their receivers.
func (m *match) sendUpdates(updates iter.Seq2[objectid.PeerID, []byte]) {
	for peer, payload := range updates {
		i := slices.IndexFunc(m.slots[:], func(p *player) bool { return p != nil && p.id() == peer })
		if i >= 0 {
			m.sendPayload(m.slots[i], payload, transport.Unreliable)
		}
	}
	if err := m.updates.Err(); err != nil {
		m.log.Error("update does not encode", "error", err)
	}
}
