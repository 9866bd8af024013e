package match

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// hearers returns to whom the host passes on a line.
func hearers(kind EventKind) audience {
	if kind == TeamChat {
		return team
	}
	return everybody
}

func lineKey(g *opcode.ChatMessage) uint64 {
	return textKey(keyOf(opcode.OpChatMessage), string(g.Text))
}

// claimLine handles a line of chat of a client, whose own line it is whatever peer ID it writes.
func (l *Link) claimLine(p *Player, kind EventKind, g *opcode.ChatMessage) {
	if !l.server.m.Events {
		return
	}
	l.claim(p, hearers(kind), lineKey(g), func(x *act) { x.event = l.server.line(kind, p, g) })
}

// onChat handles a line that the host passes on, or says itself.
func (l *Link) onChat(kind EventKind, g *opcode.ChatMessage) {
	s := l.server
	peer := l.speakerID(g)
	p := l.newcomer(peer, "")
	switch {
	case p == nil:
		p = &s.nobody
	case !l.begun && peer != objectid.Host:
		s.sign(p)
	}
	if !s.m.Events {
		return
	}
	l.hear(p, hearers(kind), lineKey(g), func(x *act) {
		if x.event = s.line(kind, p, g); p == &s.nobody {
			x.event.Player = labelOf(peer)
		}
	})
}

// line returns the event of a line of chat.
func (s *server) line(kind EventKind, p *Player, g *opcode.ChatMessage) *Event {
	e := s.draft(kind, p)
	e.Text = clip(g.Text.String())
	return e
}

// speaker returns the player whose line of chat a message of the host is.
func (l *Link) speaker(g *opcode.ChatMessage) *Player { return l.holder(l.speakerID(g), "") }

// speakerID returns the peer ID of the speaker. OpenBC writes slots.
func (l *Link) speakerID(g *opcode.ChatMessage) objectid.PeerID {
	return opcode.Speaker(g, objectid.Host, l.server.openBC(l))
}
