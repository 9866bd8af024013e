package transport

import (
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// state is the state of a session. Each session enters later states only.
type state uint8

const (
	stateConnecting state = iota // a client without a peer ID, or a host without a Connect
	stateHalfOpen                // host: the address of the client may be forged
	stateOpen
	stateClosing   // ended; the last message is not acknowledged
	stateLingering // ended; retransmissions are acknowledged
	stateReleased  // over; the memory is released
)

// leaveWait is the silence after which a Disconnect with an old sequence number counts. A peer
// that is alive sends keepalives more often.
const leaveWait = 10 * time.Second

// lifecycle is the state of a session from the handshake to the end: the identity of the client,
// the validation of its address, and the timeouts of the peer.
type lifecycle struct {
	options    *Options
	state      state
	reason     EndReason
	host       bool // this side is the host
	local      bool // host: there is no client; see Hub.Local
	beside     bool // host: the address of the client has another open session
	kept       bool // host: the program has called Keep
	peer       Peer // the other side
	client     clientIdentity
	validation *validation // of a half-open session

	bornAt      time.Duration
	heardAt     time.Duration
	sentAt      time.Duration
	closeUntil  time.Duration // closing: when to give up
	lingerUntil time.Duration
	leavesAt    time.Duration // the peer has left if nothing arrives before; 0: no sign of it
}

// clientIdentity identifies the client of a session.
type clientIdentity struct {
	peer   objectid.PeerID
	ip     [4]byte
	connID uint32
	short  bool // its Connect has the form of OpenBC, without a ConnID
}

// enter changes the state.
func (l *lifecycle) enter(s state) { l.state = s }

func (l *lifecycle) halfOpen() bool { return l.state == stateHalfOpen }
func (l *lifecycle) ended() bool    { return l.state >= stateClosing }

// open reports whether the session is open or half-open.
func (l *lifecycle) open() bool { return l.state == stateOpen || l.state == stateHalfOpen }

// heard records that the peer is alive.
func (l *lifecycle) heard(now time.Duration) {
	l.heardAt, l.leavesAt = now, 0
}

// accepts reports whether a datagram with a peer ID is from the peer.
func (l *lifecycle) accepts(id objectid.PeerID) bool {
	if l.host {
		return id == l.client.peer
	}
	return id == objectid.Host
}

// sender returns the peer ID of this side.
func (l *lifecycle) sender() objectid.PeerID {
	if l.host {
		return objectid.Host
	}
	return l.client.peer
}

// leaves reports whether a message is a Disconnect that ends the session.
func (l *lifecycle) leaves(m *Message) bool {
	if m.Type != TypeDisconnect || l.ended() {
		return false
	}
	body, _ := m.Decode()
	d, ok := body.(*Disconnect)
	return ok && (d.PeerID == l.client.peer || !l.host && d.PeerID == objectid.Host)
}

// closingMessage returns the message that tells the peer the reason for the end.
func (l *lifecycle) closingMessage(reason EndReason) Body {
	switch {
	case !l.host:
		return &Disconnect{PeerID: l.client.peer, IP: l.client.ip}
	case reason == EndClosed:
		return &Disconnect{PeerID: objectid.Host}
	case reason == EndBadFragment:
		return &Boot{PeerID: l.client.peer}
	}
	return &Boot{Reason: BootTimeout, PeerID: l.client.peer}
}

// end records the end of the session.
func (l *lifecycle) end(now time.Duration, s state, reason EndReason) {
	l.enter(s)
	l.reason = reason
	l.closeUntil, l.lingerUntil = forever, now+l.options.linger
}

// startClosing starts the timers of a session that closes. Close does not know the time: the time
// of the session may be the one of an earlier datagram.
func (l *lifecycle) startClosing(now time.Duration) {
	if l.state == stateClosing && l.closeUntil == forever {
		l.closeUntil, l.lingerUntil = now+l.options.CloseTimeout, now+l.options.linger
	}
}

// deadline returns the time at which the state changes by itself.
func (l *lifecycle) deadline() time.Duration {
	switch l.state {
	case stateConnecting:
		if l.host {
			return l.bornAt + l.options.HandshakeTimeout
		}
		return l.bornAt + l.options.PeerTimeout
	case stateHalfOpen, stateOpen:
		due := min(l.heardAt+l.options.PeerTimeout, l.handshakeDeadline())
		if l.leavesAt > 0 {
			due = min(due, l.leavesAt)
		}
		return due
	case stateClosing:
		return l.closeUntil
	case stateLingering:
		return l.lingerUntil
	}
	return forever
}

func (l *lifecycle) handshakeDeadline() time.Duration {
	if !l.halfOpen() {
		return forever
	}
	return l.bornAt + l.options.HandshakeTimeout
}

// keepAliveDue returns the time at which a keepalive must be sent.
func (l *lifecycle) keepAliveDue() time.Duration {
	if !l.open() {
		return forever
	}
	return l.sentAt + l.options.KeepAlive
}

// ackStarts returns the number of sends of an Ack that may start a datagram.
func (l *lifecycle) ackStarts() int {
	if l.ended() {
		return ackSends
	}
	return ackStarts
}

// retransmitAt returns the time at which a message that was sent must be retransmitted.
func (l *lifecycle) retransmitAt(now time.Duration, m *storedMessage) time.Duration {
	due := now + l.options.interval(m)
	if l.state == stateOpen {
		due = min(due, m.firstSent+l.options.SendTimeout)
	}
	return due
}

// unacknowledged reports whether a message in flight has not been acknowledged for too long.
func (l *lifecycle) unacknowledged(now time.Duration, m *storedMessage) bool {
	return l.state == stateOpen && now >= m.firstSent+l.options.SendTimeout
}

// validPeer reports whether a client can have a peer ID.
func validPeer(id objectid.PeerID) bool { return id > objectid.Host && id < 127 && id != '\\' }

// EndReason is the reason why a session has ended. It is not the reason for the end of a game, which
// is an opcode.EndReason.
type EndReason uint8

const (
	EndClosed         EndReason = iota + 1 // Close was called, or Boot, whose message is then [Event].Body
	EndLeft                                // the client has left or the host has shut down; [Event].Body is the Disconnect, or nil if OpenBC sent no body
	EndBooted                              // the host has refused or kicked the client; [Event].Body is the Boot
	EndTimeout                             // the peer has been silent for [Options].PeerTimeout
	EndUnacknowledged                      // a message has not been acknowledged for [Options].SendTimeout
	EndBadFragment                         // a fragment contradicts acknowledged fragments of its payload
	EndFragmentAge                         // a fragmented payload was not completed within 360 s
	EndHandshake                           // a client has no reply after PeerTimeout, or a host has dropped a half-open session, for example after HandshakeTimeout
	EndReplaced                            // a new session of the same address has replaced it
	EndLimit                               // a new session has replaced it at a limit of the [Hub]; see [Session.Keep]
)

// String returns the reason in words.
func (r EndReason) String() string {
	return name(r, "none", "closed", "left", "booted", "timed out", "not acknowledged", "bad fragment",
		"fragments too old", "handshake not completed", "replaced", "limit reached")
}

// receiveConnect receives a datagram of a client without a peer ID, and reads only its Connect. A
// duplicate makes the host send its reply again.
func (s *Session) receiveConnect(d []byte) {
	m, request, ok := findConnect(d)
	switch {
	case !ok:
		s.drop(dropNoConnect)
		return
	case s.life.state == stateConnecting:
		s.connect(request.ConnID, m.Short)
	case request.ConnID != s.life.client.connID:
		s.drop(dropBusyConnect)
		return
	case s.life.halfOpen():
		s.life.heardAt = s.clock.Now
		s.life.validation.received(len(d))
		s.life.validation.due = s.clock.Now
	case !m.Short: // a late duplicate, which does not show that the client is alive
		s.receiveReliable(&m)
	}
	s.counters.Received++
}

// connect makes the session of a host half-open, with the Connect of its client.
func (s *Session) connect(connID uint32, short bool) {
	s.life.enter(stateHalfOpen)
	s.life.validation = &validation{due: s.clock.Now}
	s.life.client.connID, s.life.client.short = connID, short
	s.sender.sendAlways(&ConnectReply{PeerID: s.life.client.peer})
}

// receiveReply opens the session of a client.
func (s *Session) receiveReply(r *ConnectReply) {
	if s.life.host || s.life.state != stateConnecting || !validPeer(r.PeerID) {
		s.drop(dropForged)
		return
	}
	s.life.enter(stateOpen)
	s.life.client.peer = r.PeerID
	s.handshakeAcknowledged()
	s.event(Event{Kind: EventConnected, Body: r})
}

// handshakeAcknowledged removes the first system message, which OpenBC does not acknowledge.
func (s *Session) handshakeAcknowledged() {
	if m := s.sender.handshake(); m != nil && m.sends > 0 {
		s.acknowledged(m)
	}
}

// findConnect returns the first Connect of a datagram. OpenBC's Connect has neither a ConnID nor
// a password.
func findConnect(d []byte) (m Message, r *ConnectRequest, ok bool) {
	off, n := 2, 1
	for i := 0; i < int(d[1]) && n > 0; i++ {
		var err error
		m = Message{}
		n, err = m.parse(d[off:]) // allocates no error, unlike Messages
		off += n
		if err != nil || m.Type != TypeConnect || m.Seq != 0 {
			continue
		}
		body, _ := m.decode()
		if r, ok = body.(*ConnectRequest); ok {
			return m, r, true
		}
		if m.Short {
			return m, &ConnectRequest{}, true
		}
	}
	return m, nil, false
}

// Close ends the session with a Disconnect, which is retransmitted for at most CloseTimeout.
// Unacknowledged payloads are lost. A half-open session, and a client without a reply, send nothing. Serve the session
// until [Session.Flushed]. A second call has no effect.
func (s *Session) Close() {
	switch {
	case s.life.ended():
	case s.life.local:
		s.abort(EndLeft, nil)
	case s.life.state == stateConnecting:
		s.abort(EndClosed, nil)
	default:
		s.disconnect(EndClosed, s.life.closingMessage(EndClosed))
	}
	s.notify(changedDeadline)
}

// Boot is like Close, but a host sends a Boot with the reason instead of a Disconnect, once also to the client of a
// half-open session.
func (s *Session) Boot(reason BootReason) {
	if !s.life.host || !s.life.open() {
		s.Close()
		return
	}
	boot := &Boot{Reason: reason, PeerID: s.life.client.peer}
	switch {
	case s.life.halfOpen() && s.member != nil:
		s.member.hub.bootHalfOpen(s.member, reason)
		s.abort(EndClosed, boot)
		return
	case s.life.local:
		s.abort(EndClosed, boot)
		return
	}
	s.sender.discard(gameChannel)
	s.sender.sendAlways(boot)
	s.end(stateClosing, EndClosed, boot)
	s.notify(changedDeadline)
}

// disconnect ends the session with a closing message, after the earlier messages of the system
// channel.
func (s *Session) disconnect(reason EndReason, closing Body) {
	s.sender.discard(gameChannel)
	s.sender.sendAlways(closing)
	s.end(stateClosing, reason, nil)
}

// abort ends the session without a message to the peer.
func (s *Session) abort(reason EndReason, body Body) {
	s.sender.discard(gameChannel)
	s.sender.discard(systemChannel)
	s.end(stateLingering, reason, body)
}

func (s *Session) end(to state, reason EndReason, body Body) {
	s.receiver.close()
	s.life.end(s.clock.Now, to, reason)
	s.event(Event{Kind: EventEnded, End: reason, Body: body})
	s.notify(changedEnded)
}

// release releases the memory of a session that is over, with the messages that it still had when
// its Hub removed it.
func (s *Session) release() {
	s.life.enter(stateReleased)
	s.sender.discard(systemChannel)
	s.buf = nil
	s.sender.pool = messagePool{}
	s.receiver = receiver{options: s.options, counters: &s.counters, numbers: s.receiver.numbers, closed: true}
}
