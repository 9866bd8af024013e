package transport

import (
	"iter"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// Session is one side of a connection between a host and a client. Pass it deciphered datagrams and
// the time, and handle the events and datagrams that it returns:
//
//	session.Receive(now, datagram)
//	for e := range session.Events() {
//		...
//	}
//	for d := range session.Datagrams(now) {
//		...
//	}
//	wait(session.NextDeadline()) // the zero Time if the session is over
//
// Repeat this for each datagram. At each deadline, do the same without Receive. The method Datagrams
// may add events. The deadline is then not in the future, so the next repetition handles these
// events at once. Receive, Send and Close can bring the deadline forward.
//
// Take the time from [time.Now]. A jump forward counts as silence of the peer. No time passes if it
// goes back.
//
// [NewClient] and [Hub.Accept] return sessions. A Session is not safe for concurrent use.
type Session struct {
	// Value belongs to the caller, for example for the state of a player.
	Value any

	options *Options
	clock   *clock.Clock
	events  *events
	addr    netip.AddrPort
	member  *member // nil: the session does not belong to a Hub

	life     lifecycle
	sender   sender
	receiver receiver
	pace     pace
	quality  qualityMeter
	buf      []byte // of Datagrams

	counters Counters
}

// change is a change that a session reports to its Hub.
type change uint8

const (
	changedDeadline change = iota // the deadline may have changed
	changedEnded
)

// maxPassword is the length of the longest password with which a request fits into a datagram.
const maxPassword = maxMessageBytes - 13

// NewClient returns the session of a client, which sends the request until the host replies, at
// most for [Options].PeerTimeout. Use a new socket with a new port for every client. NewClient
// returns an error wrapping [stream.ErrTooLong] for a password of more than 497 bytes, including its NUL.
func NewClient(now time.Time, request ConnectRequest, o Options) (*Session, error) {
	if n := len(request.Password); n > maxPassword {
		return nil, messageError(TypeConnect, &excess{stream.ErrTooLong, "password of # bytes", n, maxPassword})
	}
	s := &Session{}
	s.init(&clock.Clock{Wall: now}, &events{}, o.complete())
	s.life.client = clientIdentity{peer: objectid.NoPeer, ip: request.LocalIP}
	s.sender.sendAlways(&request)
	return s, nil
}

// newHost returns the session of a host with a client, which the client's Connect opens.
func newHost(c *clock.Clock, q *events, o *Options, peer objectid.PeerID) *Session {
	s := &Session{}
	s.init(c, q, o)
	s.life.host, s.life.client.peer = true, peer
	return s
}

func (s *Session) init(c *clock.Clock, q *events, o *Options) {
	now := c.Now
	*s = Session{
		options: o, clock: c, events: q,
		life:     lifecycle{options: o, bornAt: now, heardAt: now, sentAt: now},
		sender:   sender{options: o},
		receiver: receiver{options: o, counters: &s.counters},
		pace:     pace{at: now - o.Tick},
	}
	s.receiver.acks = ackQueue{resend: o.stock, last: Ack{Flags: AckSystem}}
}

// PeerID returns the client's peer ID on both sides, or [objectid.NoPeer] if there is none yet.
func (s *Session) PeerID() objectid.PeerID {
	return s.life.client.peer
}

// Peer returns what is known about the program of the peer. A program that interprets messages of the
// game can add to it.
//
// To OpenBC, the session expects no Acks of system messages, ends with a Disconnect under any number, and
// sends keepalives that OpenBC can read. OpenBC counts modulo 256. After a form that only OpenBC sends, the session does
// so, too, and sends each Ack once. OpenBC's server sends a client that looks like the stock game only forms of the
// stock game. After 256 reliable messages, a delivered number arrives with another payload, or all Acks of larger
// numbers name their low byte for some seconds. Until then, both ways of counting work. No message is lost.
//
// OpenBC's server recognizes only the Acks of its first 256 reliable messages to a client, whatever they name. Some
// minutes after it sends the 257th, the server drops the client.
func (s *Session) Peer() *Peer { return &s.life.peer }

// Addr returns the address of the client, or the zero AddrPort without a [Hub] or a client; see [Hub.Local].
func (s *Session) Addr() netip.AddrPort { return s.addr }

// Keep marks a session of a [Hub] as important, for example because its client has a slot. At a
// limit, the Hub replaces only sessions that are not kept. It keeps a session by itself 2 minutes
// after Accept.
func (s *Session) Keep() { s.life.kept = true }

// Ended reports whether the session has ended. EventEnded has the reason.
func (s *Session) Ended() bool { return s.life.ended() }

// Flushed reports whether all messages have been sent and acknowledged, and all Acks sent once.
// After [Session.Close] it reports whether the Disconnect has been acknowledged or given up.
func (s *Session) Flushed() bool { return s.sender.bytes == 0 && len(s.receiver.acks.unsent) == 0 }

// Counters returns the counters of the session.
func (s *Session) Counters() Counters { return s.counters }

// Events iterates over the events and removes them. The loop may call any method of the session,
// and may end early. Payloads and bodies alias the datagram or the session until the next Receive.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { s.events.each(yield) }
}

