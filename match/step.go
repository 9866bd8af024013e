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
	// Observation.Decoded has the body of a system message. NewConnection marks the message with which the
	// Match begins a connection: a Connect, or what shows that the host has accepted the Connect of a client
	// that was connected before.
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
	// Object is the object that the message concerns: a ship, a part such as the weapon that fires, another
	// object, or None.
	Object objectid.ID
	// Ship is the ship that is the Object or has it as a part, as seen on the link, or nil. Part is the part
	// of the ship, or the zero value.
	Ship *stateupdate.Ship
	Part stateupdate.Part
	// Change is what the message has changed in Link.Ships.
	Change stateupdate.Change
	// Dialect describes how the message differs from the messages of the game, as with OpenBC, or is empty.
	// Several differences are joined by "; ". If the SenderID of a line of chat is not the peer ID of its speaker,
	// Dialect has the name of the speaker.
	Dialect string
	// Events are the events that the message has caused, and those that have waited; see [Match]. The
	// values may be retained, but not the slice.
	Events []Event

	changed bool // Change is not zero
}

// instant returns the time for an Observer. The clock is not negative. Time.Add would take twice as long.
func instant(now time.Duration) time.Time {
	return time.Unix(1+int64(now/time.Second), int64(now%time.Second))
}

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
	s.heard = s.heard || d.FromHost
	now, more, full := instant(m.clock.now), true, false
	m.step.Link, m.step.Events, m.events = l, nil, m.events[:0]
	for o, err := range l.observer.Receive(now, d.FromHost, d.Data) {
		step := &m.step
		step.Message, step.Err = o, err
		step.Sender, step.Dialect = nil, ""
		if len(m.events) > 0 {
			step.Events, m.events = nil, m.events[:0]
		}
		if len(m.waiting) > 0 {
			m.overdue()
		}
		if o.Reliable || o.Type == transport.TypeAck {
			t.count(o, now)
		}
		full = full || l.overfull(o)
		m.follow(step, l, o, peer)
		if len(m.events) > 0 {
			step.Events = m.events
		}
		more = more && yield(step)
	}
	if full {
		l.observer = transport.Observer{}
	}
	if !d.FromHost {
		l.heard = m.clock.now
	}
}

// follow follows a message.
func (m *Match) follow(step *Step, l *Link, o *transport.Observation, peer objectid.PeerID) {
	if o.NewConnection {
		l.request()
	}
	if l.server.match < 0 && step.Err == nil {
		l.server.next()
	}
	counts := peer == objectid.Host
	if !step.FromHost {
		if l.knows(peer) && step.Err == nil {
			step.Sender, counts = l.Player, true
		} else if counts = l.identify(peer, step.Err); counts {
			step.Sender = l.sender(peer)
		}
	}
	if o.Payload != nil && step.Err == nil {
		game, err := m.decoder.Decode(o.Payload)
		step.Game = game
		switch u, ok := game.(*opcode.StateUpdate); {
		case err != nil:
			step.Err = err
			step.clear()
		case ok:
			l.update(step, u, counts)
		default:
			step.clear()
			if counts {
				if step.FromHost {
					l.signs.Follow(l.observer.Host(), game, l.self, func(id objectid.PeerID) bool { return l.server.present(id) != nil })
				}
				l.apply(step)
			}
			l.game(step, counts)
			step.gameDialect()
		}
		return
	}
	step.Game = nil
	step.clear()
	switch {
	case step.Err != nil:
	case o.Type != transport.TypeData:
		step.systemDialect(peer)
		if o.Verdict != transport.VerdictDuplicate || l.reassigned(o) {
			l.system(step, peer, counts)
		}
	case o.Verdict == transport.VerdictDuplicate && !o.Fragment && len(o.Body) > 0:
		step.Game, step.Err = m.decoder.Decode(o.Body)
		if step.Err == nil {
			l.subject(step)
			step.gameDialect()
		}
	}
}

// clear clears what a message about a ship sets.
func (step *Step) clear() {
	step.Object, step.Ship, step.Part = objectid.None, nil, stateupdate.Part{}
	if step.changed {
		step.Change, step.changed = stateupdate.Change{}, false
	}
}

// update follows a StateUpdate, like most messages. Of a client, only the motion is applied: the host alone
// knows the subsystems.
func (l *Link) update(step *Step, u *opcode.StateUpdate, counts bool) {
	s := l.server
	if !counts {
		step.clear()
		l.subject(step)
		step.blockDialect(u)
		return
	}
	if !step.FromHost && u.Flags&opcode.StateSubsystems != 0 {
		l.motion = *u
		l.motion.Flags &^= opcode.StateSubsystems
		step.Change, step.Err = l.tracker.Apply(&l.motion)
	} else {
		step.Change, step.Err = l.tracker.Apply(u)
	}
	step.changed = true
	step.Object, step.Ship = u.ObjectID, step.Change.Ship
	if step.Part.Subsystem != nil {
		step.Part = stateupdate.Part{}
	}
	if step.FromHost {
		if step.Sender = s.pilot(step.Ship); step.Sender == nil {
			step.Sender = s.owner(u.ObjectID)
		}
	} else if counts && step.Sender != nil && !step.Sender.InGame {
		l.sign(step)
	}
	if u.Flags&opcode.StateSubsystems == 0 || step.Ship == nil {
		return
	}
	if step.Ship.OpenBC {
		step.blockDialect(u)
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

// knows reports whether the host answers a client with its own peer ID, as in most datagrams.
func (l *Link) knows(peer objectid.PeerID) bool {
	return l.self == peer && peer != 0 && l.FromHost.Datagrams > 0
}

// identify finds the player of the link, and reports whether a datagram of the client counts. It does not
// if it has the peer ID of another player, or if the host does not answer the client although
// it answers others: the host ignores the client.
func (l *Link) identify(peer objectid.PeerID, err error) bool {
	s := l.server
	if s.heard && l.FromHost.Datagrams == 0 || err != nil {
		return false
	}
	if !peer.Valid() || peer == objectid.Host { // such as that of a Connect
		return false
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
	case l.trial && l.offer == peer: // the client has restarted
		l.connect()
		l.assign(peer)
		l.assigned = true
		return true
	case l.assigned, l.trial, l.refused():
		return false
	}
	if l.heldElsewhere(peer) {
		return false
	}
	l.assign(peer)
	return true
}

// heldElsewhere reports whether the client of another link has used a peer ID lately.
func (l *Link) heldElsewhere(peer objectid.PeerID) bool {
	p := l.server.present(peer)
	return p != nil && p.Link != nil && p.Link != l && p.Link.ToHost.Datagrams > 0 && l.server.now()-p.Link.heard < silence
}

// refused reports whether the host has answered the Connect of the client without a peer ID: the client has none.
func (l *Link) refused() bool {
	return l.begun && !l.assigned && !l.settings && l.FromHost.Datagrams > 0
}

// earlyTime is the longest time for which other links may show a player before the link of the player does.
const earlyTime = 10 * time.Second

// assign makes the player with a peer ID the player of the link.
func (l *Link) assign(peer objectid.PeerID) {
	s := l.server
	if l.Player != nil && l.Player.PeerID != peer {
		s.dropped(l.Player)
		l.detach()
	}
	p := s.present(peer)
	if p == nil || p.Link != nil && p.Link != l || l.begun && s.now()-p.since > earlyTime {
		p = s.begin(peer)
	}
	l.self, l.over = peer, false
	l.attach(p)
}
