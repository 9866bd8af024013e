package transport

import (
	"bytes"
	"container/heap"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
)

// connect receives a datagram without a peer ID. It passes a duplicate of an accepted Connect to
// its session.
func (h *Hub) connect(first *member, addr netip.AddrPort, datagram []byte) {
	c, r, ok := findConnect(datagram)
	if !ok {
		h.drop(dropNoConnect)
		return
	}
	e := Event{Kind: EventConnect, Body: r, Addr: addr, sequenced: !c.Short, size: int32(len(datagram))}
	m := h.owner(first, r, c.Short)
	if m == nil || !m.open() {
		h.quiet(first)
	}
	if m != nil {
		m.ask(r.Password)
		m.session.receive(datagram)
		h.deadlines.changed(m)
		return
	}
	switch reason, ok := h.admit(first, addr, r); {
	case ok:
		h.events.push(e)
	case reason == dropAddressLimit:
		h.Refuse(e, BootTooManyPlayers)
		fallthrough
	default:
		h.drop(reason)
	}
}

// owner returns the session of an address to which a Connect belongs, or nil: the open session
// that it has opened, or the half-open session of its form. A half-open session takes any Connect
// of its form, because a forged Connect must not shut out the client. OpenBC's Connects are all
// equal, so a Connect is new if the session has been silent.
func (h *Hub) owner(first *member, r *ConnectRequest, short bool) *member {
	for m := first; m != nil; m = m.next {
		client := m.session.life.client
		if m.open() && client.connID == r.ConnID && client.short == short && !(short && h.silent(m)) {
			return m
		}
	}
	for m := first; m != nil; m = m.next {
		if m.session.life.halfOpen() && m.session.life.client.short == short {
			m.session.life.client.connID = r.ConnID
			return m
		}
	}
	return nil
}

// silent reports whether the client of a session may have restarted: it has sent nothing for a while, and what was
// sent to it has arrived or is lost.
func (h *Hub) silent(m *member) bool {
	return m.session.silence() >= replaceAfter && h.clock.Now-m.session.life.sentAt >= drainTime
}

// halfOpenAge is the age from which a half-open session may be replaced by another one.
const halfOpenAge = 2 * time.Second

// admit reports whether a Connect may be accepted, and the reason if not. The limits do not concern
// a client that may have restarted: its earlier session ends when the new one opens. After half of the numbers, the
// client of the earlier session would take probes for messages, if a stranger has forged the Connect.
func (h *Hub) admit(first *member, addr netip.AddrPort, r *ConnectRequest) (DropReason, bool) {
	network, restart := limit.Of(addr), false
	for m := first; m != nil; m = m.next {
		if m.open() && (!h.silent(m) || m.session.sender.channels[gameChannel].next() > firstProbe-maxAhead) {
			return dropBusyConnect, false
		}
		restart = restart || m.open()
	}
	switch {
	case h.recent.has(addr, h.clock.Now, func(c clientIdentity) bool { return c.connID == r.ConnID }):
		return dropStaleConnect, false
	case h.halfOpen.Len() >= h.options.maxHalfOpen && h.clock.Now < h.oldestHalfOpen().session.life.bornAt+halfOpenAge:
		return dropHalfOpenLimit, false
	case restart:
		return 0, true
	case !h.rates.Has(h.clock.Now, network, newSessions, 1):
		return dropRateLimit, false
	case h.members.perIP[network] >= h.options.MaxPerIP && h.members.kept(network) >= h.options.MaxPerIP:
		return dropAddressLimit, false
	}
	return 0, true
}

