package transport

import (
	"iter"
	"net/netip"
	"time"
)

// Datagrams runs the timers and iterates over the datagrams that are due, with their
// destinations, ready to encipher. A datagram is valid until the next one; the caller may
// change it. The loop may be left: the next one goes on.
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
	for h.agenda.next() <= h.clock.now {
		s := h.agenda[0].s
		switch {
		case !h.serve(s, yield):
			return
		case s.state != gone:
			h.touch(s)
		case s.place >= 0: // and not removed in the loop
			h.remove(s)
		}
	}
}

// serve passes on the datagrams of a session, and says whether the caller wants more.
func (h *Hub) serve(s *Session, yield func(netip.AddrPort, []byte) bool) bool {
	for more := true; more; {
		h.buf = s.appendDatagram(h.buf[:0])
		if more = len(h.buf) > 0; more && !yield(s.addr, h.buf) {
			return false
		}
	}
	return true
}

// touch notes that the deadline of a session may have changed.
func (h *Hub) touch(s *Session) {
	if s.place >= 0 {
		h.agenda.update(s)
	}
}

// NextDeadline returns when to call Datagrams, if nothing happens before; the zero Time,
// which is no deadline for a socket either, if there is no session. It is in the future
// whenever the loops over Datagrams and Events have come to their ends.
func (h *Hub) NextDeadline() time.Time {
	if h.events.len() > 0 || len(h.refusals) > 0 {
		return h.clock.wall
	}
	return h.clock.at(h.agenda.next())
}
