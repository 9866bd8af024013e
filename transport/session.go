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

	hub   *Hub // nil: the session is by itself
	addr  netip.AddrPort
	place int // in the hub; -1: not any more
	turn  int // in its agenda

	host     bool // this side is the host
	heard    bool // host: the client has used its peer ID
	dialect  bool // the peer speaks one
	nameless bool // host: its Connect was that of OpenBC, without a ConnID
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

	acks    []Ack
	lastAck Ack
	pool    pool
	buf     []byte // of Datagrams

	ackedAt time.Duration // when the first of acks was put there
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
	s.host, s.peer = true, peer
	return s
}

func newSession(c *clock, q *events, o *Options) *Session {
	t := c.now
	return &Session{
		options: o, clock: c, events: q, lastAck: Ack{Flags: AckSystem},
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

// Ended says whether the session has ended, and why.
func (s *Session) Ended() (EndReason, bool) {
	s.ready()
	return s.reason, s.ended()
}

func (s *Session) ended() bool { return s.state >= closing }

// Flushed says whether nothing waits to be sent or acknowledged. After [Session.Close]
// it says that the farewell has arrived, or that it is repeated no more.
func (s *Session) Flushed() bool { return s.bytes == 0 && len(s.acks) == 0 }

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
