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
	// the host relays, or whose ship it describes, or the player on the host, as the link has announced them
	// until this message. Sender is nil if the player is unknown. That is so in a reliable message of the host
	// that arrives before an earlier one.
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
	// Events are the events that are known since the message; see [Match]. The values may be retained, but not
	// the slice.
	Events []Event
}

func (m *Match) newDecoder() *opcode.Decoder {
	if m.NewDecoder != nil {
		return m.NewDecoder()
	}
	return new(opcode.Decoder)
}

// instant returns the time for an Observer. The clock is not negative. Time.Add would take twice as long.
func instant(now time.Duration) time.Time {
	return time.Unix(1+int64(now/time.Second), int64(now%time.Second))
}

// receive follows the datagram of the step.
func (m *Match) receive(yield func(*Step) bool) {
	step, d := &m.step, &m.step.Datagram
	m.clock.advance(d.Time)
	m.count++
	m.at, m.seen = d.Time, m.clock.now
	if m.decoder == nil {
		m.decoder, m.late = m.newDecoder(), m.newDecoder()
	}
	l := m.link(d)
	step.Link = l
	s := l.server
	l.used, s.used = m.count, m.count
	t := l.traffic(d.FromHost)
	t.Datagrams++
	t.Heard = d.Time
	peer := objectid.PeerID(0)
	if len(d.Data) > 0 {
		peer = objectid.PeerID(int8(d.Data[0]))
	}
	if d.FromHost {
		s.heard, l.hostHeard = true, m.clock.now
	}
	if m.clock.now >= m.routine {
		m.routine = m.clock.now + time.Second
		m.gaps(false)
		m.lapses()
	}
	m.overdue() // once for all messages, which have the same time: there may be many, and many players who wait
	now, more, full := instant(m.clock.now), yield != nil, false
	for o, err := range l.observer.Receive(now, d.FromHost, d.Data) {
		step.Message, step.Err, step.Sender, step.Dialect = o, err, nil, ""
		if o.Reliable || o.Type == transport.TypeAck {
			t.count(o, now)
		}
		full = full || l.overfull(o)
		m.follow(l, peer)
		if more {
			step.Events = m.unseen()
			more = yield(step)
		}
	}
	if full {
		l.observer = transport.Observer{}
	}
	if !d.FromHost {
		l.heard = m.clock.now
	}
}

// connection handles what a message says of the connection, and reports whether the rest of it counts.
func (m *Match) connection(l *Link, peer objectid.PeerID) bool {
	step := &m.step
	if step.Message.NewConnection {
		l.request(step.Message)
	}
	if l.server.match < 0 && step.Err == nil {
		l.server.next()
		l.view.round = l.server.round
	}
	if step.FromHost {
		return peer == objectid.Host
	}
	if step.Err != nil || !l.identify(peer) {
		return false
	}
	step.Sender = l.sender(peer)
	return true
}

// follow handles a message. What a stranger sends does not count.
func (m *Match) follow(l *Link, peer objectid.PeerID) {
	step, o := &m.step, m.step.Message
	counts := !l.Stranger && m.connection(l, peer)
	switch {
	case o.Payload != nil && step.Err == nil:
		m.payload(l, peer, counts)
		return
	case o.Type == transport.TypeAck && counts:
		if a, ok := o.Ack(); ok && o.Acked.Sends == 0 {
			if c := l.channel(!step.FromHost, a.Flags&transport.AckSystem != 0); c.acknowledge(a.Seq, m.clock.now) {
				l.deliverHeld(c)
			}
		}
	}
	step.Game = nil
	step.clear()
	switch {
	case step.Err != nil:
	case o.Type != transport.TypeData:
		step.systemDialect(peer)
		if counts {
			m.system(step, l, o, peer)
		}
	case o.Verdict == transport.VerdictDuplicate && !o.Fragment && len(o.Body) > 0:
		step.Game, step.Err = m.decoder.Decode(o.Body)
		if step.Err == nil {
			l.concern(step)
			l.whose(step, counts)
			step.gameDialect()
		}
	}
}

