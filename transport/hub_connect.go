package transport

import (
	"container/heap"
	"net/netip"
)

// anyIP stands for all addresses.
var anyIP netip.Addr

// connect takes a datagram without a peer ID. A copy of a Connect that was accepted is
// passed to its session.
func (h *Hub) connect(m *member, addr netip.AddrPort, datagram []byte) {
	c, r, ok := connectIn(datagram, h.session.Mode)
	switch {
	case !ok:
		h.drop(DropNoConnect)
		return
	case m != nil && h.repeated(m, r, c.Short):
		m.session.receive(datagram)
		h.deadlines.update(m)
		return
	}
	if reason, ok := h.welcome(addr, r); !ok {
		h.drop(reason)
		return
	}
	h.events.push(Event{Kind: EventConnect, Body: r, Addr: addr, sequenced: !c.Short})
}

// repeated reports whether a Connect belongs to a session: it is a copy of the session's
// Connect. A half-open session takes any Connect of its form from its address, since a
// forged one must not shut out the client. Those of OpenBC are all alike, so that one is a
// new Connect when the session has been silent.
func (h *Hub) repeated(m *member, r ConnectRequest, short bool) bool {
	s := m.session
	if m.halfOpen() && s.nameless == short {
		s.connID = r.ConnID
		return true
	}
	return !s.ended() && s.connID == r.ConnID && s.nameless == short && !(short && h.silent(s))
}

func (h *Hub) silent(s *Session) bool { return h.clock.now >= s.heardAt+h.options.ReplaceAfter }

// welcome reports whether a Connect may be accepted, and why not.
func (h *Hub) welcome(addr netip.AddrPort, r ConnectRequest) (DropReason, bool) {
	inUse := h.members.perIP[addr.Addr()]
	if old := h.byAddr[addr]; old != nil && old.place >= 0 && !old.session.ended() { // it would be replaced
		if !h.silent(old.session) {
			return DropBusyConnect, false
		}
		inUse--
	}
	switch {
	case h.recent.has(addr, r.ConnID, h.clock.now):
		return DropStaleConnect, false
	case inUse >= h.options.MaxPerIP && h.members.unproven(addr.Addr()) == nil:
		return DropConnectLimit, false
	}
	return 0, true
}

// Accept makes a half-open session with the client of an EventConnect and gives it a peer
// ID. The Ack and the reply leave with the next datagram, together with what is sent in the
// meantime. The session opens when the client uses its peer ID: EventConnected. A second
// Accept for copies of the same Connect returns the same session. Accept returns
// [ErrHubFull] if there is no room and no session to replace; call [Hub.Refuse] then. It
// returns [ErrNoConnect] for any other event.
func (h *Hub) Accept(e Event) (*Session, error) {
	h.ready(h.clock.wall)
	r, ok := e.Body.(ConnectRequest)
	if e.Kind != EventConnect || !ok {
		return nil, ErrNoConnect
	}
	old, open := h.byAddr[e.Addr], h.members.open
	if old != nil {
		if h.repeated(old, r, !e.sequenced) {
			return old.session, nil
		}
		if old.place >= 0 && !old.session.ended() {
			open--
		}
	}
	switch why, ok := h.welcome(e.Addr, r); {
	case !ok && why != DropConnectLimit:
		return nil, ErrNoConnect
	case !ok, open >= h.options.MaxSessions && h.members.unproven(anyIP) == nil:
		return nil, ErrHubFull
	}
	if old != nil {
		h.replace(old)
	}
	id, ok := h.ids.choose(h.clock.now, h.options.RandomPeerIDs)
	if !ok {
		id = h.members.unproven(anyIP).session.peer // which it replaces when it opens
	}
	if h.halfOpen.len() >= h.options.MaxHalfOpen {
		h.dropHalfOpen(h.halfOpen.oldest(), EndHandshake)
	}
	return h.join(e, r, id), nil
}

// replace removes a session whose address has another one now.
func (h *Hub) replace(m *member) {
	if !m.session.ended() {
		m.session.end(EndReplaced, nil)
	}
	if !m.gone() {
		h.remove(m)
	}
}

// join makes the session of a Connect.
func (h *Hub) join(e Event, r ConnectRequest, id int8) *Session {
	s := newHost(&h.clock, &h.events, h.session, id)
	s.Challenge()
	m := &member{session: s, addr: e.Addr, due: s.deadline()}
	s.addr, s.changed = e.Addr, func(c change) { h.changed(m, c) }
	h.byAddr[e.Addr] = m
	h.halfOpen.add(m)
	h.ids.reserve(id)
	heap.Push(&h.deadlines, m)
	s.begin(r.ConnID, !e.sequenced)
	h.deadlines.update(m)
	return s
}

// maxRefusals is how many refusals may wait to be sent.
const maxRefusals = 256

// refusal is the answer to a Connect that is not accepted.
type refusal struct {
	addr   netip.AddrPort
	reason BootReason
	ack    bool
}

// Refuse answers an EventConnect with a Boot. Nothing is remembered: if the answer is lost,
// the client asks again, and the event comes again. Refuse ignores events of other kinds.
func (h *Hub) Refuse(e Event, reason BootReason) {
	if e.Kind == EventConnect {
		h.refuse(refusal{e.Addr, reason, e.sequenced})
	}
}

func (h *Hub) refuse(r refusal) {
	if len(h.refusals) >= maxRefusals {
		h.drop(DropRefusal)
		return
	}
	h.refusals = append(h.refusals, r)
}

// refuseAll sends the refusals that wait, and reports whether the caller wants more.
func (h *Hub) refuseAll(yield func(netip.AddrPort, []byte) bool) bool {
	for len(h.refusals) > 0 {
		r := h.refusals[0]
		h.refusals = h.refusals[:copy(h.refusals, h.refusals[1:])]
		h.counters.Sent++
		if h.buf = r.append(h.buf[:0]); !yield(r.addr, h.buf) {
			return false
		}
	}
	return true
}

func (r refusal) append(dst []byte) []byte {
	p := page{b: append(dst, byte(Host), 0), start: len(dst)}
	if r.ack {
		p.addAck(Ack{Flags: AckSystem})
	}
	p.count++
	boot := NewMessage(0, Boot{Reason: r.reason, PeerID: NoPeer})
	p.b = boot.append(p.b)
	p.b[p.start+1] = byte(p.count)
	return p.b
}
