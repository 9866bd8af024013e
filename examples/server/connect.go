package main

import (
	"net/netip"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// connect accepts a client or turns it away. After the end of a match nobody is let in
// until the next one begins: a client asks again every second.
func (m *match) connect(e transport.Event) {
	request, _ := e.Body.(transport.ConnectRequest)
	old := m.giveWay(e.Addr)
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
	case old == nil && m.freeSlot() < 0:
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
	m.makeRoom(old)
	p := &player{
		session: session, slot: m.freeSlot(), ip: request.LocalIP,
		budget: newBudget(), farewell: transport.BootRemoved,
		encoders: map[objectid.ID]*stateupdate.Encoder{},
	}
	m.players[session], m.slots[p.slot] = p, p
	var first *opcode.ChecksumRequest
	p.exchange, first = m.files.NewExchange()
	p.deadline = m.now.Add(checksum.RoundTimeout)
	m.send(p, first)
}

func (m *match) refuse(e transport.Event, reason transport.BootReason) {
	m.stats.drop("refused connect")
	m.log.Debug("refused", "addr", e.Addr, "reason", reason)
	m.hub.Refuse(e, reason)
}

// giveWay returns the player who goes when a client of an address is accepted, nil if
// nobody does: the one of that address or, if the match is full, the oldest of those who
// have not used their peer ID.
func (m *match) giveWay(addr netip.AddrPort) (old *player) {
	full := m.freeSlot() < 0
	for _, p := range m.slots {
		switch {
		case p == nil:
		case p.session.Addr() == addr:
			return p
		case full && !p.heard && (old == nil || p.deadline.Before(old.deadline)):
			old = p
		}
	}
	return old
}

// makeRoom takes leave of a player in whose place another comes. The event of its end
// finds nobody.
func (m *match) makeRoom(old *player) {
	if old == nil {
		return
	}
	old.dismiss(transport.BootTimeout) // unless the hub has replaced its session
	m.left(old, transport.Event{End: transport.EndReplaced})
}

// freeSlot returns the lowest slot that is free, -1 if the match is full.
func (m *match) freeSlot() int {
	for i, p := range m.slots[:m.maxPlayers] {
		if p == nil {
			return i
		}
	}
	return -1
}
