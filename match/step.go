package match

import (
	"errors"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Step is a message on a link, and what it changes.
type Step struct {
	Datagram // with the message
	Link     *Link
	// Message is the message of the transport, with its verdict: VerdictDuplicate marks a retransmission.
	// Observation.Decoded has the body of a system message.
	Message *transport.Observation
	// Game is the decoded payload, or nil if the message completes none. A retransmission in one message
	// is decoded but changes nothing. With an error, Game may hold a part of the payload.
	Game opcode.Message
	// Err is the error of the message, of the payload, or of the ship that it changes, or nil. An error of
	// a ship concerns a part of the message; the rest has been applied.
	Err error
	// Sender is the player whose message it is. In a message of the host, this is the player whose message
	// the host relays, or whose ship it describes, or the player on the host. Sender is nil if the player is
	// unknown.
	Sender *Player
	// Ship is the ship that the message concerns, as seen on the link, or nil. A shot concerns the ship that
	// fires. Part is the part of the ship, such as the weapon, or the zero value.
	Ship *stateupdate.Ship
	Part stateupdate.Part
	// Change is what the message has changed in Link.Ships.
	Change stateupdate.Change
	// Dialect says how the message differs from the game's form, as with OpenBC, or is empty.
	Dialect string
	// Events are the events that the message has caused, and those that have waited; see [Match]. The
	// values may be retained, but not the slice.
	Events []Event

	changed bool // Change is not zero
}

// instant returns the time for an Observer.
func instant(now time.Duration) time.Time { return time.Unix(1, 0).Add(now) }

// receive follows the datagram of the step.
func (m *Match) receive(yield func(*Step) bool) {
	d := &m.step.Datagram
	m.clock.advance(d.Time)
	m.count++
	l := m.link(d)
	s := l.server
	l.used, s.used = m.count, m.count
	t := l.traffic(d.FromHost)
	t.Datagrams++
	t.Heard = d.Time
	peer := objectid.PeerID(0)
	if len(d.Data) > 0 {
		peer = objectid.PeerID(int8(d.Data[0]))
	}
	game := !transport.IsGameSpy(d.Data)
	s.heard = s.heard || d.FromHost && game
	now, more, full := instant(m.clock.now), true, false
	m.step.Link = l
	for o, err := range l.observer.Receive(now, d.FromHost, d.Data) {
		step := &m.step
		step.Message, step.Err = o, err
		step.Sender, step.Dialect = nil, ""
		m.events = m.events[:0]
		if len(m.waiting) > 0 {
			m.overdue()
		}
		t.count(o, now)
		full = full || l.overfull(o)
		m.follow(step, peer)
		if step.Events = m.events; len(m.events) == 0 {
			step.Events = nil
		}
		more = more && yield(step)
	}
	if full {
		l.observer = transport.Observer{}
	}
	if game && !d.FromHost {
		l.heard = m.clock.now
	}
}

// follow follows a message.
func (m *Match) follow(step *Step, peer objectid.PeerID) {
	l, o := step.Link, step.Message
	if o.NewConnection {
		l.connect()
	}
	if l.server.match < 0 && step.Err == nil {
		l.server.next()
	}
	counts := l.identify(peer, step.FromHost, step.Err)
	if !step.FromHost && counts {
		step.Sender = l.sender(peer)
	}
	if o.Payload != nil && step.Err == nil {
		step.Game, step.Err = m.decoder.Decode(o.Payload)
		u, ok := step.Game.(*opcode.StateUpdate)
		switch {
		case step.Err != nil:
			step.clear()
		case ok:
			l.update(step, u, counts)
		default:
			step.clear()
			l.apply(step)
			l.game(step, counts)
		}
		return
	}
	step.Game = nil
	step.clear()
	switch {
	case step.Err != nil:
	case o.Type != transport.TypeData:
		if o.Verdict != transport.VerdictDuplicate {
			l.system(step, peer, counts)
		}
	case o.Verdict == transport.VerdictDuplicate && !o.Fragment && len(o.Body) > 0:
		step.Game, step.Err = m.decoder.Decode(o.Body)
		if step.Err == nil {
			l.subject(step)
		}
	}
}

// clear clears what a message about a ship sets.
func (step *Step) clear() {
	step.Ship, step.Part = nil, stateupdate.Part{}
	if step.changed {
		step.Change, step.changed = stateupdate.Change{}, false
	}
}

// update follows a StateUpdate, like most messages. Of a client, only the motion is applied: the host alone
// knows the subsystems.
func (l *Link) update(step *Step, u *opcode.StateUpdate, counts bool) {
	s := l.server
	if !step.FromHost && u.Flags&opcode.StateSubsystems != 0 {
		l.motion = *u
		l.motion.Flags &^= opcode.StateSubsystems
		step.Change, step.Err = l.tracker.Apply(&l.motion)
	} else {
		step.Change, step.Err = l.tracker.Apply(u)
	}
	step.changed = true
	step.Ship, step.Part = step.Change.Ship, stateupdate.Part{}
	if step.FromHost {
		step.Sender = s.ownerOf(step.Ship, u.ObjectID)
	} else if counts && step.Sender != nil && !step.Sender.InGame {
		l.sign(step)
	}
	if u.Flags&opcode.StateSubsystems == 0 || step.Ship == nil {
		return
	}
	if step.Ship.OpenBC {
		step.Dialect = "subsystems in the form of OpenBC"
	}
	if s.m.Events && step.FromHost && counts {
		s.damaged(step)
	}
}

// apply applies a payload to the ships of the link. If the ID of a created ship is in use by a ship of an
// earlier player or match, the capture has missed the end of that ship.
//
// Of what a client sends, only the creation of ships is applied. The host alone sends the rest.
func (l *Link) apply(step *Step) {
	if _, ok := step.Game.(*opcode.ObjectCreateTeam); !ok && !step.FromHost {
		return
	}
	step.changed = true
	step.Change, step.Err = l.tracker.Apply(step.Game)
	if step.Err == nil || !errors.Is(step.Err, stateupdate.ErrExists) {
		return
	}
	if x := l.server.ships[step.Change.ObjectID]; x == nil || x.dead || x.player != nil && x.player.left {
		l.tracker.Forget(step.Change.ObjectID)
		step.Change, step.Err = l.tracker.Apply(step.Game)
	}
}

// sender returns the player who sends a datagram of the client.
func (l *Link) sender(peer objectid.PeerID) *Player {
	if l.shared() {
		return l.server.present(peer)
	}
	return l.Player
}

// identify finds the player of the link, and reports whether the datagram counts. A datagram of a client
// does not count if it has the peer ID of another player, or if the host does not answer the client although
// it answers others: the host ignores the client.
func (l *Link) identify(peer objectid.PeerID, fromHost bool, err error) bool {
	s := l.server
	if fromHost {
		return peer == objectid.Host
	}
	if s.heard && l.FromHost.Datagrams == 0 || err != nil {
		return false
	}
	if !peer.Valid() || peer == objectid.Host {
		return peer == objectid.NoPeer
	}
	if l.shared() {
		if s.present(peer) == nil {
			s.begin(peer)
		}
		return true
	}
	switch {
	case l.self == peer:
		return true
	case l.assigned:
		return false
	}
	if p := s.present(peer); p != nil && p.Link != nil && p.Link != l && s.now()-p.Link.heard < silence {
		return false
	}
	l.assign(peer)
	return true
}

// assign makes the player with a peer ID the player of the link.
func (l *Link) assign(peer objectid.PeerID) {
	s := l.server
	if l.Player != nil && l.Player.PeerID != peer {
		s.dropped(l.Player)
		l.detach()
	}
	p := s.present(peer)
	if p == nil || p.Link != nil && p.Link != l || l.begun && s.now()-p.since > window {
		p = s.begin(peer)
	}
	l.self, l.over = peer, false
	l.attach(p)
}

// Types of the transport that only OpenBC sends.
const openBCDisconnect transport.Type = 6

// system follows a message of the transport.
func (l *Link) system(step *Step, sender objectid.PeerID, counts bool) {
	s, o := l.server, step.Message
	if o.Short || o.Decoded == nil && o.Type != transport.TypeAck {
		step.Dialect = "not a form of the stock game"
	}
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
		if p := l.addressee(b.PeerID); step.FromHost && p != nil {
			reason := kicked
			if b.Reason == transport.BootTimeout {
				reason = timedOut
			}
			s.end(p, reason)
		}
	case nil:
		if !step.FromHost && o.Short && o.Type == openBCDisconnect {
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

// addressee returns the player to whom the host sends a message on the link.
func (l *Link) addressee(peer objectid.PeerID) *Player {
	if l.shared() {
		return l.server.player(peer)
	}
	return l.Player
}

// reply follows the peer ID that the host assigns to the client.
func (l *Link) reply(peer objectid.PeerID) {
	s := l.server
	switch {
	case l.shared():
		s.begin(peer)
	case l.self != peer || l.Player == nil || l.over:
		l.begun = true
		l.assign(peer)
		l.assigned = true
	default:
		l.assigned = true
	}
}

// named follows a NameChange.
func (l *Link) named(step *Step, sender objectid.PeerID, b *transport.NameChange) {
	s, o, name := l.server, step.Message, b.Name.String()
	peer := b.PeerID
	if !step.FromHost {
		if peer != sender {
			step.Dialect = "names another peer than the sender"
		}
		if p := step.Sender; p != nil && !p.left {
			s.once.add(textKey(keyOf(aboutName, int64(p.PeerID)), clip(name)), s.now())
			s.rename(p, name, l, true)
		}
		return
	}
	if o.Reliable && !o.HighPriority && peer >= 0 { // OpenBC has the slot
		peer += 2
		step.Dialect = "has the slot of the player"
	}
	if !peer.Valid() {
		return
	}
	p := s.player(peer)
	again := !s.first(textKey(keyOf(aboutName, int64(peer)), clip(name)), l, true)
	if p == nil || p.left {
		if again && p != nil {
			step.Sender = p
			return // it is late
		}
		p = s.begin(peer)
	} else if p.doubtful && p.Name != clip(name) {
		p = s.begin(peer)
	}
	step.Sender = p
	s.rename(p, name, l, false)
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
		s.gone(keyOf(aboutLeaveSystem, int64(peer)), s.player(peer), l)
	}
}

// gone follows the announcement that a player has left. A key is of one way to announce it.
func (s *server) gone(key uint64, p *Player, l *Link) {
	again := s.once.match(key, 0, l, true, s.now(), window)
	if again || p == nil || p.left {
		return
	}
	s.leave(p, "")
	s.once.match(key, 0, l, true, s.now(), window) // this link has told
}
