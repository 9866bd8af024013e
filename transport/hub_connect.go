package transport

import (
	"container/heap"
	"net/netip"

	"github.com/bcwire/bcwire/objectid"
)

// connect receives a datagram without a peer ID. It passes a duplicate of an accepted Connect to
// its session.
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

// belongs reports whether a Connect is a duplicate of the Connect of a session. A half-open
// session takes any Connect of its form from its address, because a forged Connect must not shut
// out the client. OpenBC's Connects are all equal, so a Connect is new if the session has been
// silent.
func (h *Hub) belongs(m *member, r ConnectRequest, short bool) bool {
	client := m.session.client()
	if m.halfOpen() && client.short == short {
		m.session.setConnID(r.ConnID)
		return true
	}
	return !m.session.ended() && client.connID == r.ConnID && client.short == short && !(short && h.silent(m))
}

func (h *Hub) silent(m *member) bool { return m.session.silence() >= replaceAfter }

// admit reports whether a Connect may be accepted, and the reason if not.
func (h *Hub) admit(addr netip.AddrPort, r ConnectRequest) (DropReason, bool) {
	inUse := h.members.perIP[addr.Addr()]
	if old := h.byAddr[addr]; old != nil && old.open() { // the new session would replace it
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

// Accept assigns a peer ID to the client of an EventConnect, and returns its new, half-open
// session. The next datagram to the client holds the acceptance and messages sent since Accept. The
// session opens with EventConnected, when the client uses its peer ID and the limits of the Hub
// allow it. Until then the client is not a player. The program may accept a kept Event later, but
// its Password is valid only until the next Receive.
//
// A second Accept of the same Connect returns the same session. Accept returns [ErrHubFull] if
// there is no room and no session to replace; call [Hub.Refuse] then. It returns [ErrNoConnect] for
// other events, if this Connect's session was open and ended recently, and if another open session
// of the address has received something within 3 s.
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
		id = h.members.unproven(netip.Addr{}, objectid.NoPeer).session.PeerID() // the new session replaces this one when it opens
	}
	if h.halfOpen.Len() >= h.options.MaxHalfOpen {
		h.abortHalfOpen(EndHandshake)
	}
	return h.join(e, r, id), nil
}

// abortHalfOpen removes the oldest half-open session. It leaves no state that could shut out the
// client.
func (h *Hub) abortHalfOpen(reason EndReason) {
	h.halfOpen.Front().Value.(*member).session.abort(reason, nil)
}

// replace removes a session whose address gets a new session.
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
	m.session.setHub(e.Addr, func(c change) { h.changed(m, c) })
	m.due = m.session.deadline()
	h.byAddr[e.Addr] = m
	m.waiting = h.halfOpen.PushBack(m)
	h.ids.reserved[id]++
	heap.Push(&h.deadlines, m)
	m.session.open(r.ConnID, !e.sequenced)
	h.deadlines.update(m)
	return m.session
}

// mayOpen reports whether a half-open session may open, given the peer ID of a datagram from its
// address. It ends no other session, because the datagram may not open this one.
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
		// Half-open sessions share this ID, and another client has used it first.
		// The client has the acceptance, so it would drop a Boot with its sequence number.
		h.drop(DropConnectLimit)
		h.refuse(refusal{addr: m.addr, peer: id, seq: m.session.afterReply()})
		m.session.abort(EndHandshake, nil)
		return false
	case !h.rates.allow(ip, h.clock.now), !h.roomFor(ip):
		h.drop(DropConnectLimit)
		return false
	}
	return true
}

// roomFor reports whether the limits allow a session of an address to open, with or without
// replacing an unproven session.
func (h *Hub) roomFor(ip netip.Addr) bool {
	return (h.members.perIP[ip] < h.options.MaxPerIP || h.members.unproven(ip, objectid.NoPeer) != nil) &&
		(h.members.open < h.options.MaxSessions || h.members.unproven(netip.Addr{}, objectid.NoPeer) != nil)
}

// makeRoom ends the unproven sessions that an opening session replaces: the session with its peer
// ID, and the oldest sessions if a limit is reached.
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

// refusal is a Boot to a client without a session.
type refusal struct {
	addr   netip.AddrPort
	reason BootReason
	peer   objectid.PeerID
	seq    uint16
	ack    bool // acknowledges its Connect
}

// Refuse queues a Boot to the client of an EventConnect, and ignores other events. It does not end
// an accepted session: close that, too. If the Boot is lost, the client's next Connect causes
// another event.
func (h *Hub) Refuse(e Event, reason BootReason) {
	if e.Kind == EventConnect {
		h.refuse(refusal{addr: e.Addr, reason: reason, peer: objectid.NoPeer, ack: e.sequenced})
	}
}

func (h *Hub) refuse(r refusal) {
	if len(h.refusals) >= maxRefusals {
		h.drop(DropRefusalQueueFull)
		return
	}
	h.refusals = append(h.refusals, r)
}

// refuseAll sends the queued refusals, and reports whether the caller continues.
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
	boot := NewMessage(r.seq, Boot{Reason: r.reason, PeerID: r.peer})
	w.addMessage(&boot)
	return w.finish()
}