// Accept assigns a peer ID to the client of an EventConnect, and returns its new, half-open session. The next
// datagram to the client holds the acceptance and messages sent since Accept. The address of the client may be
// forged. The session opens with EventConnected, when the client has shown that it receives this datagram, and the
// limits of the Hub allow it. Until then, the address and port get at most 128 bytes and three times what comes from
// there, and messages of the client are dropped. The program may accept a kept Event later, but its Password is valid
// only until the next Receive.
//
// If the address has an open session, the new session stands beside it until it opens. EventEnded with EndReplaced
// follows for the earlier session.
//
// A second Accept of the same Connect returns the same session. Accept returns [ErrHubFull] if there is no room and no
// session to replace, and refuses the client. It returns [ErrNoConnect] for other events, and for a kept Event whose
// Connect would not cause an event now: its session was open and has ended, or [EventConnect] excludes it.
func (h *Hub) Accept(e Event) (*Session, error) {
	r, ok := e.Body.(*ConnectRequest)
	if e.Kind != EventConnect || !ok {
		return nil, ErrNoConnect
	}
	first := h.byAddr[e.Addr]
	if m := h.owner(first, r, !e.sequenced); m != nil {
		m.ask(r.Password)
		return m.session, nil
	}
	switch why, ok := h.admit(first, e.Addr, r); {
	case !ok && why != dropAddressLimit:
		return nil, ErrNoConnect
	case !ok, first.opened() == nil && h.members.kept(limit.Network{}) >= h.options.MaxSessions:
		h.Refuse(e, BootTooManyPlayers)
		return nil, ErrHubFull
	}
	id, ok := h.ids.choose(h.clock.Now, h.options.RandomPeerIDs)
	if !ok {
		weakest := h.members.weakest(limit.Network{}, e.Addr)
		if weakest == nil {
			h.Refuse(e, BootTooManyPlayers)
			return nil, ErrHubFull
		}
		id = weakest.session.PeerID() // the new session replaces this one when it opens
	}
	h.removeEnded(first)
	if h.halfOpen.Len() >= h.options.maxHalfOpen {
		h.abortHalfOpen(EndHandshake)
	}
	return h.join(e, r, id), nil
}

// abortHalfOpen removes the oldest half-open session. It leaves no state that could shut out the
// client.
func (h *Hub) abortHalfOpen(reason EndReason) {
	h.oldestHalfOpen().session.abort(reason, nil)
}

func (h *Hub) oldestHalfOpen() *member { return h.halfOpen.Front().Value.(*member) }

// removeEnded removes the ended sessions of an address that gets a new session.
func (h *Hub) removeEnded(first *member) {
	for m := first; m != nil; {
		next := m.next
		if m.session.life.ended() {
			h.remove(m)
		}
		m = next
	}
}

// replace ends a session whose address has a new session.
func (h *Hub) replace(m *member) {
	m.session.abort(EndReplaced, nil)
	if !m.removed() {
		h.remove(m)
	}
}

// quietTime is the time for which the open session of an address sends nothing after a sign that its client has
// restarted, until the client is heard. A new client would take the messages of the session for messages of its own one.
const quietTime = 4 * time.Second

// quiet makes the open session of an address quiet, after a datagram for another one. A client that was heard since the
// last loop over Datagrams has not restarted, and gets what is due: otherwise forged Connects between its datagrams and
// the next loop would mute the session.
func (h *Hub) quiet(first *member) {
	if old := first.opened(); old != nil && old.heard != h.loops {
		old.session.quiet(quietTime)
	}
}

// join makes the session of a Connect.
func (h *Hub) join(e Event, r *ConnectRequest, id objectid.PeerID) *Session {
	m := &member{hub: h, addr: e.Addr, network: limit.Of(e.Addr), due: stale}
	if r.Password.String() != "" {
		m.asked = &[]UTF16Z{bytes.Clone(r.Password)}
	}
	m.session = newHost(&h.clock, &h.events, h.session, id)
	m.session.addr, m.session.member = e.Addr, m
	if h.byAddr[e.Addr].opened() != nil {
		// No payload goes with the reply to the Connect: the client may be the one of the earlier session, which
		// would take it for a payload of its own session.
		m.session.life.beside = true
	}
	h.byAddr.add(m)
	m.waiting = h.halfOpen.PushBack(m)
	h.ids.reserved[id]++
	heap.Push(&h.deadlines, m)
	m.session.connect(r.ConnID, !e.sequenced)
	m.session.life.validation.begin(h.options.Rand, int(e.size))
	return m.session
}

// maxAsked is the largest number of passwords of a half-open session.
const maxAsked = 4

// ask remembers the password of another Connect of a half-open session.
func (m *member) ask(password UTF16Z) {
	if !m.session.life.halfOpen() {
		return
	}
	asked := slices.DeleteFunc(m.passwords(), func(p UTF16Z) bool { return p.String() == password.String() })
	asked = slices.Insert(asked[:min(len(asked), maxAsked-1)], 0, bytes.Clone(password))
	m.asked = &asked
}

// passwords returns the passwords of the client. A session takes no memory for an empty one.
func (m *member) passwords() []UTF16Z {
	if m.asked == nil {
		return []UTF16Z{nil}
	}
	return *m.asked
}

