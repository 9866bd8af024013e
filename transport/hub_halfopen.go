package transport

import "slices"

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
