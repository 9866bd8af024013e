package match

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// system follows a message of the transport.
func (l *Link) system(step *Step, sender objectid.PeerID, counts bool) {
	s, o := l.server, step.Message
	if !counts {
		return
	}
	switch b := o.Decoded.(type) {
	case *transport.ConnectReply:
		if step.FromHost && b.PeerID.Valid() && b.PeerID != objectid.Host {
			l.reply(b.PeerID)
		}
	case *transport.NameChange:
		l.named(step, sender, b)
	case *transport.Disconnect:
		l.disconnect(step, b.PeerID)
	case *transport.Boot:
		if step.FromHost {
			l.booted(step, b)
		}
	case nil:
		if !step.FromHost && o.Short && o.Type == transport.TypeOpenBCDisconnect {
			s.end(step.Sender, left)
		}
	}
}

// end ends the connection of a player for a reason, also if the leave waits for one.
func (s *server) end(p *Player, reason string) {
	if p != nil && p.leaving {
		p.report(reason)
	} else {
		s.leave(p, reason)
	}
}

// booted follows a Boot: of the client itself, or the announcement that another player is kicked.
func (l *Link) booted(step *Step, b *transport.Boot) {
	s, reason := l.server, kicked
	if b.Reason == transport.BootTimeout {
		reason = timedOut
	}
	switch {
	case l.shared():
		s.end(s.player(b.PeerID), reason)
	case l.trial && !b.PeerID.Valid(): // only the Connect is refused
		l.trial = false
	case !b.PeerID.Valid() || b.PeerID == l.self:
		s.end(l.Player, reason)
	default:
		l.parts(step, b.PeerID, reason)
	}
}

// reply follows the peer ID that the host assigns to the client.
func (l *Link) reply(peer objectid.PeerID) {
	s := l.server
	if l.trial {
		if l.offer = peer; l.self != peer {
			return // a datagram of the client shows whether the Connect is the client's
		}
		l.connect()
	}
	switch {
	case l.shared():
		s.begin(peer)
	case l.heldElsewhere(peer): // a host may promise an ID to several clients; the first that uses it gets it
		l.trial, l.offer = true, peer
	case l.self != peer || l.Player == nil || l.over:
		l.begun, l.replied = true, s.now()
		l.assign(peer)
		l.assigned = true
	default:
		l.assigned = true
	}
}

// reassigned reports whether a retransmitted reply assigns another peer ID. A host that has given up a client
// replies so to the next retransmission of the same Connect. Once the client has told its name, such a reply
// is late.
func (l *Link) reassigned(o *transport.Observation) bool {
	b, ok := o.Decoded.(*transport.ConnectReply)
	return ok && b.PeerID != l.self && l.assigned && l.Player != nil && !l.Player.own
}

// named follows a NameChange.
func (l *Link) named(step *Step, sender objectid.PeerID, b *transport.NameChange) {
	s, o, name := l.server, step.Message, b.Name.String()
	peer := b.PeerID
	if !step.FromHost {
		if p := step.Sender; p != nil && !p.left {
			s.once.add(textKey(keyOf(aboutName, int64(p.PeerID)), clip(name)), s.now())
			s.rename(p, name, l, true)
		}
		return
	}
	if hasSlot(o, b) {
		peer = objectid.Slot(peer).PeerID()
	}
	if !peer.Valid() {
		return
	}
	p := s.player(peer)
	again := !s.first(textKey(keyOf(aboutName, int64(peer)), clip(name)), l, true)
	if p == nil || p.left {
		if p != nil && (again || p.Name == clip(name) && s.toldLeave(peer, l) && !l.follows(o, peer)) {
			step.Sender = p
			return // it is late
		}
		p = s.begin(peer)
	} else if p.doubtful && p.Name != clip(name) || p.vanished() && p.Link != l {
		p = s.begin(peer)
	}
	step.Sender = p
	if p.named == l && p.numbered == l.since && overtaken(o.Seq, p.number) {
		return
	}
	s.rename(p, name, l, p == l.Player)
	if p.named == l {
		p.number, p.numbered = o.Seq, l.since
	}
}

// parts follows the announcement of the system channel that a player has left, for a reason or "".
func (l *Link) parts(step *Step, peer objectid.PeerID, reason string) {
	if step.Message.Reliable {
		l.parted[peer].set(step.Message.Seq)
	}
	switch p := l.server.player(peer); {
	case p != nil && p.leaving && reason != "":
		p.report(reason)
	case l.Player == nil && l.heldElsewhere(peer): // only the promise of the peer ID to this client ends
	default:
		l.server.gone(keyOf(aboutLeaveSystem, int64(peer)), p, l, reason)
	}
}

// follows reports whether the host has sent a message after it has announced on the link that a player has left.
func (l *Link) follows(o *transport.Observation, peer objectid.PeerID) bool {
	return o.Reliable && l.parted[peer] > 0 && !l.parted[peer].after(o.Seq)
}

// number is the sequence number of a message plus one, or 0 for none.
type number uint32

func (n *number) set(seq uint16) { *n = number(seq) + 1 }

// after reports whether a message with the number was sent after the one with seq.
func (n number) after(seq uint16) bool { return n > 0 && overtaken(seq, uint16(n-1)) }

// overtaken reports whether a message is older than the last one. A host puts the last messages of high priority
// first into a datagram. OpenBC does not number them, and peers of OpenBC count modulo 256.
func overtaken(seq, last uint16) bool {
	ahead := int16(seq - last)
	return ahead < 0 && ahead > -maxGap
}

// toldLeave reports whether the host has announced the leave of the last player with a peer ID on the system
// channel or on another link, and has not announced it on the game channel of a link yet.
func (s *server) toldLeave(peer objectid.PeerID, l *Link) bool {
	return s.once.find(keyOf(aboutLeaveGame, int64(peer)), 0, l, true, s.now(), window) >= 0
}

// disconnect follows a Disconnect: of the client, or of another player or the host.
func (l *Link) disconnect(step *Step, peer objectid.PeerID) {
	s := l.server
	switch {
	case !step.FromHost:
		s.end(step.Sender, left)
	case peer == objectid.Host:
		if !l.shared() {
			s.end(l.Player, kicked)
		}
	case peer.Valid():
		l.parts(step, peer, "")
	}
}

// gone follows the announcement that a player has left, for a reason or "". A key is of one way to announce
// it.
func (s *server) gone(key uint64, p *Player, l *Link, reason string) {
	again := s.once.match(key, 0, l, true, s.now(), window)
	if again || p == nil || p.left {
		return
	}
	s.leave(p, reason)
	s.once.match(key, 0, l, true, s.now(), window) // this link has told
}
