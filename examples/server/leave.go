package main

import (
	"context"
	"log/slog"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// maxFinished is how many scores of players who have left are kept.
const maxFinished = 64

// left takes leave of a player whose session has ended, and tells the others how.
func (m *match) left(p *player, e transport.Event) {
	delete(m.players, p.session)
	m.slots[p.slot] = nil
	level := slog.LevelInfo
	if !p.heard {
		level = slog.LevelDebug // its address may be forged
	}
	m.log.Log(context.Background(), level, "left", "player", p, "how", e.End)
	if p.name != "" {
		m.farewell(m.named(), p, e)
	}
	others := m.everybody(p)
	if p.stage != inGame {
		return
	}
	if p.ship != nil {
		m.broadcast(others, &opcode.DestroyObject{ObjectID: p.ship.ID})
		m.scrap(p)
	}
	m.broadcast(others, opcode.NewPlayerLeft(uint8(p.id())))
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

// farewell passes on the Disconnect of a player who has left, or a Boot of one who did
// not leave by itself.
func (m *match) farewell(to []*player, p *player, e transport.Event) {
	var body transport.Body = transport.Boot{Reason: p.farewell, PeerID: p.id()}
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

// kick dismisses the player of a name, or with the peer ID of "#PEER", and says whether
// there is one.
func (m *match) kick(who string) bool {
	p := m.find(who)
	if id, ok := strings.CutPrefix(who, "#"); ok && p == nil {
		p = m.peer(id)
	}
	if p == nil {
		return false
	}
	p.dismiss(transport.BootRemoved)
	return true
}

// peer returns the player with a peer ID, nil if there is none.
func (m *match) peer(id string) *player {
	for _, p := range m.slots {
		if p != nil && strconv.Itoa(int(p.id())) == id {
			return p
		}
	}
	return nil
}

// close sends everybody away, and lets nobody in.
func (m *match) close() {
	m.closed = true
	m.hub.Close()
}

// maxChat is the length of a line of chat.
const maxChat = 249

// say sends a line of the host to everybody.
func (m *match) say(line string) {
	t := text(line)
	m.broadcast(m.everybody(nil), &opcode.ChatMessage{SenderID: int32(transport.Host), Text: t[:min(len(t), maxChat)]})
}
