package join

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// enterFleet follows the ship of a player who has entered the game, and sends it the ships of the others.
func (h *Host) enterFleet(m *Member) {
	if h.options.Ships == nil {
		return
	}
	m.tracker = &stateupdate.Tracker{Classes: h.options.Ships, MaxShips: 1, MaxUnknown: 1}
	m.receiver = h.fleet.AddReceiver(m.PeerID)
	for _, other := range h.others(m) {
		if creation, err := other.tracker.Ship(other.Ship).Creation(); err == nil {
			h.Send(creation, m)
		}
	}
}

// leaveFleet removes a player who has left, and its ship, for the players who know it.
func (h *Host) leaveFleet(m *Member, told []*Member) {
	if h.options.Ships == nil {
		return
	}
	h.replaceShip(m, objectid.None, told)
	h.fleet.RemoveReceiver(m.PeerID)
	m.tracker = nil
}

// replaceShip gives a player another ship, or none, and makes players remove the one before.
func (h *Host) replaceShip(m *Member, id objectid.ID, told []*Member) {
	if m.Ship != objectid.None {
		h.fleet.RemoveShip(m.Ship)
		h.Send(&opcode.DestroyObject{ObjectID: m.Ship}, told...)
	}
	m.Ship = id
}

// follow applies a message of a player to its ship.
func (h *Host) follow(from *Member, m opcode.Message) {
	if from.tracker == nil {
		return
	}
	change, err := from.tracker.Apply(m)
	if change.Created {
		h.replaceShip(from, change.ObjectID, h.Members())
		err = h.fleet.AddShip(change.Ship)
	}
	if err != nil {
		h.log.Debug("ship", "player", from, "error", err)
	}
}

// forget forgets the ship that a message to all players destroys.
func (h *Host) forget(m opcode.Message) {
	gone := objectid.None
	switch m := m.(type) {
	case *opcode.DestroyObject:
		gone = m.ObjectID
	case *opcode.PythonEvent:
		if m.Code == opcode.ETObjectExploding {
			gone = m.Dest
		}
	}
	if gone == objectid.None || h.options.Ships == nil {
		return
	}
	if owner := h.find(func(m *Member) bool { return m.Ship == gone }); owner != nil {
		h.loseShip(owner)
	}
}

// loseShip forgets the ship of a player, which the clients remove by themselves.
func (h *Host) loseShip(m *Member) {
	if m.tracker != nil {
		m.tracker.Forget(m.Ship)
		h.fleet.RemoveShip(m.Ship)
	}
	m.Ship = objectid.None
}

// sendUpdates sends the updates of the ships that are due.
func (h *Host) sendUpdates() {
	if h.options.Ships == nil {
		return
	}
	h.fleet.Dedicated, h.fleet.Modem = true, h.options.Settings.HostModem
	for _, m := range h.Members() {
		m.receiver.Modem = m.Modem
	}
	updates, err := h.fleet.Advance(h.GameTime())
	for _, u := range updates {
		if s := h.hub.Session(u.Receiver); s != nil {
			_ = s.Send(u.Payload, transport.Unreliable)
		}
	}
	if err != nil {
		h.log.Debug("update", "error", err)
	}
}
