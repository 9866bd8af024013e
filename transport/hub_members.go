package transport

import (
	"container/heap"
	"net/netip"
	"slices"
	"time"
)

// member is a session in a [Hub].
type member struct {
	session *Session
	addr    netip.AddrPort
	due     time.Duration // of the session, as of the last update
	turn    int           // index in Hub.deadlines, -1: not in the Hub any more
	place   int           // index in Hub.members, -1: half-open

	older, newer *member // half-open: neighbours in the table
}

func (m *member) halfOpen() bool { return m.place < 0 && m.turn >= 0 }
func (m *member) gone() bool     { return m.turn < 0 }

// members is the sessions whose clients have used their peer IDs, in the order in which
// they did.
type members struct {
	list  []*member
	open  int // that have not ended
	perIP map[netip.Addr]int
}

func (t *members) add(m *member) {
	m.place = len(t.list)
	t.list = append(t.list, m)
	t.count(m, 1)
}

func (t *members) count(m *member, n int) {
	t.open += n
	ip := m.addr.Addr()
	if t.perIP[ip] += n; t.perIP[ip] == 0 {
		delete(t.perIP, ip)
	}
}

func (t *members) remove(m *member) {
	t.list = slices.Delete(t.list, m.place, m.place+1)
	for i, other := range t.list[m.place:] {
		other.place = m.place + i
	}
	m.place = -1
}

// unproven returns the oldest open session that has not shown that its client receives,
// nil if there is none. If ip is valid, it returns a session of that address only.
func (t *members) unproven(ip netip.Addr) *member {
	for _, m := range t.list {
		if !m.session.ended() && !m.session.proven && (!ip.IsValid() || ip == m.addr.Addr()) {
			return m
		}
	}
	return nil
}

// firstEnded returns the session that ended first, and how many have.
func (t *members) firstEnded() (first *member, n int) {
	for _, m := range t.list {
		if m.session.ended() {
			n++
			if first == nil || m.session.goneAt < first.session.goneAt {
				first = m
			}
		}
	}
	return first, n
}

// change is what a session tells its Hub.
type change uint8

const (
	changedDeadline change = iota // it may have changed
	changedOpened                 // the client has used its peer ID
	changedEnded
)

// changed takes note of what has changed in a session.
func (h *Hub) changed(m *member, c change) {
	switch {
	case m.gone():
	case c == changedOpened:
		h.opened(m)
	case c == changedEnded && m.halfOpen():
		h.remove(m)
	case c == changedEnded:
		h.members.count(m, -1)
		h.ids.release(m.session.peer, h.clock.now+h.options.Remember)
		h.recent.add(m.session, h.clock.now, &h.options)
		h.deadlines.update(m)
	default:
		h.deadlines.update(m)
	}
}

// opened moves a session from the half-open ones to the members.
func (h *Hub) opened(m *member) {
	if first, n := h.members.firstEnded(); n >= h.options.MaxSessions {
		h.remove(first)
	}
	h.halfOpen.remove(m)
	h.members.add(m)
	h.ids.open(m.session.peer)
	h.rates.take(m.addr.Addr(), h.clock.now)
}

// remove forgets a session.
func (h *Hub) remove(m *member) {
	s := m.session
	if m.place >= 0 {
		h.members.remove(m)
	} else {
		h.halfOpen.remove(m)
		h.ids.cancel(s.peer)
	}
	heap.Remove(&h.deadlines, m.turn)
	delete(h.byAddr, m.addr)
	h.counters.add(&s.counters)
	s.state = gone
}

// halfOpen is the sessions whose clients have not used their peer IDs yet, in the order of
// their Connects. Their addresses may be forged: one can be taken out at any time, and then
// nothing is left of it that could keep the client of that address out.
type halfOpen struct {
	first, last *member
	n           int
}

func (t *halfOpen) len() int { return t.n }

// oldest returns the session whose Connect came first, nil if there is none.
func (t *halfOpen) oldest() *member { return t.first }

func (t *halfOpen) add(m *member) {
	m.place, m.older, m.newer = -1, t.last, nil
	if t.last != nil {
		t.last.newer = m
	} else {
		t.first = m
	}
	t.last = m
	t.n++
}

func (t *halfOpen) remove(m *member) {
	if m.older != nil {
		m.older.newer = m.newer
	} else {
		t.first = m.newer
	}
	if m.newer != nil {
		m.newer.older = m.older
	} else {
		t.last = m.older
	}
	m.older, m.newer = nil, nil
	t.n--
}

// mayOpen reports whether a half-open session may open now that a datagram with a peer ID
// has come from its address.
func (h *Hub) mayOpen(m *member, id int8) bool {
	s, ip := m.session, m.addr.Addr()
	switch {
	case id != s.peer:
		h.drop(DropWrongPeer)
		if !h.recent.had(m.addr, id, h.clock.now) { // not a late datagram, but a guess
			h.dropHalfOpen(m, EndHandshake)
		}
		return false
	case h.ids.isOpen(id) && !h.makeRoom(h.holder(id)):
		// More clients are half-open than there are free peer IDs, and another one with
		// this ID was faster.
		h.drop(DropConnectLimit)
		h.dropHalfOpen(m, EndHandshake)
		h.refuse(refusal{addr: m.addr, reason: BootUnspecified})
		return false
	case !h.rates.allow(ip, h.clock.now):
		h.drop(DropConnectLimit)
		return false
	}
	if h.members.perIP[ip] >= h.options.MaxPerIP && !h.makeRoom(h.members.unproven(ip)) ||
		h.members.open >= h.options.MaxSessions && !h.makeRoom(h.members.unproven(anyIP)) {
		h.drop(DropConnectLimit)
		return false
	}
	return true
}

// holder returns the session that holds a peer ID if the hub is full and the session is not
// proven, else nil.
func (h *Hub) holder(id int8) *member {
	if h.members.open < h.options.MaxSessions {
		return nil
	}
	i := slices.IndexFunc(h.members.list, func(m *member) bool {
		return m.session.peer == id && !m.session.ended() && !m.session.proven
	})
	if i < 0 {
		return nil
	}
	return h.members.list[i]
}

// makeRoom ends the session of a client that has not shown that it receives. It reports
// whether there is one.
func (h *Hub) makeRoom(m *member) bool {
	if m == nil {
		return false
	}
	m.session.end(EndReplaced, nil)
	return true
}

// dropHalfOpen ends a half-open session without a trace.
func (h *Hub) dropHalfOpen(m *member, why EndReason) { m.session.end(why, nil) }
