package transport

import (
	"container/list"
	"crypto/rand"
	"io"
	"iter"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
)

// Hub holds the sessions of a host with many clients, which it distinguishes by their addresses.
// Use a Hub like a [Session]:
//
//	hub.Receive(now, addr, datagram) // deciphered, or GameSpy text
//	for e := range hub.Events() {
//		...
//	}
//	for addr, datagram := range hub.Datagrams(now) {
//		... // encipher and send
//	}
//	wait(hub.NextDeadline())
//
// For a session in a Hub, do not call Receive, Events, Datagrams, AppendDatagram or NextDeadline:
// use the Hub's. An ended session stays in the Hub for 15 s. A Hub and its sessions are not safe for concurrent use.
type Hub struct {
	options HubOptions
	session *Options
	clock   clock.Clock
	events  events

	byAddr    addresses
	members   members
	halfOpen  list.List // of *member, in the order of their Connects
	deadlines deadlineHeap
	ids       peerIDs
	recent    recentConnects
	rates     limit.Table // of new sessions
	refusals  []refusal
	buf       []byte
	loops     uint64 // over Datagrams

	counters Counters // of datagrams without a session, and of removed sessions
}

// HubOptions are the limits of a [Hub]. A field that is zero or negative has its default.
type HubOptions struct {
	// Session holds the options of each session.
	Session Options
	// MaxSessions limits the open sessions, and separately the ended ones. The default and maximum is 124. At the
	// limit, a client replaces a session that is not kept; see [Session.Keep]. Of the network with the most such
	// sessions, this is the one whose client has acknowledged the fewest payloads, the oldest. Each loop over
	// Datagrams removes the oldest ended sessions beyond the limit.
	MaxSessions int
	// MaxPerIP limits the open sessions of one network: an IPv4 address, 64 bits of an IPv6 address, or a port of the
	// loopback interface. The default is 32. At the limit, a client replaces a session of the network that is not
	// kept. Without one, the Hub refuses the client with a Boot.
	MaxPerIP int
	// RandomPeerIDs assigns random peer IDs from the whole range. While at most 62 sessions are open, an attacker who can
	// only send must guess among at least 62 IDs. An attacker who also receives replies at an address learns which IDs
	// are free, and so which are in use. By default, the IDs are random among 2 to 17 while one of these is free.
	// Captures have 2, 3, 4. It is unknown how the stock game handles IDs above 17. OpenBC's client expects slot + 2.
	RandomPeerIDs bool
	// Rand is the source of random peer IDs, and of the numbers that validate addresses. They must be unpredictable. The
	// default is [crypto/rand.Reader], which also stands in for a source that fails.
	Rand io.Reader

	// maxHalfOpen limits the half-open sessions: 10,240. A new one replaces the oldest, which has had 2 s; otherwise
	// the new Connect is dropped. This is so at more than 5,120 Connects a second.
	maxHalfOpen int
	// connectBurst is the number of sessions that one network may open at once: 32, at most 65,536.
	// It may open one more after each connectInterval: 0.7 s, at most 24 h. Clients repeat their Connects every second;
	// after 1 s, it would always be the turn of the same one. Beyond this rate, its
	// Connects are dropped without an event, and a client repeats its Connect.
	connectBurst    int
	connectInterval time.Duration
}

// NewHub returns a Hub with options, whose clock starts at now.
func NewHub(now time.Time, o HubOptions) *Hub {
	o.MaxSessions = min(orDefault(o.MaxSessions, peerIDCount), peerIDCount)
	o.MaxPerIP = orDefault(o.MaxPerIP, 32)
	o.maxHalfOpen = orDefault(o.maxHalfOpen, 10_240)
	o.connectBurst = min(orDefault(o.connectBurst, 32), 1<<16)
	o.connectInterval = min(orDefault(o.connectInterval, 700*time.Millisecond), 24*time.Hour)
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return &Hub{
		options: o, session: o.Session.complete(), clock: clock.Clock{Wall: now},
		byAddr:  addresses{},
		ids:     peerIDs{random: o.Rand},
		members: members{perIP: map[limit.Network]int{}},
		rates:   limit.Table{Max: maxRates, Rates: []limit.Rate{newSessions: {Interval: o.connectInterval, Burst: o.connectBurst}}},
	}
}

// Receive receives a deciphered datagram, or GameSpy text, from an address. Do not reuse the
// datagram before its events have been read. Receive drops and counts datagrams whose peer ID does
// not belong to the address.
func (h *Hub) Receive(now time.Time, addr netip.AddrPort, datagram []byte) {
	h.clock.Set(now)
	first := h.byAddr[addr]
	switch {
	case h.events.len() >= maxEvents:
		h.drop(dropUnread)
	case IsGameSpy(datagram):
		h.events.push(Event{Kind: EventQuery, Payload: datagram, Addr: addr})
	case len(datagram) < 2:
		h.drop(dropMalformed)
	case peerOf(datagram[0]) == objectid.NoPeer:
		h.connect(first, addr, datagram)
	case first == nil:
		h.drop(dropUnknownAddress)
	default:
		h.receive(first, datagram)
	}
}

