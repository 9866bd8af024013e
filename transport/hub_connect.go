package transport

import (
	"container/heap"
	"net/netip"

	"github.com/bcwire/bcwire/objectid"
)

// connect receives a datagram without a peer ID. A duplicate of a Connect that was accepted
// is passed to its session.
func (h *Hub) connect(m *member, addr netip.AddrPort, datagram []byte) {
	c, r, ok := findConnect(datagram, h.session.Mode)
	switch {
	case !ok:
		h.drop(DropNoConnect)
		return
	case m != nil && h.belongs(m, r, c.Short):
		m.session.receive(datagram)
		h.deadlines.update(m)
		return
	}
	if reason, ok := h.admit(addr, r); !ok {
		h.drop(reason)
		return
	}
	h.events.push(Event{Kind: EventConnect, Body: r, Addr: addr, sequenced: !c.Short})
}

// belongs reports whether a Connect belongs to a session, as a duplicate of its Connect. A
// half-open session takes any Connect of its form from its address, since a forged one must
// not shut out the client. The Connects of OpenBC are all alike, so one is a new Connect when
// the session has been silent.
func (h *Hub) belongs(m *member, r ConnectRequest, short bool) bool {
	client := m.session.client()
	if m.halfOpen() && client.short == short {
		m.session.adopt(r.ConnID)
		return true
	}
	return !m.session.ended() && client.connID == r.ConnID && client.short == short && !(short && h.silent(m))
}

func (h *Hub) silent(m *member) bool { return m.session.silence() >= replaceAfter }

// admit reports whether a Connect may be accepted, and why not.
func (h *Hub) admit(addr netip.AddrPort, r ConnectRequest) (DropReason, bool) {
	inUse := h.members.perIP[addr.Addr()]
	if old := h.byAddr[addr]; old != nil && old.open() { // it would be replaced
		if !h.silent(old) {
			return DropBusyConnect, false
		}
		inUse--
	}
	switch {
	case h.recent.has(addr, h.clock.now, func(c clientIdentity) bool { return c.connID == r.ConnID }):
		return DropStaleConnect, false
	case inUse >= h.options.MaxPerIP && h.members.unproven(addr.Addr(), objectid.NoPeer) == nil:
		return DropConnectLimit, false
	}
	return 0, true
}

// Accept makes a half-open session with the client of an EventConnect and gives it a peer
// ID. The Ack and the reply are sent in the next datagram, together with the messages that
// are sent in the meantime. The session opens when the client uses its peer ID:
// EventConnected. A second Accept for copies of the same Connect returns the same session.
//
// A program may accept a client later than its event, after it has looked up a ban for
// example: keep the Event, and call Accept from the goroutine of the Hub. The Body of the
// event must not be read after the next Receive. The client retransmits its Connect in the
// meantime, so more events of it may come.
//
// Accept returns [ErrHubFull] if there is no room and no session to replace; call
// [Hub.Refuse] then. It returns [ErrNoConnect] for any other event, and for an event that is
// out of date.
func (h *Hub) Accept(e Event) (*Session, error) {
	h.ready(h.clock.wall)
	r, ok := e.Body.(ConnectRequest)
	if e.Kind != EventConnect || !ok {
		return nil, ErrNoConnect
	}
	old, open := h.byAddr[e.Addr], h.members.open
	if old != nil {
		if h.belongs(old, r, !e.sequenced) {
			return old.session, nil
		}
		if old.open() {
			open--
		}
	}
	switch why, ok := h.admit(e.Addr, r); {
	case !ok && why != DropConnectLimit:
		return nil, ErrNoConnect
	case !ok, open >= h.options.MaxSessions && h.members.unproven(netip.Addr{}, objectid.NoPeer) == nil:
		return nil, ErrHubFull
	}
	if old != nil {
		h.replace(old)
	}
	id, ok := h.ids.choose(h.clock.now, h.options.RandomPeerIDs)
	if !ok {
		id = h.members.unproven(netip.Addr{}, objectid.NoPeer).session.PeerID() // which it replaces when it opens
	}
	if h.halfOpen.Len() >= h.options.MaxHalfOpen {
		h.abortHalfOpen(EndHandshake)
	}
	return h.join(e, r, id), nil
}

