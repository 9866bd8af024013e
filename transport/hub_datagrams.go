package transport

import (
	"container/heap"
	"iter"
	"net/netip"
	"time"
)

// Datagrams runs the timers and iterates over the datagrams that are due, with their
// destinations, ready to encipher. A datagram is valid until the next one; the caller may
// change it. If the loop is left, the next one continues.
func (h *Hub) Datagrams(now time.Time) iter.Seq2[netip.AddrPort, []byte] {
	return func(yield func(netip.AddrPort, []byte) bool) {
		h.clock.set(now)
		if h.refuseAll(yield) {
			h.poll(yield)
		}
	}
}

// poll serves the sessions that are due. The caller may change any of them meanwhile, and
// leave.
func (h *Hub) poll(yield func(netip.AddrPort, []byte) bool) {
	for h.deadlines.next() <= h.clock.now {
		m := h.deadlines[0]
		if !h.serve(m, yield) {
			return
		}
		if m.gone() { // removed in the loop
			continue
		}
		if m.session.state == gone {
			h.remove(m)
		} else {
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

// NextDeadline returns when to call Datagrams, if nothing happens before. It returns the
// zero Time, which is no deadline for a socket either, if there is no session. It is in the
// future whenever the loops over Datagrams and Events have come to their ends.
func (h *Hub) NextDeadline() time.Time {
	if h.events.len() > 0 || len(h.refusals) > 0 {
		return h.clock.wall
	}
	return h.clock.at(h.deadlines.next())
}

// deadlines is the sessions of a Hub by their deadlines, a heap. The cost of a datagram
// does not depend on the number of sessions.
type deadlines []*member

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].due < d[j].due }
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].turn, d[j].turn = i, j
}

func (d *deadlines) Push(x any) {
	m := x.(*member)
	m.turn = len(*d)
	*d = append(*d, m)
}

func (d *deadlines) Pop() any {
	last := len(*d) - 1
	m := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	m.turn = -1
	return m
}

// update notes that the deadline of a session may have changed.
func (d *deadlines) update(m *member) {
	if due := m.session.deadline(); m.turn >= 0 && due != m.due {
		m.due = due
		heap.Fix(d, m.turn)
	}
}

// next returns the soonest deadline.
func (d deadlines) next() time.Duration {
	if len(d) == 0 {
		return forever
	}
	return d[0].due
}
