package transport

import "time"

// ready makes a session that nobody has made one that is over.
func (s *Session) ready() {
	if s.options == nil {
		s.over()
	}
}

func (s *Session) over() {
	*s = *newSession(&clock{}, &events{}, Options{}.complete())
	s.peer, s.state, s.reason = NoPeer, gone, EndClosed
}

// ready gives a Hub that nobody has made the default options.
func (h *Hub) ready(now time.Time) {
	if h.session == nil {
		*h = *NewHub(now, HubOptions{})
	}
}