func (s *Session) event(e Event) {
	e.Session, e.Addr = s, s.addr
	s.events.push(e)
}

// Send queues a copy of a payload, opcode first. A payload of more than [MaxUnfragmentedPayload]
// bytes, or 409 bytes if it is unreliable, is sent in fragments, which are always reliable. Send
// returns an error wrapping [stream.ErrTooLong] for more than [MaxPayload] bytes. It returns
// [ErrQueueFull] beyond [Options].MaxQueue, or 256 KiB in the queue. It returns [ErrNotOpen] after the end, and at a
// client before EventConnected. A half-open session sends payloads with the reply to the Connect, or when it opens.
func (s *Session) Send(payload []byte, d Delivery) error {
	if !s.life.open() {
		return ErrNotOpen
	}
	if s.life.local {
		return nil
	}
	return s.queued(s.sender.send(payload, d))
}

// Room returns how many more reliable payloads the session sends before the peer acknowledges earlier ones. Further
// ones have their numbers at once, and wait. A program that may change its mind about what to send keeps it until there
// is room.
func (s *Session) Room() int {
	if !s.life.open() {
		return 0
	}
	c := &s.sender.channels[gameChannel]
	return max(0, min(s.sender.window(&storedMessage{seq: c.next()}), s.options.MaxQueue)-c.n)
}

// SendSystem sends a [NameChange], a [Boot] or a [Disconnect]. Session and Hub do not forward a
// client's NameChange or Disconnect: the host's program must. A Boot or Disconnect should name
// another client. To end the session, call Boot or Close. SendSystem returns the errors of Send.
// The error wraps [stream.ErrTooLong] beyond 412 bytes. Other bodies are an error.
func (s *Session) SendSystem(body Body) error {
	if !s.life.open() {
		return ErrNotOpen
	}
	if s.life.local {
		return nil
	}
	return s.queued(s.sender.sendSystem(body))
}

// queued handles the result of queueing a message.
func (s *Session) queued(err error) error {
	switch err {
	case nil:
		s.notify(changedDeadline)
	case ErrQueueFull:
		s.drop(dropQueueFull)
	}
	return err
}

func (s *Session) drop(r DropReason) { s.counters.Drops[r]++ }

// notify reports a change to the Hub.
func (s *Session) notify(c change) {
	if s.member != nil {
		s.member.hub.changed(s.member, c)
	}
}

// keepAfter is the age at which a Hub keeps a session by itself.
const keepAfter = 2 * time.Minute

// isKept reports whether no other session may replace this one at a limit.
func (s *Session) isKept() bool {
	return s.life.kept || s.clock.Now >= s.life.bornAt+keepAfter
}

// progress returns the number of reliable payloads that the client has acknowledged.
func (s *Session) progress() uint16 { return s.sender.channels[gameChannel].oldest }

// quiet stops sending for a while, or until the peer is heard. A client that has restarted on its
// port cannot distinguish the messages of its earlier session from messages of the new one.
func (s *Session) quiet(d time.Duration) {
	s.pace = pace{at: s.clock.Now + d - s.options.Tick}
	s.notify(changedDeadline)
}

// heard records that the peer is alive.
func (s *Session) heard() {
	s.life.heard(s.clock.Now)
	if s.pace.at > s.clock.Now { // the session is quiet
		s.pace = pace{at: s.clock.Now - s.options.Tick}
	}
}

// evict ends the session in favour of another one, and informs the client.
func (s *Session) evict() {
	s.disconnect(EndLimit, &Boot{Reason: BootTooManyPlayers, PeerID: s.life.client.peer})
	s.notify(changedDeadline)
}

func (s *Session) silence() time.Duration { return s.clock.Now - s.life.heardAt }
