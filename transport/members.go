package transport

import "slices"

// tally counts sessions that have not ended.
type tally struct{ sessions, halfOpen int }

// replace removes a session whose address has another one now.
func (h *Hub) replace(s *Session) {
	if !s.ended() {
		s.end(EndReplaced, nil)
	}
	h.remove(s)
}

// evict makes room for one more session by removing the one that ended first.
func (h *Hub) evict() {
	var oldest *Session
	ended := 0
	for _, s := range h.sessions {
		if s.ended() {
			ended++
			if oldest == nil || s.goneAt < oldest.goneAt {
				oldest = s
			}
		}
	}
	if ended >= h.options.MaxSessions {
		h.remove(oldest)
	}
}

func (h *Hub) remove(s *Session) {
	h.counters.add(&s.counters)
	delete(h.byAddr, s.addr)
	h.sessions = slices.Delete(h.sessions, s.place, s.place+1)
	h.agenda.remove(s)
	for i, other := range h.sessions[s.place:] {
		other.place = s.place + i
	}
	s.place, s.state = -1, gone
}

// confirmed notes that a client has used its peer ID.
func (h *Hub) confirmed(s *Session) { h.count(s, 0, -1) }

// ended notes that a session has ended.
func (h *Hub) ended(s *Session) {
	half := 0
	if !s.heard {
		half = -1
	}
	h.count(s, -1, half)
	now := h.clock.now
	h.ids.release(s.peer, now+h.options.Remember)
	if s.nameless {
		h.past.add(s.addr, s.connID, now+h.options.ReplaceAfter)
	} else {
		h.past.add(s.addr, s.connID, now+h.options.Remember)
	}
}

func (h *Hub) count(s *Session, sessions, halfOpen int) {
	ip := s.addr.Addr()
	t := h.hosts[ip]
	t.sessions += sessions
	t.halfOpen += halfOpen
	h.hosts[ip] = t
	if t == (tally{}) {
		delete(h.hosts, ip)
	}
	h.all.sessions += sessions
	h.all.halfOpen += halfOpen
}
