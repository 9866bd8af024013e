package transport

import (
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// state is the state of a session. Each session enters later states only.
type state uint8

const (
	stateConnecting state = iota // a client without a peer ID, or a host without a Connect
	stateHalfOpen                // host: the client has not used its peer ID
	stateOpen
	stateClosing   // ended; the last message is not acknowledged
	stateLingering // ended; retransmissions are acknowledged
	stateReleased  // over; the memory is released
)

// leaveWait is the silence after which a Disconnect with an old sequence number counts. A peer
// that is alive sends keepalives more often.
const leaveWait = 10 * time.Second

// maxReplies is the number of times that a host sends the reply to a Connect unasked.
const maxReplies = 3

// lifecycle is the state of a session from the handshake to the end: the identity of the client,
// whether its address is proven, and the timeouts of the peer.
type lifecycle struct {
	options *Options
	state   state
	reason  EndReason
	host    bool // this side is the host
	beside  bool // host: the address of the client has another open session
	client  clientIdentity
	proof   proof

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

// isProven reports whether the peer has shown that it receives datagrams.
func (l *lifecycle) isProven() bool { return !l.proof.pending }

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
	l.closeUntil, l.lingerUntil = forever, now+l.options.Linger
}

// startClosing starts the timers of a session that closes. Close does not know the time: the time
// of the session may be the one of an earlier datagram.
func (l *lifecycle) startClosing(now time.Duration) {
	if l.state == stateClosing && l.closeUntil == forever {
		l.closeUntil, l.lingerUntil = now+l.options.CloseTimeout, now+l.options.Linger
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

// ackStarts returns the number of sends of an Ack that may start a datagram. The address of a
// half-open client may be forged, so it gets as few datagrams as possible.
func (l *lifecycle) ackStarts() int {
	switch {
	case l.ended():
		return ackSends
	case l.halfOpen():
		return 1
	}
	return ackStarts
}

// retransmitAt returns the time at which a message that was sent must be retransmitted.
func (l *lifecycle) retransmitAt(now time.Duration, m *storedMessage) time.Duration {
	due := now + l.options.interval(m)
	switch {
	case l.halfOpen() && m.sends >= maxReplies:
		return forever // until the client asks again
	case l.halfOpen():
	case l.proof.pending:
		due = now + l.unprovenWait(m)
		if l.open() {
			due = min(due, m.firstSent+proofTimeout)
		}
	case l.state == stateOpen:
		due = min(due, m.firstSent+l.options.SendTimeout)
	}
	return due
}

// unprovenWait returns the time to wait for the Ack of a message to an unproven client.
func (l *lifecycle) unprovenWait(m *storedMessage) time.Duration {
	return l.options.Retransmit * time.Duration(min(m.sends, 3))
}

// unacknowledged reports whether a message in flight has not been acknowledged for too long.
func (l *lifecycle) unacknowledged(now time.Duration, m *storedMessage) bool {
	timeout := l.options.SendTimeout
	if !l.isProven() {
		timeout = min(timeout, proofTimeout)
	}
	return l.state == stateOpen && now >= m.firstSent+timeout
}

// validPeer reports whether a client can have a peer ID.
func validPeer(id objectid.PeerID) bool { return id > objectid.Host && id < 127 && id != '\\' }
