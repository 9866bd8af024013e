package main

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// connect accepts a client or turns it away. The client has no slot yet: its address may be
// forged. After the end of a match nobody is let in until the next one begins: a client
// asks again every second.
func (m *match) connect(e transport.Event) {
	request, _ := e.Body.(transport.ConnectRequest)
	switch {
	case m.closed:
		m.stats.drop("closed")
		return
	case request.Password.String() != m.password:
		m.refuse(e, transport.BootPassword)
		return
	case m.ended:
		m.stats.drop("ended")
		return
	case m.freeSlot() == objectid.NoSlot && m.unproven() == nil && !m.replaces(e):
		m.refuse(e, transport.BootTooManyPlayers)
		return
	}
	session, err := m.hub.Accept(e)
	if err != nil {
		m.log.Debug("not accepted", "addr", e.Addr, "error", err)
		m.refuse(e, transport.BootTooManyPlayers)
		return
	}
	if m.players[session] != nil {
		return // a copy of a Connect that was accepted
	}
	p := &player{
		session: session, slot: objectid.NoSlot, ip: request.LocalIP,
		budget: newBudget(), bootReason: transport.BootRemoved,
	}
	m.players[session] = p
	var first *opcode.ChecksumRequest
	p.exchange, first = m.files.NewExchange()
	p.deadline = m.now.Add(p.exchange.Timeout())
	m.send(p, first)
}

func (m *match) refuse(e transport.Event, reason transport.BootReason) {
	m.stats.drop("refused connect")
	m.log.Debug("refused", "addr", e.Addr, "reason", reason)
	m.hub.Refuse(e, reason)
}

// replaces reports whether a client has a slot from an earlier session.
func (m *match) replaces(e transport.Event) bool {
	for _, p := range m.slots {
		if p != nil && p.session.Addr() == e.Addr {
			return true
		}
	}
	return false
}

// takeSlot gives a player a slot. If none is free, the player who has had one longest
// without showing that it receives gives it up. It reports whether there was one.
func (m *match) takeSlot(p *player) bool {
	slot := m.freeSlot()
	if slot == objectid.NoSlot {
		old := m.unproven()
		if old == nil {
			return false
		}
		slot = old.slot
		old.dismiss(transport.BootTimeout)
		m.left(old, transport.Event{End: transport.EndReplaced})
	}
	p.slot, p.slotSince = slot, m.now
	m.slots[slot] = p
	return true
}

// freeSlot returns the lowest slot that is free, objectid.NoSlot if the match is full.
func (m *match) freeSlot() objectid.Slot {
	for i, p := range m.slots[:m.maxPlayers] {
		if p == nil {
			return objectid.Slot(i)
		}
	}
	return objectid.NoSlot
}

// unproven returns the player who has had a slot longest without showing that it receives,
// nil if all have.
func (m *match) unproven() (oldest *player) {
	for _, p := range m.slots {
		if p != nil && p.stage != inGame && (oldest == nil || p.slotSince.Before(oldest.slotSince)) {
			oldest = p
		}
	}
	return oldest
}
