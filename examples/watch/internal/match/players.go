package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport/recording"
)

// playerMessage applies a message about players.
func (w *world) playerMessage(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.Settings:
		w.update(w.self, func(p *Player) {
			p.Slot = slotOf(m.PlayerSlot)
			if m.Renamed && !m.Opaque {
				p.Name = text(m.NewName.String())
			}
		})
	case *opcode.DeletePlayerUI:
		if player, ok := m.Joined(); ok {
			w.join(player, "")
		} else if player, ok := m.Left(); ok {
			w.leave(player)
		}
	case *opcode.DeletePlayerAnim:
		w.leaveNamed(text(m.Name.String()))
	case *opcode.Score:
		w.update(known(m.PlayerID), func(p *Player) { p.Kills, p.Deaths, p.Score = m.Kills, m.Deaths, m.Score })
	case *opcode.ScoreInit:
		w.update(known(m.PlayerID), func(p *Player) {
			p.Kills, p.Deaths, p.Score, p.Team = m.Kills, m.Deaths, m.Score, teamOf(m.Team)
		})
	case *opcode.TeamMessage:
		w.update(known(m.PlayerID), func(p *Player) { p.Team = teamOf(m.Team) })
	case *opcode.ScoreChange:
		w.scored(m)
	case *opcode.ChatMessage:
		w.said("chat", m, text(m.Text.String()))
	case *opcode.TeamChatMessage:
		w.said("teamchat", m, text(m.Text.String()))
	}
}

func teamOf(t opcode.Team) *int {
	if t == opcode.TeamNone {
		return nil
	}
	team := int(t)
	return &team
}

// join reports a player who joins, or whose name changes. The name may be empty if it is unknown.
// A peer ID that is used again is another player.
func (w *world) join(peer objectid.PeerID, name string) {
	if !peer.Valid() {
		return
	}
	p := w.players[peer]
	joins := p == nil || !p.Here
	if joins {
		p = &Player{Peer: peer, Name: name, Here: true}
		w.players[peer] = p
	}
	if !joins && (name == "" || name == p.Name) {
		return
	}
	if name != "" {
		p.Name = name
	}
	w.playerChanged(p)
	if joins {
		w.log(Event{Kind: "join", Peer: peerOf(peer)})
	}
}

// leave reports a player who leaves. Several messages report it; only the first counts.
func (w *world) leave(peer objectid.PeerID) {
	p := w.players[peer]
	if p == nil || !p.Here {
		return
	}
	p.Here = false
	w.playerChanged(p)
	w.log(Event{Kind: "leave", Peer: peerOf(peer)})
}

// leaveNamed reports that the player with a name leaves, if there is exactly one.
func (w *world) leaveNamed(name string) {
	var found []objectid.PeerID
	for peer, p := range w.players {
		if p.Here && p.Name == name {
			found = append(found, peer)
		}
	}
	if len(found) == 1 {
		w.leave(found[0])
	}
}

// update changes a player. A player who was not heard of before is here.
func (w *world) update(peer objectid.PeerID, change func(p *Player)) {
	if !peer.Valid() {
		return
	}
	p := w.players[peer]
	if p == nil {
		p = &Player{Peer: peer, Here: true}
		w.players[peer] = p
	}
	before := *p
	change(p)
	if !same(&before, p) {
		w.playerChanged(p)
	}
}

// same reports whether two states of a player have the same values.
func same(a, b *Player) bool {
	x, y := *a, *b
	x.Slot, x.Team, y.Slot, y.Team = nil, nil, nil, nil
	return x == y && equal(a.Slot, b.Slot) && equal(a.Team, b.Team)
}

func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func (w *world) playerChanged(p *Player) {
	if w.roster != nil {
		w.roster()
	}
	if w.change == nil {
		return
	}
	own := *p
	w.emit(&PlayerChanged{w.head("player"), &own})
}

// scored applies the scores after a death.
func (w *world) scored(m *opcode.ScoreChange) {
	var parts []string
	set := func(peer objectid.PeerID, format string, value int32, change func(p *Player)) {
		if peer.Valid() {
			w.update(peer, change)
			parts = append(parts, w.name(peer)+" "+fmt.Sprintf(format, value))
		}
	}
	set(m.KillerID, "has %d points", m.KillerScore, func(p *Player) { p.Kills, p.Score = m.KillerKills, m.KillerScore })
	for _, d := range m.Damagers {
		if d.ID != m.KillerID {
			set(d.ID, "has %d points", d.Score, func(p *Player) { p.Score = d.Score })
		}
	}
	set(m.VictimID, "has died %d times", m.VictimDeaths, func(p *Player) { p.Deaths = m.VictimDeaths })
	w.log(Event{Kind: "score", Peer: peerOf(m.KillerID), Other: peerOf(m.VictimID), Text: clip(strings.Join(parts, ", "))})
}

// recentChat is a line that the client has sent and the host has not sent back yet.
type recentChat struct {
	kind, text string
	at         float64
}

// echoTime is the time in seconds within which a host sends a line back to its sender.
const echoTime = 5

// said reports a line of chat. The host sends the line of a client back to the client, which is
// not a second line.
func (w *world) said(kind string, m opcode.Message, line string) {
	from := objectid.Host
	if w.sent == recording.ToServer {
		from = w.self // a client can write any peer ID into the message
	}
	w.chat.Observe(m, from)
	sender := opcode.Speaker(m, from, w.chat.Slots())
	w.chats = slices.DeleteFunc(w.chats, func(c recentChat) bool { return w.header.Time-c.at > echoTime })
	if w.sent == recording.ToServer {
		if len(w.chats) < 16 {
			w.chats = append(w.chats, recentChat{kind, line, w.header.Time})
		}
	} else if sender == w.self {
		i := slices.IndexFunc(w.chats, func(c recentChat) bool { return c.kind == kind && c.text == line })
		if i >= 0 {
			w.chats = slices.Delete(w.chats, i, i+1)
			return
		}
	}
	w.log(Event{Kind: kind, Peer: peerOf(sender), Text: line})
}

// name returns the name of a player, or one made of the peer ID.
func (w *world) name(peer objectid.PeerID) string {
	if p := w.players[peer]; p != nil && p.Name != "" {
		return p.Name
	}
	if !peer.Valid() {
		return ""
	}
	return "peer " + peer.String()
}
