package transport

import (
	"iter"
	"net/netip"
	"slices"
	"time"
)

// Hub holds a host's sessions with many clients behind one socket, by their addresses. Like
// a [Session] it has no socket and no clock. The caller reads and deciphers datagrams and
// passes them on; it enciphers and writes those that the Hub returns.
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
// half-open session costs little: it can be replaced at any time, holds no peer ID against
// other clients, and leaves nothing behind. A session stays in the Hub for
// [Options].Linger after its end. Take a Session from the events, send with it and close
// it; the Hub does the rest.
//
// A Hub and its sessions are not safe for concurrent use: one goroutine has them. The zero
// value is a Hub with the default options.
type Hub struct {
	options HubOptions
	session *Options
	clock   clock
	events  events

	byAddr    map[netip.AddrPort]*member
	members   members
	halfOpen  halfOpen
	deadlines deadlines
	ids       peerIDs
	recent    recentConnects
	rates     connectRates
	refusals  []refusal
	buf       []byte

	counters Counters // of datagrams without a session, and of sessions that are gone
}

// HubOptions are the limits of a [Hub]. A field that is zero or negative has its default.
type HubOptions struct {
	// Session is for each of the sessions.
	Session Options
	// MaxSessions limits the sessions that are open, and those that have ended, each. The
	// default is 124, the number of peer IDs, and the most. If all are open, a client replaces the oldest
	// one that is not proven.
	MaxSessions int
	// MaxPerIP limits the open sessions of one IP address, whatever their ports. The
	// default is 32.
	MaxPerIP int
	// MaxHalfOpen limits the half-open sessions. A further one replaces the oldest. The
	// default is 1024: with 400 forged Connects a second, a client has 2.5 seconds to use
	// its peer ID.
	MaxHalfOpen int
	// ConnectBurst is how many sessions of one IP address may open at once, and
	// ConnectInterval is the time after which one more may. A client beyond this limit
	// stays half-open and is let in when it asks again. The defaults are 32 and 1 second.
	ConnectBurst    int
	ConnectInterval time.Duration
	// ReplaceAfter is how long a session must have been silent for another Connect from
	// its address to replace it, and how long a Connect of OpenBC is ignored after its
	// session. The default is 3 seconds.
	ReplaceAfter time.Duration
	// Remember is how long a Connect whose session has ended is ignored, unless it is one
	// of OpenBC, which are all alike, and how long a peer ID is not given to another client
	// if there are others. The default is 60 seconds.
	Remember time.Duration
	// RandomPeerIDs gives out peer IDs at random instead of the lowest free one. A blind
	// attacker must guess the peer ID of a forged client then, one of 62 to 124. All captures
	// have 2, 3, 4 in order, nothing is known of IDs above 17 in the stock game, and
	// OpenBC's client expects slot + 2.
	RandomPeerIDs bool
}

// NewHub returns a Hub.
func NewHub(now time.Time, o HubOptions) *Hub {
	positive(&o.MaxSessions, peerIDCount)
	o.MaxSessions = min(o.MaxSessions, peerIDCount)
	positive(&o.MaxPerIP, 32)
	positive(&o.MaxHalfOpen, 1024)
	positive(&o.ConnectBurst, 32)
	o.ConnectBurst = min(o.ConnectBurst, 1<<16)
	duration(&o.ConnectInterval, time.Second)
	o.ConnectInterval = min(o.ConnectInterval, 24*time.Hour)
	duration(&o.ReplaceAfter, 3*time.Second)
	duration(&o.Remember, 60*time.Second)
	return &Hub{
		options: o, session: o.Session.complete(), clock: clock{wall: now},
		byAddr:  map[netip.AddrPort]*member{},
		members: members{perIP: map[netip.Addr]int{}},
		rates:   connectRates{burst: o.ConnectBurst, interval: o.ConnectInterval},
	}
}

// Receive takes a datagram that came from an address, deciphered unless [IsGameSpy] reports
// that it is GameSpy text. [Hub.Events] returns the events. Datagrams with a peer ID that
// is not that of the address are dropped, and counted like everything that is dropped.
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
	case int8(datagram[0]) == NoPeer:
		h.connect(m, addr, datagram)
	case m == nil:
		h.drop(DropStranger)
	case m.halfOpen() && !h.mayOpen(m, int8(datagram[0])):
	default:
		m.session.receive(datagram)
		h.deadlines.update(m)
	}
}

// Events iterates over what has happened, and removes it, as [Session.Events] does.
// Payloads and bodies are valid until the next call of Receive.
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

// Len returns the number of open sessions.
func (h *Hub) Len() int { return h.members.open }

// Close closes all sessions and drops the half-open ones. Continue to serve the Hub until
// [Hub.Flushed].
func (h *Hub) Close() {
	for m := h.halfOpen.oldest(); m != nil; m = h.halfOpen.oldest() {
		h.dropHalfOpen(m, EndClosed)
	}
	for s := range h.Sessions() {
		s.Close()
	}
}

// Flushed reports whether no session has anything to send, or to be acknowledged.
func (h *Hub) Flushed() bool {
	waits := func(m *member) bool { return !m.session.Flushed() }
	return len(h.refusals) == 0 && h.halfOpen.len() == 0 && !slices.ContainsFunc(h.members.list, waits)
}

// Counters returns the counters of the Hub and all sessions that it ever had.
func (h *Hub) Counters() Counters {
	c := h.counters
	for _, m := range h.byAddr {
		c.add(&m.session.counters)
	}
	return c
}

func (h *Hub) drop(r DropReason) { h.counters.Drops[r]++ }
