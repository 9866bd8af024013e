package main

import (
	"fmt"
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
	m.log.Info("left", "player", p, "how", e.End)
	others := m.everybody(p)
	m.farewell(others, p, e)
	if p.stage != inGame {
		return
	}
	if p.ship != nil {
		m.broadcast(others, &opcode.DestroyObject{ObjectID: p.ship.ID})
		m.scrap(p)
	}
	m.broadcast(others, opcode.NewPlayerLeft(uint8(p.id())))
	m.broadcast(others, &opcode.DeletePlayerAnim{Name: text(p.name)})
	if m.finished = append(m.finished, p.score); len(m.finished) > maxFinished {
		m.finished = m.finished[1:]
	}
}

// farewell passes on the Disconnect of a player who has left, or a Boot of one who did
// not leave by itself.
func (m *match) farewell(to []*player, p *player, e transport.Event) {
	var body transport.Body = transport.Boot{Reason: transport.BootRemoved, PeerID: p.id()}
	switch e.End {
	case transport.EndLeft:
		body = transport.Disconnect{PeerID: p.id(), IP: p.ip}
	case transport.EndTimeout, transport.EndUnacknowledged, transport.EndHandshake:
		body = transport.Boot{Reason: transport.BootTimeout, PeerID: p.id()}
	}
	for _, other := range to {
		m.sendSystem(other, body)
	}
}

// kick dismisses a player, and says whether there is one of that name.
func (m *match) kick(name string) bool {
	p := m.find(name)
	if p == nil {
		return false
	}
	p.session.Boot(transport.BootRemoved)
	return true
}

// say sends a line of the host to everybody.
func (m *match) say(line string) {
	m.broadcast(m.everybody(nil), &opcode.ChatMessage{SenderID: int32(transport.Host), Text: text(clipped(line))})
}

// maxChat is the length of a line of chat.
const maxChat = 249

func clipped(s string) string { return s[:min(len(s), maxChat)] }

// unique returns a name that nobody has, without control characters.
func (m *match) unique(name string) string {
	name = strings.TrimSpace(strings.Map(printable, name))
	if name == "" {
		name = "Player"
	}
	if runes := []rune(name); len(runes) > maxNameLength {
		name = string(runes[:maxNameLength])
	}
	unique := name
	for i := 2; m.find(unique) != nil; i++ {
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	return unique
}

func printable(r rune) rune {
	if r < 0x20 || r == 0x7F {
		return -1
	}
	return r
}
