package transport

import (
	"iter"
	"net/netip"
	"time"
)

// Session is one side of the conversation of a host with a client: the reliability of
// the game as a state machine. It has no goroutine, no socket and no clock. Datagrams
// and the time go in, events and datagrams come out; both are deciphered, the caller
// has the cipher and the socket:
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
// Take the events after each datagram, and ask for datagrams after that and when the
// deadline is reached: the timers run there. The time should be that of [time.Now]. It may
// jump: a peer of which nothing was heard within a jump forward has been silent for as
// long, and while the time goes back, it stands still.
//
// A Session is not safe for concurrent use. [NewClient], [NewHost] and [Hub.Accept] make
// sessions. The zero value is a session that has ended: Send returns [ErrNotOpen].
type Session struct {
	options *Options
	clock   *clock
	events  *events

	changed func(change) // tells the hub, nil: the session is by itself
	addr    netip.AddrPort

	host     bool   // this side is the host
	heard    bool   // host: the client has used its peer ID
	proven   bool   // host: the client has shown that it receives
	proof    uint16 // host: the first number in the game channel whose Ack shows it
	dialect  bool   // the peer speaks one
	nameless bool   // host: its Connect was that of OpenBC, without a ConnID
	state    state
	peer     int8
	ip       [4]byte
	connID   uint32
	reason   EndReason

	out    [channels]outbox
	fresh  list // not sent yet
	flight list // sent and not acknowledged, in the order in which they are due
	loose  int  // unreliable messages among the fresh
	bytes  int  // of what is in a list

	in   [channels]inbox
	sets assembly
	lent list // the memory of payloads in events

	acks ackQueue
	pool pool
	buf  []byte // of Datagrams

	bornAt  time.Duration
	heardAt time.Duration
	sentAt  time.Duration
	tickAt  time.Duration
	left    int           // datagrams of this tick
	crowded bool          // the last datagram had no room for what is fresh
	closeAt time.Duration // closing: when to give up
	goneAt  time.Duration // after the end

	counters Counters
}

type state uint8

const (
	connecting state = iota // a client without a peer ID, a host without a Connect
	open
	closing   // ended; the farewell is not acknowledged
	lingering // ended; repetitions are acknowledged
	gone
)

const (
	game = iota
	system
	channels
)

// NewClient returns the session of a client, which sends the request until the host
// answers or [Options].PeerTimeout is over. EventConnected says that it is accepted. It
// fails with [ErrTooLong] for a password of more than 497 bytes, its NUL included, with
// which the request does not fit into a datagram.
//
// Every client needs a new socket, with a port that no earlier session used. Datagrams have
// nothing that names their session: late datagrams of the host's earlier session with that
// port would be delivered as payloads of this one.
func NewClient(now time.Time, request ConnectRequest, o Options) (*Session, error) {
	if m := NewMessage(0, request); m.Len() > maxMessageBytes {
		return nil, alone(m.Type, ErrTooLong)
	}
	s := newSession(&clock{wall: now}, &events{}, o.complete())
	s.peer, s.ip = NoPeer, request.LocalIP
	s.put(system, request)
	return s, nil
}

// NewHost returns the session of a host with a client to which it gives a peer ID, 2 to
// 126 but for 92. It begins with the client's Connect, which is to be passed to Receive. A
// [Hub] does so for any number of clients.
func NewHost(now time.Time, peer int8, o Options) *Session {
	return newHost(&clock{wall: now}, &events{}, o.complete(), peer)
}

func newHost(c *clock, q *events, o *Options, peer int8) *Session {
	s := newSession(c, q, o)
	s.host, s.peer, s.proven = true, peer, true
	return s
}

func newSession(c *clock, q *events, o *Options) *Session {
	t := c.now
	return &Session{
		options: o, clock: c, events: q,
		acks:   ackQueue{repeat: o.RepeatAcks && !o.SeparateFragmentAcks, last: Ack{Flags: AckSystem}},
		bornAt: t, heardAt: t, sentAt: t, tickAt: t - o.Tick,
	}
}

// PeerID returns the peer ID of the client, on either side, and [NoPeer] at a client that
// has not been given one.
func (s *Session) PeerID() int8 {
	s.ready()
	return s.peer
}

// Addr returns the address of the client, if the session belongs to a [Hub].
func (s *Session) Addr() netip.AddrPort { return s.addr }

// Proven reports whether a client has shown that it receives what is sent to its address:
// it has acknowledged the first payload, or, after [Session.Challenge], the first one that was
// sent later, and all payloads before it.
// Until then its address may be forged. The session of a client is always proven, and that
// of a host without a [Hub] until Challenge.
func (s *Session) Proven() bool { return !s.host || s.proven }

// Challenge makes the session of a host unproven until the client acknowledges the next
// reliable payload and all before it: EventProven. A host calls it before it answers a
// message that a forged client can send blindly, and sends no more than the answer until
// the event. An unproven session ends at an Ack of a message that was not sent, and when a
// message has not been acknowledged for [Options].ProofTimeout.
func (s *Session) Challenge() {
	s.proven, s.proof = !s.host, s.out[game].next()
}

// Ended says whether the session has ended, and why.
func (s *Session) Ended() (EndReason, bool) {
	s.ready()
	return s.reason, s.ended()
}

func (s *Session) ended() bool { return s.state >= closing }

// Flushed reports whether all queued messages have been sent and acknowledged, and each Ack
// has been sent once. After [Session.Close] it reports whether the Disconnect has been
// acknowledged or given up.
func (s *Session) Flushed() bool { return s.bytes == 0 && len(s.acks.unsent) == 0 }

// Counters returns what the session has done so far.
func (s *Session) Counters() Counters { return s.counters }

// Events iterates over what has happened, and removes it. Payloads and bodies alias the
// datagrams that they came with or memory of the session; they are valid until the next
// call of Receive, or of the caller's writing to those datagrams. The loop may call any
// method of the session, and may be left: the next one goes on.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { s.events.each(yield) }
}

func (s *Session) event(e Event) {
	e.Session, e.Addr = s, s.addr
	s.events.push(e)
}

// NextDeadline returns when to ask for datagrams again, if nothing happens before; the
// zero Time when the session is over and nothing is left to do. It is in the future
// whenever there were no more datagrams and all events are taken.
func (s *Session) NextDeadline() time.Time {
	s.ready()
	if s.events.len() > 0 {
		return s.clock.wall
	}
	return s.clock.at(s.deadline())
}

func (s *Session) deadline() time.Duration { return min(s.expiry(), s.outputDue()) }
