package transport

import (
	"container/list"
	"iter"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Hub holds a host's sessions with many clients behind one socket, by their addresses. Like
// a [Session] it has no socket and no clock. The caller reads and deciphers datagrams and
// passes them on; it enciphers and writes the datagrams that the Hub returns.
//
//	conn.SetReadDeadline(hub.NextDeadline())
//	n, addr, err := conn.ReadFromUDPAddrPort(buf)
//	now := time.Now()
//	if err == nil {
//		if !transport.IsGameSpy(buf[:n]) {
//			cipher.Decrypt(buf[:n])
//		}
//		hub.Receive(now, addr, buf[:n])
//	}
//	for e := range hub.Events() {
//		...
//	}
//	for addr, datagram := range hub.Datagrams(now) {
//		cipher.Encrypt(datagram)
//		conn.WriteToUDPAddrPort(datagram, addr)
//	}
//
// [Hub.Accept] makes a session, which is half-open until the client uses its peer ID. A
// half-open session costs little: it can be replaced at any time, reserves no peer ID
// exclusively, and leaves no state behind. A session stays in the Hub for
// [Options].Linger after its end. Take a Session from the events, send with it and close
// it; the Hub does the rest.
//
// A Hub and its sessions are not safe for concurrent use: use them from one goroutine. The
// zero value is a Hub with the default options.
type Hub struct {
	options HubOptions
	session *Options
	clock   clock
	events  events

	byAddr    map[netip.AddrPort]*member
	members   members
	halfOpen  list.List // of *member, in the order of their Connects
	deadlines deadlineHeap
	ids       peerIDs
	recent    recentConnects
	rates     connectRates
	refusals  []refusal
	buf       []byte

	counters Counters // of datagrams without a session, and of removed sessions
}

// HubOptions are the limits of a [Hub]. A field that is zero or negative has its default.
type HubOptions struct {
	// Session is for each of the sessions.
	Session Options
	// MaxSessions limits the sessions that are open, and the sessions that have ended, each.
	// The default, and the most, is 124, the number of peer IDs. If all are open, a client
	// replaces the oldest session that is not proven.
	MaxSessions int
	// MaxPerIP limits the open sessions of one IP address, whatever their ports. The
	// default is 32.
	MaxPerIP int
	// MaxHalfOpen limits the half-open sessions. A further one replaces the oldest. The
	// default is 1024: with 400 forged Connects a second, a client has 2.5 seconds to use
	// its peer ID.
	MaxHalfOpen int
	// ConnectBurst is the number of sessions of one IP address that may open at once, and
	// ConnectInterval is the time after which one more may open. A client beyond this rate
	// limit stays half-open, and may open when it asks again. The defaults are 32 and 1
	// second.
	ConnectBurst    int
	ConnectInterval time.Duration
	// RandomPeerIDs assigns random peer IDs instead of the lowest free one. A blind
	// attacker must then guess the peer ID of a forged client. It is one of 62 to 124 while
	// at most 62 sessions are open, and one of the free IDs otherwise. All captures have 2,
	// 3, 4 in order. Nothing is known about IDs above 17 in the stock game. OpenBC's client
	// expects slot + 2.
	RandomPeerIDs bool
}

// NewHub returns a Hub.
func NewHub(now time.Time, o HubOptions) *Hub {
	o.MaxSessions = min(orDefault(o.MaxSessions, peerIDCount), peerIDCount)
	o.MaxPerIP = orDefault(o.MaxPerIP, 32)
	o.MaxHalfOpen = orDefault(o.MaxHalfOpen, 1024)
	o.ConnectBurst = min(orDefault(o.ConnectBurst, 32), 1<<16)
	o.ConnectInterval = min(orDefault(o.ConnectInterval, time.Second), 24*time.Hour)
	return &Hub{
		options: o, session: o.Session.complete(), clock: clock{wall: now},
		byAddr:  map[netip.AddrPort]*member{},
		members: members{perIP: map[netip.Addr]int{}},
		rates:   connectRates{burst: o.ConnectBurst, interval: o.ConnectInterval},
	}
}

// ready gives the zero value the default options.
func (h *Hub) ready(now time.Time) {
	if h.session == nil {
		*h = *NewHub(now, HubOptions{})
	}
}

// Receive receives a datagram from an address, deciphered unless [IsGameSpy] reports that it
// is GameSpy text. [Hub.Events] returns the events. Datagrams with a peer ID that does not
// belong to the address are dropped. Dropped datagrams are counted.
func (h *Hub) Receive(now time.Time, addr netip.AddrPort, datagram []byte) {
	h.ready(now)
	h.clock.set(now)
	m := h.byAddr[addr]
	switch {
	case h.events.len() >= maxEvents:
		h.drop(DropUnread)
	case IsGameSpy(datagram):
		h.events.push(Event{Kind: EventQuery, Payload: datagram, Addr: addr})
	case len(datagram) < 2:
		h.drop(DropMalformed)
	case objectid.PeerID(datagram[0]) == objectid.NoPeer:
		h.connect(m, addr, datagram)
	case m == nil:
		h.drop(DropStranger)
	case m.halfOpen() && !h.mayOpen(m, objectid.PeerID(datagram[0])):
	default:
		m.session.receive(datagram)
		h.deadlines.update(m)
	}
}

// Events iterates over the events and removes them, as [Session.Events] does. Payloads and
// bodies are valid until the next call of Receive.
func (h *Hub) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { h.events.each(yield) }
}

