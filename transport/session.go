package transport

import (
	"encoding"
	"iter"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Session is one side of the connection of a host with a client: the reliability of the game
// as a state machine. It has no goroutine, no socket and no clock. Datagrams and the time go
// in, events and datagrams come out. Both are deciphered; the caller has the cipher and the
// socket:
//
//	session.Receive(now, datagram)
//	for e := range session.Events() {
//		...
//	}
//	for d := range session.Datagrams(now) {
//		...
//	}
//	wait(session.NextDeadline()) // no deadline, the zero Time: it is over
//
// Take the events after each datagram. Ask for datagrams after that and when the deadline is
// reached: this runs the timers. The time should come from [time.Now]. It may jump: a jump
// forward counts as silence of the peer, and while the time goes back, it stands still.
//
// A Session is not safe for concurrent use. [NewClient], [NewHost] and [Hub.Accept] make
// sessions. The zero value is a session that has ended: Send returns [ErrNotOpen].
type Session struct {
	// Value belongs to the caller, for the state of a player for example. The session does
	// not use it.
	Value any

	options *Options
	clock   *clock
	events  *events
	addr    netip.AddrPort
	changed func(change) // nil: nobody needs to know

	life     lifecycle
	sender   sender
	receiver receiver
	pace     pace
	buf      []byte // of Datagrams

	counters Counters
}

// change is a change in a session of which its owner is told.
type change uint8

const (
	changedDeadline change = iota // it may have changed
	changedOpened                 // the client has used its peer ID
	changedEnded
)

// maxPassword is the length of the longest password, its NUL included, with which a request fits
// into a datagram.
const maxPassword = maxMessageBytes - 13

// NewClient returns the session of a client. It sends the request until the host answers or
// [Options].PeerTimeout is over. EventConnected means that the host has accepted. NewClient
// returns an error wrapping [ErrTooLong] for a password of more than 497 bytes, its NUL
// included, with which the request does not fit into a datagram.
//
// Every client needs a new socket, with a port that no earlier session used; see the package
// documentation.
func NewClient(now time.Time, request ConnectRequest, o Options) (*Session, error) {
	if n := len(request.Password); n > maxPassword {
		return nil, alone(TypeConnect, &excess{ErrTooLong, "password of # bytes", n, maxPassword})
	}
	s := &Session{}
	s.init(&clock{wall: now}, &events{}, o.complete())
	s.life.client = clientIdentity{peer: objectid.NoPeer, ip: request.LocalIP}
	s.sender.sendAlways(request)
	return s, nil
}

// NewHost returns the session of a host with a client to which it gives a peer ID, 2 to 126
// except 92. The session begins with the client's Connect, which must be passed to Receive. A
// [Hub] does this for any number of clients.
func NewHost(now time.Time, peer objectid.PeerID, o Options) *Session {
	return newHost(&clock{wall: now}, &events{}, o.complete(), peer)
}

func newHost(c *clock, q *events, o *Options, peer objectid.PeerID) *Session {
	s := &Session{}
	s.init(c, q, o)
	s.life.host, s.life.proven, s.life.client.peer = true, true, peer
	return s
}

func (s *Session) init(c *clock, q *events, o *Options) {
	now := c.now
	*s = Session{
		Value:   s.Value,
		options: o, clock: c, events: q,
		life:     lifecycle{options: o, bornAt: now, heardAt: now, sentAt: now},
		sender:   sender{options: o},
		receiver: receiver{options: o, counters: &s.counters},
		pace:     pace{at: now - o.Tick},
	}
	s.receiver.acks = ackQueue{resend: o.stock && !o.SeparateFragmentAcks, last: Ack{Flags: AckSystem}}
}

// ready makes the zero value a session that has ended.
func (s *Session) ready() {
	if s.options == nil {
		s.init(&clock{}, &events{}, Options{}.complete())
		s.life.client.peer, s.life.state, s.life.reason = objectid.NoPeer, stateReleased, EndClosed
	}
}

// PeerID returns the peer ID of the client, on either side. It returns [objectid.NoPeer] for
// a client that has no peer ID yet.
func (s *Session) PeerID() objectid.PeerID {
	s.ready()
	return s.life.client.peer
}

// Addr returns the address of the client, if the session belongs to a [Hub].
func (s *Session) Addr() netip.AddrPort { return s.addr }

// Proven reports whether the client has shown that it receives datagrams sent to its address:
// it has acknowledged the first payload that was sent since [Session.Challenge], and all
// payloads before it. Until then its address may be forged. The session of a client is always
// proven. A host's session is proven until Challenge, which a [Hub] calls for each of its
// sessions.
func (s *Session) Proven() bool { return s.life.isProven() }

// Challenge makes the session of a host unproven until the client acknowledges the next
// reliable payload and all before it: EventProven. A host calls it before it answers a
// message that a forged client can send blindly, and sends no more than the answer until
// the event. An unproven session ends at an Ack of a message that was not sent, and when a
// message has not been acknowledged for 20 seconds.
func (s *Session) Challenge() { s.life.challenge(s.sender.channels[gameChannel].next()) }

// OpenBC reports whether the peer has shown that it is OpenBC, a server and a test client
// with forms of their own. A session with it expects no Acks of system messages, sends each
// Ack once, and sends a keepalive that OpenBC can read. OpenBC's sequence numbers have one
// byte, so the session counts modulo 256 in both directions. OpenBC's server does not: it
// drops a peer some minutes after the 256th reliable message that it sends to the peer. If a
// peer shows no sign of OpenBC before its own 256th message, that message is taken for a copy
// of the first. OpenBC's first Ack is a sign.
func (s *Session) OpenBC() bool { return s.sender.numbers.openBC }

// speaksOpenBC records that the peer is OpenBC. Its sequence numbers wrap after 255
// messages, so an Ack that is sent again could acknowledge another message.
func (s *Session) speaksOpenBC() {
	s.sender.numbers.openBC, s.receiver.numbers.openBC = true, true
	s.receiver.acks.stopResending()
}

// Ended returns the reason for which the session has ended, and whether it has.
func (s *Session) Ended() (EndReason, bool) {
	s.ready()
	return s.life.reason, s.life.ended()
}

// Flushed reports whether all queued messages have been sent and acknowledged, and each Ack
// has been sent once. After [Session.Close] it reports whether the Disconnect has been
// acknowledged or given up.
func (s *Session) Flushed() bool { return s.sender.bytes == 0 && len(s.receiver.acks.unsent) == 0 }

// Counters returns the counters of the session.
func (s *Session) Counters() Counters { return s.counters }

// Events iterates over the events and removes them. Their payloads and bodies alias the
// datagrams that carried them, or memory of the session. They are valid until the next call
// of Receive, or until the caller writes to those datagrams. The loop may call any method of
// the session. If the loop is left, the next one continues.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { s.events.each(yield) }
}

