package transport

import (
	"net/netip"
	"time"
)

// connect takes a datagram without a peer ID. A copy of a Connect that was accepted is
// the business of its session.
func (h *Hub) connect(s *Session, addr netip.AddrPort, datagram []byte) {
	m, r, ok := connectIn(datagram, h.session.Mode)
	switch {
	case !ok:
		h.drop(DropNoConnect)
		return
	case s != nil && h.repeated(s, r, m.Short):
		s.receive(datagram)
		h.touch(s)
		return
	}
	if reason, ok := h.welcome(addr, r); !ok {
		h.drop(reason)
		return
	}
	h.events.push(Event{Kind: EventConnect, Body: r, Addr: addr, sequenced: !m.Short})
}

// repeated says whether a Connect is a copy of that of a session. Those of OpenBC are all
// alike: they are news when the session has been silent.
func (h *Hub) repeated(s *Session, r ConnectRequest, short bool) bool {
	return !s.ended() && s.connID == r.ConnID && s.nameless == short && !(short && s.heard && h.silent(s))
}

func (h *Hub) silent(s *Session) bool { return h.clock.now >= s.heardAt+h.options.ReplaceAfter }

// welcome says whether a Connect may be accepted, and why not.
func (h *Hub) welcome(addr netip.AddrPort, r ConnectRequest) (DropReason, bool) {
	now, old, host, all := h.clock.now, h.byAddr[addr], h.hosts[addr.Addr()], h.all
	if old != nil && !old.ended() { // it would be replaced
		if !h.silent(old) {
			return DropBusyConnect, false
		}
		host.sessions--
		if !old.heard {
			host.halfOpen--
			all.halfOpen--
		}
	}
	switch {
	case h.past.has(addr, r.ConnID, now):
		return DropStaleConnect, false
	case host.sessions >= h.options.MaxPerIP, host.halfOpen >= h.options.MaxHalfOpenPerIP,
		all.halfOpen >= h.options.MaxHalfOpen:
		return DropConnectLimit, false
	}
	return 0, true
}

// Accept makes a session with the client of an EventConnect and gives it a peer ID: the
// lowest that is free and has been so for a minute, else the one that has been free
// longest, which is that of the session that is replaced if there is no other. The Ack and
// the reply leave with the next datagram, together with what is sent in the meantime. A
// second Accept for copies of the same Connect returns the session again. It fails with
// [ErrHubFull], in which case [Hub.Refuse] is polite, and with [ErrNoConnect].
func (h *Hub) Accept(e Event) (*Session, error) {
	replaced := Host
	if old := h.byAddr[e.Addr]; old != nil && !old.ended() {
		replaced = old.peer
	}
	id, ok := h.ids.choose(h.clock.now, replaced)
	return h.accept(e, id, ok)
}

// AcceptAs is Accept with a peer ID of the caller's choice, 2 to 126 but for 92, for
// several matches behind one socket. It need not be the only session that has it. Others
// are not to be had: [ErrHubFull].
func (h *Hub) AcceptAs(e Event, id int8) (*Session, error) {
	return h.accept(e, id, validPeer(id))
}

func (h *Hub) accept(e Event, id int8, free bool) (*Session, error) {
	h.ready(time.Time{})
	r, ok := e.Body.(ConnectRequest)
	if e.Kind != EventConnect || !ok {
		return nil, ErrNoConnect
	}
	old := h.byAddr[e.Addr]
	others := h.all.sessions
	if old != nil && !old.ended() {
		if h.repeated(old, r, !e.sequenced) {
			return old, nil
		}
		others--
	}
	switch why, ok := h.welcome(e.Addr, r); {
	case !ok && why != DropConnectLimit:
		return nil, ErrNoConnect
	case !ok, !free, others >= h.options.MaxSessions:
		return nil, ErrHubFull
	}
	if old != nil {
		h.replace(old)
	}
	h.evict()
	return h.join(e, r, id), nil
}

// join makes the session, for which the Connect has been taken.
func (h *Hub) join(e Event, r ConnectRequest, id int8) *Session {
	s := newHost(&h.clock, &h.events, h.session, id)
	s.hub, s.addr, s.place = h, e.Addr, len(h.sessions)
	h.byAddr[e.Addr] = s
	h.sessions = append(h.sessions, s)
	h.agenda.add(s)
	h.ids.take(id)
	h.count(s, 1, 1)
	s.begin(r.ConnID, !e.sequenced)
	return s
}