// receive passes a datagram to the session of its address with its peer ID. Another peer ID is a
// guess of somebody who forges the address, or late.
func (h *Hub) receive(first *member, datagram []byte) {
	m := first.withPeer(peerOf(datagram[0]))
	if m == nil {
		h.drop(dropWrongPeer)
		return
	}
	h.deadlines.changed(m)
	if m.session.life.halfOpen() {
		if h.quiet(first); !m.session.validates(datagram) || !h.mayOpen(m) {
			return
		}
		h.open(m)
	}
	m.heard = h.loops
	m.session.receive(datagram)
}

// Events is like [Session.Events], for all sessions and for clients without a session.
func (h *Hub) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { h.events.each(yield) }
}

// Sessions iterates over the open sessions, oldest first. The loop may send and close.
func (h *Hub) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for i := 0; i < len(h.members.list); i++ {
			if s := h.members.list[i].session; !s.life.ended() && !yield(s) {
				return
			}
		}
	}
}

// Session returns the open session of the client with a peer ID, or nil.
func (h *Hub) Session(id objectid.PeerID) *Session {
	for s := range h.Sessions() {
		if s.PeerID() == id {
			return s
		}
	}
	return nil
}

// Len returns the number of open sessions.
func (h *Hub) Len() int { return h.members.open }

// Local returns an open session without a client, for a player that the program itself plays, such as a computer
// player. The session has a free peer ID, which no client gets while the session is open. All that is sent to it is
// discarded. It lasts until [Session.Close], whose event has EndLeft as if a client had left, or [Session.Boot]. It
// has no address, counts for no limit of the Hub, and is not among [Hub.Sessions]. Local returns [ErrHubFull] if
// there is no free peer ID.
func (h *Hub) Local() (*Session, error) {
	id, ok := h.ids.choose(h.clock.Now, h.options.RandomPeerIDs)
	if !ok {
		return nil, ErrHubFull
	}
	h.ids.open[id] = true
	s := newHost(&h.clock, &h.events, h.session, id)
	s.life.local = true
	s.life.enter(stateOpen)
	s.member = &member{hub: h, session: s, heapIndex: -1}
	return s, nil
}

// Close closes all open sessions, and drops half-open ones without a message. Refuse new clients,
// and serve the Hub until [Hub.Flushed] returns true.
func (h *Hub) Close() {
	for h.halfOpen.Len() > 0 {
		h.abortHalfOpen(EndClosed)
	}
	for s := range h.Sessions() {
		s.Close()
	}
}

// Flushed reports whether all sessions are flushed and all refusals sent.
func (h *Hub) Flushed() bool {
	unflushed := func(m *member) bool { return !m.session.Flushed() }
	return len(h.refusals) == 0 && h.halfOpen.Len() == 0 && !slices.ContainsFunc(h.members.list, unflushed)
}

// Counters returns the sum of the counters of the Hub and of all its past and present sessions.
func (h *Hub) Counters() Counters {
	c := h.counters
	for _, m := range h.deadlines {
		c.add(m.session.Counters())
	}
	return c
}

func (h *Hub) drop(r DropReason) { h.counters.Drops[r]++ }

// Datagrams is like [Session.Datagrams], and gives the destination of each datagram.
func (h *Hub) Datagrams(now time.Time) iter.Seq2[netip.AddrPort, []byte] {
	return func(yield func(netip.AddrPort, []byte) bool) {
		h.clock.Set(now)
		h.loops++
		if h.refuseAll(yield) {
			h.serveDue(yield)
		}
		h.limitEnded() // after the sessions that have just ended have sent their last messages
	}
}

// serveDue serves the sessions that are due. The loop of the caller may change the sessions, and
// may end early.
func (h *Hub) serveDue(yield func(netip.AddrPort, []byte) bool) {
	for h.deadlines.next() <= h.clock.Now {
		m := h.deadlines[0]
		if !h.serve(m, yield) {
			return
		}
		switch {
		case m.removed(): // by the loop of the caller
		case m.session.life.state == stateReleased:
			h.remove(m)
		default:
			h.deadlines.changed(m)
		}
	}
}

// serve passes on the datagrams of a session, and reports whether the caller continues.
func (h *Hub) serve(m *member, yield func(netip.AddrPort, []byte) bool) bool {
	for more := true; more; {
		h.buf = m.session.appendDatagram(h.buf[:0])
		if more = len(h.buf) > 0; more && !yield(m.addr, h.buf) {
			return false
		}
	}
	return true
}

// NextDeadline is like [Session.NextDeadline]. It returns the zero Time if there is no deadline.
func (h *Hub) NextDeadline() time.Time {
	if h.events.len() > 0 || len(h.refusals) > 0 {
		return h.clock.Wall
	}
	return h.clock.At(h.deadlines.next())
}