func (s *Session) event(e Event) {
	e.Session, e.Addr = s, s.addr
	s.events.push(e)
}

// Send queues a copy of a payload, opcode first. A payload that is too long for one message,
// more than [MaxUnfragmentedPayload] or 409 bytes if it is unreliable, is sent in fragments,
// which are always reliable. Send returns an error wrapping [ErrTooLong] for more than
// [MaxPayload] bytes. It returns [ErrQueueFull] beyond [Options].MaxQueue or MaxQueueBytes,
// and [ErrNotOpen] before EventConnected at a client and after the end.
func (s *Session) Send(payload []byte, d Delivery) error {
	if s.life.state != stateOpen {
		return ErrNotOpen
	}
	return s.queued(s.sender.send(payload, d))
}

// SendMessage encodes a message of the game and sends it, as Send does. It returns the errors
// of AppendBinary, and then sends nothing. To send one message with many sessions, encode it
// once and call Send.
func (s *Session) SendMessage(m encoding.BinaryAppender, d Delivery) error {
	if s.life.state != stateOpen {
		return ErrNotOpen
	}
	return s.queued(s.sender.sendMessage(m, d))
}

// SendSystem sends a message about another client: a [NameChange], a [Boot] or a
// [Disconnect]. A NameChange may also be about this client. SendSystem fails like Send, and
// with [ErrWrongType] for bodies that the session sends by itself. Boot and Close end the
// session; SendSystem does not.
func (s *Session) SendSystem(body Body) error {
	if s.life.state != stateOpen {
		return ErrNotOpen
	}
	return s.queued(s.sender.sendSystem(body))
}

// queued handles the result of queueing a message.
func (s *Session) queued(err error) error {
	switch err {
	case nil:
		s.tell(changedDeadline)
	case ErrQueueFull:
		s.drop(DropQueueFull)
	}
	return err
}

func (s *Session) drop(r DropReason) { s.counters.Drops[r]++ }

// tell tells the owner of a change.
func (s *Session) tell(c change) {
	if s.changed != nil {
		s.changed(c)
	}
}

// The following methods are for the owner of a session, which shares its clock and its
// events.

func (s *Session) own(addr netip.AddrPort, changed func(change)) { s.addr, s.changed = addr, changed }
func (s *Session) client() clientIdentity                        { return s.life.client }
func (s *Session) adopt(connID uint32)                           { s.life.client.connID = connID }
func (s *Session) ended() bool                                   { return s.life.ended() }
func (s *Session) released() bool                                { return s.life.state == stateReleased }

func (s *Session) silence() time.Duration     { return s.clock.now - s.life.heardAt }
func (s *Session) lingerUntil() time.Duration { return s.life.lingerUntil }
func (s *Session) stop()                      { s.life.state = stateReleased }