// payload handles a message that completes a payload.
func (m *Match) payload(l *Link, peer objectid.PeerID, counts bool) {
	step, o := &m.step, m.step.Message
	game, err := m.decoder.Decode(o.Payload)
	step.Game = game
	if u, ok := game.(*opcode.StateUpdate); ok && err == nil && counts {
		l.update(step, u)
		return
	}
	step.clear()
	x := message{at: m.at, seen: m.seen, fromHost: step.FromHost, peer: peer, numbered: o.Reliable, seq: o.Number, low: o.Number != o.Seq, payload: o.Payload, game: game}
	if step.Err = err; err != nil {
		if x.game = nil; counts { // it has a number all the same
			l.inOrder(&x)
		}
		return
	}
	if counts {
		if _, ok := game.(*opcode.Settings); ok && step.FromHost {
			l.arrive()
		}
		if _, ok := game.(*opcode.NewPlayerInGame); ok && !step.FromHost && l.ready == l.since {
			l.ready = m.clock.now
		}
		l.apply(step)
	}
	l.concern(step)
	if counts {
		l.inOrder(&x)
	}
	l.whose(step, counts)
	step.gameDialect()
}

// system handles a message of the transport. What concerns the connection of the client itself is followed at once.
func (m *Match) system(step *Step, l *Link, o *transport.Observation, peer objectid.PeerID) {
	switch b := o.Decoded.(type) {
	case nil:
		if step.FromHost || !o.Short || o.Type != transport.TypeOpenBCDisconnect {
			return
		}
	case *transport.ConnectReply:
		if step.FromHost && (o.Verdict != transport.VerdictDuplicate || l.reassigned(b)) {
			l.reply(b.PeerID)
		}
	case *transport.Boot:
		if step.FromHost && !l.shared() && (!b.PeerID.Valid() || b.PeerID == l.self) {
			if o.Verdict != transport.VerdictDuplicate {
				l.decline(b)
			}
			return
		}
	case *transport.ConnectRequest, *transport.DoNothing:
		return
	}
	if o.Verdict == transport.VerdictDuplicate {
		return
	}
	x := message{at: m.at, seen: m.seen, fromHost: step.FromHost, peer: peer, system: true, numbered: o.Reliable && o.HighPriority, seq: o.Number, low: o.Number != o.Seq, wire: o.Message, body: o.Decoded}
	l.inOrder(&x)
	if b, ok := o.Decoded.(*transport.NameChange); ok && step.FromHost {
		step.Sender = l.view.system.player(max(l.namedPeer(&x, b), 0))
	}
}

// inOrder passes a message on in the order of its channel.
func (l *Link) inOrder(x *message) {
	if !x.numbered || l.shared() {
		l.deliver(x)
		return
	}
	c, t := l.channel(x.fromHost, x.system), l.traffic(x.fromHost)
	for len(c.held) > 0 && (c.far(x) || c.bytes > maxPending) {
		l.skip(c, t)
	}
	if !c.take(x, l.server.now(), t.Datagrams) {
		return
	}
	l.deliver(x)
	if len(c.held) > 0 {
		l.deliverHeld(c)
	}
}

// deliverHeld passes on the messages that a channel has held until now.
func (l *Link) deliverHeld(c *channel) {
	m := l.server.m
	at, seen := m.at, m.seen
	for x := c.following(); x != nil; x = c.following() {
		x.decode(m.late)
		m.at, m.seen = x.at, x.seen
		l.deliver(x)
	}
	m.at, m.seen = at, seen
}

// skip ends a gap of a channel, whose side has sent t.
func (l *Link) skip(c *channel, t *Traffic) {
	c.skip(l.server.now(), t.Datagrams)
	l.deliverHeld(c)
}

// gaps ends the gaps that have reached a limit, or all.
func (l *Link) gaps(all bool) {
	end := func(c *channel, t *Traffic) {
		for len(c.held) > 0 && (all || c.overdue(l.server.now(), t.Datagrams)) {
			l.skip(c, t)
		}
	}
	for i := range l.from {
		end(&l.from[i], &l.FromHost)
		end(&l.to[i], &l.ToHost)
	}
}