// Passwords returns the passwords in the Connects of a session's client: at most the last 4 different ones, the
// newest first. There are several if somebody has forged the address of the client before it was validated. After
// four forged ones, the password of the client is not among them. Compare the passwords after EventConnected, and
// reply to all Connects alike: whoever forges an address would otherwise decide what a client is told, and use up its
// trials. The caller must not modify the passwords.
func (h *Hub) Passwords(s *Session) []UTF16Z {
	for m := h.byAddr[s.addr]; m != nil; m = m.next {
		if m.session == s {
			return m.passwords()
		}
	}
	return nil
}

func (h *Hub) weakest() *member                  { return h.weakestOf(limit.Network{}) }
func (h *Hub) weakestOf(n limit.Network) *member { return h.members.weakest(n, netip.AddrPort{}) }

// mayOpen reports whether a half-open session may open, whose address is validated.
func (h *Hub) mayOpen(m *member) bool {
	id := m.session.PeerID()
	switch {
	case h.ids.open[id] && h.sharer(id) == nil:
		// Half-open sessions share this ID, and another one has opened first.
		return h.shutOut(m, dropSessionLimit)
	case h.byAddr[m.addr].opened() != nil: // a restart
		return true
	case h.members.kept(m.network) >= h.options.MaxPerIP:
		return h.shutOut(m, dropAddressLimit)
	case h.members.kept(limit.Network{}) >= h.options.MaxSessions:
		return h.shutOut(m, dropSessionLimit)
	case !h.rates.Has(h.clock.Now, m.network, newSessions, 1):
		h.drop(dropRateLimit) // the client is heard again
		return false
	}
	return true
}

// sharer returns the open session with a peer ID, if another one that opens may replace it.
func (h *Hub) sharer(id objectid.PeerID) *member {
	for _, m := range h.members.list {
		if m.open() && m.session.PeerID() == id && !m.session.isKept() && h.members.open >= h.options.MaxSessions {
			return m
		}
	}
	return nil
}

// shutOut refuses a client for which there is no room any more, and returns false.
func (h *Hub) shutOut(m *member, reason DropReason) bool {
	h.drop(reason)
	h.bootHalfOpen(m, BootTooManyPlayers)
	m.session.abort(EndLimit, nil)
	return false
}

// bootHalfOpen queues a Boot to the client of a half-open session, within the anti-amplification limit. A client that
// has the acceptance would drop a Boot with its sequence number.
func (h *Hub) bootHalfOpen(m *member, reason BootReason) {
	s, v := m.session, m.session.life.validation
	r := refusal{addr: m.addr, reason: reason, peer: objectid.NoPeer, ack: !s.life.client.short}
	if s.sender.handshake().sends > 0 {
		r.peer, r.seq, r.ack = s.PeerID(), s.sender.afterReply(), false
	}
	if v.complete() || v.allowance >= len(r.append(nil)) {
		h.refuse(r)
	}
}

// makeRoom ends the sessions that an opening session replaces: the session with its peer ID, the earlier one of its
// address, and the weakest ones if a limit is reached.
func (h *Hub) makeRoom(m *member) {
	if id := m.session.PeerID(); h.ids.open[id] { // first, because sharer is nil below the limit
		h.sharer(id).session.evict()
	}
	if old := h.byAddr[m.addr].opened(); old != nil {
		h.replace(old)
	}
	if h.members.perIP[m.network] >= h.options.MaxPerIP {
		h.weakestOf(m.network).session.evict()
	}
	if h.members.open >= h.options.MaxSessions {
		h.weakest().session.evict()
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

// Refuse queues a Boot to the client of an EventConnect, and ignores other events. If the Boot is lost, the client's next
// Connect causes another event. To refuse a client that was accepted, call [Session.Boot].
func (h *Hub) Refuse(e Event, reason BootReason) {
	if e.Kind == EventConnect {
		h.refuse(refusal{addr: e.Addr, reason: reason, peer: objectid.NoPeer, ack: e.sequenced})
	}
}

func (h *Hub) refuse(r refusal) {
	if len(h.refusals) >= maxRefusals {
		h.drop(dropRefusalQueueFull)
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
	w := writeDatagram(dst, byte(objectid.Host), MaxDatagram)
	if r.ack {
		w.addAck(Ack{Flags: AckSystem})
	}
	boot := NewMessage(r.seq, &Boot{Reason: r.reason, PeerID: r.peer})
	w.addMessage(&boot)
	return w.finish()
}