// abortHalfOpen removes the half-open session whose Connect arrived first. A half-open
// session leaves no state that could keep the client of its address out.
func (h *Hub) abortHalfOpen(reason EndReason) {
	h.halfOpen.Front().Value.(*member).session.abort(reason, nil)
}

// replace removes a session whose address gets another one.
func (h *Hub) replace(m *member) {
	if !m.session.ended() {
		m.session.abort(EndReplaced, nil)
	}
	if !m.removed() {
		h.remove(m)
	}
}

// join makes the session of a Connect.
func (h *Hub) join(e Event, r ConnectRequest, id objectid.PeerID) *Session {
	m := &member{addr: e.Addr, listIndex: -1}
	m.session = newHost(&h.clock, &h.events, h.session, id)
	m.session.Challenge()
	m.session.own(e.Addr, func(c change) { h.changed(m, c) })
	m.due = m.session.deadline()
	h.byAddr[e.Addr] = m
	m.waiting = h.halfOpen.PushBack(m)
	h.ids.reserved[id]++
	heap.Push(&h.deadlines, m)
	m.session.open(r.ConnID, !e.sequenced)
	h.deadlines.update(m)
	return m.session
}

// mayOpen reports whether a half-open session may open when a datagram with a peer ID arrives
// from its address. It ends no other session: the datagram may hold no message that opens this
// one.
func (h *Hub) mayOpen(m *member, id objectid.PeerID) bool {
	ip := m.addr.Addr()
	switch {
	case id != m.session.PeerID():
		h.drop(DropWrongPeer)
		late := func(c clientIdentity) bool { return c.peer == id }
		if !h.recent.has(m.addr, h.clock.now, late) { // a guess
			m.session.abort(EndHandshake, nil)
		}
		return false
	case h.ids.open[id] && (h.members.open < h.options.MaxSessions || h.members.unproven(netip.Addr{}, id) == nil):
		// More clients are half-open than there are free peer IDs, and another one with
		// this ID was faster.
		h.drop(DropConnectLimit)
		m.session.abort(EndHandshake, nil)
		h.refuse(refusal{addr: m.addr, reason: BootUnspecified})
		return false
	case !h.rates.allow(ip, h.clock.now), !h.roomFor(ip):
		h.drop(DropConnectLimit)
		return false
	}
	return true
}

// roomFor reports whether a session of an address may open under the limits of sessions,
// which may take the place of an unproven one.
func (h *Hub) roomFor(ip netip.Addr) bool {
	return (h.members.perIP[ip] < h.options.MaxPerIP || h.members.unproven(ip, objectid.NoPeer) != nil) &&
		(h.members.open < h.options.MaxSessions || h.members.unproven(netip.Addr{}, objectid.NoPeer) != nil)
}

// makeRoom ends the unproven sessions whose places a session takes that opens: the one with
// its peer ID, and the oldest ones if a limit is reached.
func (h *Hub) makeRoom(m *member) {
	ip, id := m.addr.Addr(), m.session.PeerID()
	if h.ids.open[id] {
		h.endUnproven(netip.Addr{}, id)
	}
	if h.members.perIP[ip] >= h.options.MaxPerIP {
		h.endUnproven(ip, objectid.NoPeer)
	}
	if h.members.open >= h.options.MaxSessions {
		h.endUnproven(netip.Addr{}, objectid.NoPeer)
	}
}

// endUnproven ends the oldest session that [members.unproven] matches.
func (h *Hub) endUnproven(ip netip.Addr, id objectid.PeerID) {
	if m := h.members.unproven(ip, id); m != nil {
		m.session.abort(EndReplaced, nil)
	}
}

// maxRefusals is the largest number of refusals in the queue.
const maxRefusals = 256

// refusal is the answer to a Connect that is not accepted.
type refusal struct {
	addr   netip.AddrPort
	reason BootReason
	ack    bool
}

// Refuse answers an EventConnect with a Boot. The Hub keeps no state: if the answer is lost,
// the client retransmits its Connect, and the event comes again. Refuse ignores events of
// other kinds.
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

// refuseAll sends the queued refusals, and reports whether the caller wants more.
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
	w := writeDatagram(dst, byte(objectid.Host))
	if r.ack {
		w.addAck(Ack{Flags: AckSystem})
	}
	boot := NewMessage(0, Boot{Reason: r.reason, PeerID: objectid.NoPeer})
	w.addMessage(&boot)
	return w.finish()
}