// clear clears what a message about a ship sets.
func (step *Step) clear() {
	step.Object, step.Ship, step.Part, step.Change = objectid.None, nil, stateupdate.Part{}, stateupdate.Change{}
}

// update handles a StateUpdate, like most messages. It has no number: what it says of an object belongs to nobody if
// the match knows a later owner of the ID than the link. Of a client, only the motion is applied: the host alone
// knows the subsystems.
func (l *Link) update(step *Step, u *opcode.StateUpdate) {
	s := l.server
	flags := u.Flags
	if !step.FromHost {
		u.Flags &^= opcode.StateSubsystems
	}
	step.Change, step.Err = l.tracker.Apply(u)
	u.Flags = flags
	step.Object, step.Ship, step.Part = u.ObjectID, step.Change.Ship, stateupdate.Part{}
	if !step.FromHost {
		if step.Sender != nil && step.Sender.state == guest {
			l.appear(step.Sender, u)
		}
		return
	}
	if step.Sender = l.pilot(step.Ship); step.Sender == nil && s.lastHolder(l, u.ObjectID) {
		step.Sender = l.owner(u.ObjectID)
	}
	if u.Flags&opcode.StateSubsystems == 0 || step.Ship == nil {
		return
	}
	if step.Ship.OpenBC {
		step.blockDialect(u)
	}
	if s.m.Events {
		l.onDamage(step)
	}
}

// pilot returns the player of a tracked ship, which may be nil, if that is known without a lookup in ships.
func (l *Link) pilot(tracked *stateupdate.Ship) *Player {
	if tracked != nil && tracked.PeerID.Valid() {
		if p := l.view.game.player(tracked.PeerID); p != nil && p.Ship == tracked.ID {
			return p
		}
	}
	return nil
}

// lastHolder reports whether the match knows no later owner of an ID than the link.
func (s *server) lastHolder(l *Link, id objectid.ID) bool {
	x := s.ships[id]
	return x == nil || l.view.ships[id].ship == x
}

// apply applies a payload to the ships of the link. If the ID of a created ship is in use by a ship of an
// earlier player or match, the capture has missed the end of that ship.
//
// Of what a client sends, only the creation of its own ships is applied. The host alone sends the rest.
func (l *Link) apply(step *Step) {
	if g, ok := step.Game.(*opcode.ObjectCreateTeam); !step.FromHost && (!ok || step.Sender != nil && !l.server.mayOwn(step.Sender, g)) {
		return
	}
	step.Change, step.Err = l.tracker.Apply(step.Game)
	if step.Err == nil && !step.Change.Created {
		return
	}
	x, ok := l.view.ships[step.Change.ObjectID]
	if errors.Is(step.Err, stateupdate.ErrExists) && (!ok || x.dead || x.player != nil && x.player.state.over()) {
		l.tracker.Forget(step.Change.ObjectID)
		step.Change, step.Err = l.tracker.Apply(step.Game)
	}
	if ok && step.Change.Created {
		x.behind = true
		l.view.ships[step.Change.ObjectID] = x
	}
}

// concern finds the ship and the part that a message concerns.
func (l *Link) concern(step *Step) {
	id := objectOf(step.Game)
	step.Object = id
	if step.Change.Ship != nil && step.Change.Ship.ID == id {
		step.Ship = step.Change.Ship
	} else if id != objectid.None {
		if step.Ship = l.tracker.Ship(id); step.Ship == nil {
			step.Ship, step.Part, _ = l.tracker.Part(id)
		}
	}
}

// whose finds the sender of a message of the host. In a reliable message before which another one is missing, that
// is not known yet.
func (l *Link) whose(step *Step, counts bool) {
	o := step.Message
	if !step.FromHost || !counts {
		return
	}
	if c := &l.from[gameChannel]; o.Reliable && len(c.held) > 0 && int16(o.Number-c.next) > 0 && !l.shared() {
		return
	}
	step.Sender = l.subject(step.Game, step.Object)
}
