package transport

import (
	"iter"
	"net/netip"
	"slices"
	"time"
)

// Hub is a host's sessions with many clients behind one socket, by their addresses. Like
// a [Session] it has no socket and no clock: the caller reads, deciphers and passes on
// what comes, and enciphers and writes what is to leave.
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
// A session exists from [Hub.Accept] on; whoever is not accepted costs no memory. It
// stays in the Hub for [Options].Linger after its end. Take a Session from the events,
// send with it and close it; the Hub does the rest.
//
// A Hub and its sessions are not safe for concurrent use: one goroutine has them. The zero
// value is a Hub with the default options.
type Hub struct {
	options HubOptions
	session *Options
	clock   clock
	events  events

	byAddr   map[netip.AddrPort]*Session
	sessions []*Session // in the order of joining
	agenda   agenda     // the same ones
	buf      []byte

	refusals []refusal
	hosts    map[netip.Addr]tally
	all      tally
	ids      peerIDs
	past     past

	counters Counters // of what is not a session, and of sessions that are gone
}

// HubOptions are the limits of a [Hub]. The zero value of a field, and any below it, means
// the default.
type HubOptions struct {
	// Session is for each of the sessions.
	Session Options
	// MaxSessions limits the sessions that have not ended, and those that have, each. 124,
	// the number of peer IDs.
	MaxSessions int
	// MaxPerIP limits the sessions of one IP address, whatever their ports. 32.
	MaxPerIP int
	// MaxHalfOpen limits the sessions whose client has not used its peer ID yet. 32.
	MaxHalfOpen int
	// MaxHalfOpenPerIP limits those of one IP address. 8. A client beyond this limit or
	// the last gets no answer; it asks again every second.
	MaxHalfOpenPerIP int
	// ReplaceAfter is how long a session must have been silent for another Connect from
	// its address to replace it, and how long one of OpenBC is ignored after the end. 3 s.
	ReplaceAfter time.Duration
	// Remember is how long a Connect whose session has ended is ignored, unless it is one
	// of OpenBC, which are all alike, and how long a peer ID is not given to another client
	// if there are others. 60 s.
	Remember time.Duration
}

// NewHub returns a Hub.
func NewHub(now time.Time, o HubOptions) *Hub {
	positive(&o.MaxSessions, peerIDCount)
	positive(&o.MaxPerIP, 32)
	positive(&o.MaxHalfOpen, 32)
	positive(&o.MaxHalfOpenPerIP, 8)
	duration(&o.ReplaceAfter, 3*time.Second)
	duration(&o.Remember, 60*time.Second)
	return &Hub{
		options: o, session: o.Session.complete(), clock: clock{wall: now},
		byAddr: map[netip.AddrPort]*Session{}, hosts: map[netip.Addr]tally{},
	}
}

// Receive takes a datagram that came from an address, deciphered unless [IsGameSpy] knows
// it for GameSpy text: see [Hub.Events] for what it brings. Datagrams with a peer ID that
// is not that of the address are dropped, and counted like all that is not taken.
func (h *Hub) Receive(now time.Time, addr netip.AddrPort, datagram []byte) {
	h.ready(now)
	h.clock.set(now)
	s := h.byAddr[addr]
	switch {
	case h.events.len() >= maxEvents:
		h.drop(DropUnread)
	case IsGameSpy(datagram):
		h.events.push(Event{Kind: EventQuery, Payload: datagram, Addr: addr})
	case len(datagram) < 2:
		h.drop(DropMalformed)
	case int8(datagram[0]) == NoPeer:
		h.connect(s, addr, datagram)
	case s == nil:
		h.drop(DropStranger)
	default:
		s.receive(datagram)
		h.touch(s)
	}
}

// Events iterates over what has happened, and removes it, as [Session.Events] does.
// Payloads and bodies are valid until the next call of Receive.
func (h *Hub) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) { h.events.each(yield) }
}

// Sessions iterates over the sessions that have not ended, in the order of joining. The
// loop may send with them and close them.
func (h *Hub) Sessions() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for i := 0; i < len(h.sessions); i++ {
			if s := h.sessions[i]; !s.ended() && !yield(s) {
				return
			}
		}
	}
}

// Len returns the number of sessions that have not ended.
func (h *Hub) Len() int { return h.all.sessions }

// Close closes all sessions: go on as before until [Hub.Flushed].
func (h *Hub) Close() {
	for s := range h.Sessions() {
		s.Close()
	}
}

// Flushed says whether no session has anything to send, or to be acknowledged.
func (h *Hub) Flushed() bool {
	return len(h.refusals) == 0 && !slices.ContainsFunc(h.sessions, func(s *Session) bool { return !s.Flushed() })
}

// Counters returns what the Hub and all sessions that it ever had have done so far.
func (h *Hub) Counters() Counters {
	c := h.counters
	for _, s := range h.sessions {
		c.add(&s.counters)
	}
	return c
}

func (h *Hub) drop(r DropReason) { h.counters.Drops[r]++ }
