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
		if h.refuseAll(yield) && h.next <= h.clock.now {
			h.poll(yield)
		}
	}
}

// poll serves the sessions that are due. The caller may change any of them meanwhile, and
// leave.
func (h *Hub) poll(yield func(netip.AddrPort, []byte) bool) {
	for i := 0; i < len(h.sessions); i++ {
		if h.due[i] > h.clock.now {
			continue
		}
		s := h.sessions[i]
		if !h.serve(s, yield) {
			return
		}
		switch i = s.place; { // others may have been removed
		case i < 0:
		case s.state == gone:
			h.remove(s)
			i--
		default:
			h.due[i] = s.deadline()
		}
	}
	h.next = forever
	for _, due := range h.due {
		h.next = min(h.next, due)
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

// touch notes when a session wants to be looked at, if that is sooner.
func (h *Hub) touch(s *Session) {
	if s.place >= 0 {
		due := s.deadline()
		h.due[s.place] = min(h.due[s.place], due)
		h.next = min(h.next, due)
	}
}

// NextDeadline returns when to call Datagrams, if nothing happens before; the zero Time,
// which is no deadline for a socket either, if there is no session. It is in the future
// whenever the loops over Datagrams and Events have come to their ends.
func (h *Hub) NextDeadline() time.Time {
	if h.events.len() > 0 || len(h.refusals) > 0 {
		return h.clock.wall
	}
	return h.clock.at(h.next)
}