// Sessions iterates over the open sessions in the order in which they opened. Half-open
// sessions are not among them. The loop may send with the sessions and close them.
func (h *Hub) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for i := 0; i < len(h.members.list); i++ {
			if s := h.members.list[i].session; !s.ended() && !yield(s) {
				return
			}
		}
	}
}

// Session returns the open session of the client with a peer ID, or nil. A half-open session
// is not open.
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

// Close closes all sessions and drops the half-open ones. Continue to serve the Hub until
// [Hub.Flushed].
func (h *Hub) Close() {
	for h.halfOpen.Len() > 0 {
		h.abortHalfOpen(EndClosed)
	}
	for s := range h.Sessions() {
		s.Close()
	}
}

// Flushed reports whether all sessions are flushed, and all refusals sent.
func (h *Hub) Flushed() bool {
	unflushed := func(m *member) bool { return !m.session.Flushed() }
	return len(h.refusals) == 0 && h.halfOpen.Len() == 0 && !slices.ContainsFunc(h.members.list, unflushed)
}

// Counters returns the sum of the counters of the Hub and of all sessions that it ever had.
func (h *Hub) Counters() Counters {
	c := h.counters
	for _, m := range h.byAddr {
		c.add(m.session.Counters())
	}
	return c
}

func (h *Hub) drop(r DropReason) { h.counters.Drops[r]++ }

// Datagrams runs the timers and iterates over the datagrams that are due, with their
// destinations, ready to encipher. A datagram is valid until the next one; the caller may
// change it. If the loop is left, the next one continues.
func (h *Hub) Datagrams(now time.Time) iter.Seq2[netip.AddrPort, []byte] {
	return func(yield func(netip.AddrPort, []byte) bool) {
		h.clock.set(now)
		if h.refuseAll(yield) {
			h.serveDue(yield)
		}
	}
}

// serveDue serves the sessions that are due. The caller may change any of them meanwhile, and
// leave.
func (h *Hub) serveDue(yield func(netip.AddrPort, []byte) bool) {
	for h.deadlines.next() <= h.clock.now {
		m := h.deadlines[0]
		if !h.serve(m, yield) {
			return
		}
		switch {
		case m.removed(): // in the loop of the caller
		case m.session.released():
			h.remove(m)
		default:
			h.deadlines.update(m)
		}
	}
}

// serve passes on the datagrams of a session, and reports whether the caller wants more.
func (h *Hub) serve(m *member, yield func(netip.AddrPort, []byte) bool) bool {
	for more := true; more; {
		h.buf = m.session.appendDatagram(h.buf[:0])
		if more = len(h.buf) > 0; more && !yield(m.addr, h.buf) {
			return false
		}
	}
	return true
}

// NextDeadline returns the time at which to call Datagrams, if nothing happens before. It
// returns the zero Time, which is no deadline for a socket either, if there is no session.
// After the loops over Events and Datagrams have come to their ends, it is in the future.
func (h *Hub) NextDeadline() time.Time {
	if h.events.len() > 0 || len(h.refusals) > 0 {
		return h.clock.wall
	}
	return h.clock.at(h.deadlines.next())
}
