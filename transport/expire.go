package transport

import "time"

// dialectSends is how often a system message is sent to OpenBC, which acknowledges none.
const dialectSends = 3

// expire does what time brings about, but for sending.
func (s *Session) expire() {
	now := s.clock.now
	for now >= s.expiry() {
		switch s.state {
		case connecting:
			s.end(EndHandshake, nil)
		case open:
			s.giveUp()
		case closing:
			s.discard(system)
			s.state = lingering
		default:
			s.state = gone
			s.acks, s.buf = ackQueue{}, nil
			s.in, s.lent, s.pool = [channels]inbox{}, list{}, pool{}
		}
	}
	s.expireMessages()
}

// giveUp ends an open session whose time is over.
func (s *Session) giveUp() {
	switch {
	case s.clock.now >= s.heardAt+s.options.PeerTimeout:
		s.fault(EndTimeout)
	case s.unconfirmedUntil() <= s.clock.now:
		s.end(EndHandshake, nil)
	default:
		s.fault(EndFragmentAge)
	}
}

// expiry returns when the next state of the session is due.
func (s *Session) expiry() time.Duration {
	switch s.state {
	case connecting:
		if s.host {
			return s.bornAt + s.options.HandshakeTimeout
		}
		return s.bornAt + s.options.PeerTimeout
	case open:
		return min(s.heardAt+s.options.PeerTimeout, s.unconfirmedUntil(), s.fragmentsUntil())
	case closing:
		return s.closeAt
	case lingering:
		return s.goneAt
	}
	return forever
}

func (s *Session) unconfirmedUntil() time.Duration {
	if !s.halfOpen() {
		return forever
	}
	return s.bornAt + s.options.HandshakeTimeout
}

func (s *Session) fragmentsUntil() time.Duration {
	since, ok := s.sets.oldest()
	if !ok {
		return forever
	}
	return since.Sub(time.Time{}) + s.options.MaxSetAge
}

// expireMessages gives the peer up if the message that is due to be sent again has been
// sent for too long. OpenBC is taken at its word, which is none.
func (s *Session) expireMessages() {
	for e := s.flight.head; e != nil && e.due <= s.clock.now; e = s.flight.head {
		switch {
		case s.dialect && e.system && e.sends >= dialectSends && s.state != connecting && !s.halfOpen():
			s.acknowledged(e)
			s.closed()
		case s.clock.now >= e.first+s.sendTimeout() && s.state == open && !s.halfOpen():
			s.fault(EndUnacknowledged)
			return
		default:
			return
		}
	}
}

// sendTimeout returns how long a message may stay unacknowledged.
func (s *Session) sendTimeout() time.Duration {
	if s.Proven() {
		return s.options.SendTimeout
	}
	return min(s.options.SendTimeout, s.options.ProofTimeout)
}

// closed notes that the farewell has arrived, if so.
func (s *Session) closed() {
	if s.state == closing && s.out[system].n == 0 {
		s.state = lingering
	}
}
