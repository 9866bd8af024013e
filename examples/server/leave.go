package main

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// maxFinished is how many scores of players who have left are kept.
const maxFinished = 64

// left takes leave of a player whose session has ended, and tells the others how.
func (m *match) left(p *player, e transport.Event) {
	delete(m.players, p.session)
	if p.slot != objectid.NoSlot && m.slots[p.slot] == p {
		m.slots[p.slot] = nil
	}
	if p.stage != inGame {
		m.logStranger(p, "left", "how", e.End)
		return
	}
	m.log.Info("left", "player", p, "how", e.End)
	m.updates.RemoveReceiver(p.id())
	others := m.everybody(p)
	m.announceLeave(others, p, e)
	if p.ship != nil {
		m.broadcast(others, &opcode.DestroyObject{ObjectID: p.ship.ID})
		m.scrap(p)
	}
	m.broadcast(others, opcode.NewPlayerLeft(p.id()))
	m.broadcast(others, &opcode.DeletePlayerAnim{Name: text(p.name)})
	m.keep(p)
}

// keep keeps the score of a player who has left.
func (m *match) keep(p *player) {
	if p.score.none() {
		return
	}
	if m.finished = append(m.finished, p.score); len(m.finished) > maxFinished {
		m.finished = m.finished[1:]
	}
}

// announceLeave passes on the Disconnect of a player who has left, or a Boot of one who did
// not leave by itself.
func (m *match) announceLeave(to []*player, p *player, e transport.Event) {
	var body transport.Body = transport.Boot{Reason: p.bootReason, PeerID: p.id()}
	switch e.End {
	case transport.EndLeft:
		body = transport.Disconnect{PeerID: p.id(), IP: p.ip}
	case transport.EndTimeout, transport.EndUnacknowledged, transport.EndHandshake, transport.EndReplaced,
		transport.EndFragmentAge:
		body = transport.Boot{Reason: transport.BootTimeout, PeerID: p.id()}
	}
	for _, other := range to {
		m.sendSystem(other, body)
	}
}

// close sends everybody away, and lets nobody in.
func (m *match) close() {
	m.closed = true
	m.hub.Close()
}
