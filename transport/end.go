package transport

// Close ends the session with a farewell, a Disconnect, which is repeated until it is
// acknowledged or [Options].CloseTimeout is over: go on as before until [Session.Flushed].
// Payloads that have not been acknowledged are lost. Closing twice does no harm.
func (s *Session) Close() {
	s.ready()
	switch {
	case s.ended():
	case s.state == connecting:
		s.end(EndClosed, nil)
	default:
		s.fail(EndClosed, s.disconnect())
	}
	s.touch()
}

// Boot closes the session of a host with a Boot instead, which tells the client why. At
// a client it is Close.
func (s *Session) Boot(reason BootReason) {
	if !s.host || s.state != open {
		s.Close()
		return
	}
	s.fail(EndClosed, Boot{Reason: reason, PeerID: s.peer})
	s.touch()
}

func (s *Session) disconnect() Body {
	if s.host {
		return Disconnect{PeerID: Host}
	}
	return Disconnect{PeerID: s.peer, IP: s.ip}
}

// fault ends the session because the peer fails.
func (s *Session) fault(reason EndReason) {
	farewell := s.disconnect()
	if s.host {
		farewell = Boot{Reason: BootTimeout, PeerID: s.peer}
		if reason == EndBadFragment {
			farewell = Boot{PeerID: s.peer}
		}
	}
	s.fail(reason, farewell)
}

// fail ends the session with a farewell. What went before it in the system channel must
// arrive for it to be heard.
func (s *Session) fail(reason EndReason, farewell Body) {
	s.discard(game)
	s.state, s.closeAt = closing, s.clock.now+s.options.CloseTimeout
	s.put(system, farewell)
	s.finish(reason, nil)
}

// end ends the session without a word.
func (s *Session) end(reason EndReason, body Body) {
	s.discard(game)
	s.discard(system)
	s.state = lingering
	s.finish(reason, body)
}

func (s *Session) finish(reason EndReason, body Body) {
	s.reason, s.goneAt = reason, s.clock.now+s.options.Linger
	s.event(Event{Kind: EventEnded, End: reason, Body: body})
	s.tell(changedEnded)
}

// discard forgets what a channel has to send, and for the game channel what it has
// received in part.
func (s *Session) discard(channel int) {
	o := &s.out[channel]
	for _, l := range []*list{&s.fresh, &s.flight, &o.held} {
		for e := l.head; e != nil; {
			next := e.next
			if e.system == (channel == system) {
				s.forget(e)
			}
			e = next
		}
	}
	*o = outbox{base: o.next()}
	if channel == game {
		s.loose, s.sets = 0, assembly{}
		s.in[game] = inbox{expected: s.in[game].expected}
	}
}
