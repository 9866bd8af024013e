package transport

import "time"

// connects takes a datagram of a client without a peer ID, in which a Connect is all
// that counts. A copy has no effect but that the reply is repeated.
func (s *Session) connects(d []byte) {
	m, request, ok := connectIn(d, s.options.Mode)
	switch {
	case !ok:
		s.drop(DropNoConnect)
		return
	case s.state == connecting:
		s.begin(request.ConnID, m.Short)
	case request.ConnID != s.connID:
		s.drop(DropBusyConnect)
		return
	case !m.Short:
		s.sequenced(&s.in[system], &m)
	}
	s.counters.Received++
	if !s.halfOpen() {
		return // a late copy, and no sign of life
	}
	s.heardAt = s.clock.now
	if e := s.handshake(); e.sends > 0 {
		s.flight.remove(e)
		e.due = s.clock.now
		s.flight.insertDue(e)
	}
}

// begin opens the session of a host with the Connect that it has been waiting for.
func (s *Session) begin(connID uint32, short bool) {
	s.state, s.connID, s.nameless = open, connID, short
	if short {
		s.speaksOpenBC()
	} else { // the other has no number
		s.in[system].expected++
		s.acknowledge(&Message{Type: TypeConnect})
	}
	s.put(system, ConnectReply{PeerID: s.peer})
}

// connectIn returns the first Connect of a datagram. That of OpenBC has neither a ConnID
// nor a password.
func connectIn(d []byte, mode Mode) (m Message, r ConnectRequest, ok bool) {
	off := 2
	for range d[1] {
		m = Message{}
		n, err := mode.parse(&m, d[off:])
		off += n
		if n == 0 {
			break
		}
		if err != nil || m.Type != TypeConnect || m.Seq != 0 {
			continue
		}
		if m.Short {
			return m, r, true
		}
		if r, ok := asRequest(&m); ok {
			return m, r, true
		}
	}
	return m, r, false
}

func asRequest(m *Message) (r ConnectRequest, ok bool) {
	body, err := m.Decode()
	if err == nil {
		r, ok = body.(ConnectRequest)
	}
	return r, ok
}

// handshake returns the first system message, which the handshake acknowledges in a way
// of its own: the Connect or the reply to it; nil if that has happened.
func (s *Session) handshake() *entry { return s.out[system].find(Ack{Flags: AckSystem}) }

// halfOpen says whether a client has not used the peer ID that the host has given it.
func (s *Session) halfOpen() bool { return s.host && !s.heard && s.state == open }

// answered notes that the first system message has arrived: OpenBC does not acknowledge.
func (s *Session) answered() {
	if e := s.handshake(); e != nil && e.sends > 0 {
		s.acknowledged(e)
	}
}

func (s *Session) accepted(r ConnectReply) {
	if s.host || s.state != connecting || !validPeer(r.PeerID) {
		s.drop(DropForged)
		return
	}
	s.state, s.peer = open, r.PeerID
	s.answered()
	s.event(Event{Kind: EventConnected, Body: r})
}

// validPeer says whether a client can have a peer ID.
func validPeer(id int8) bool { return id > Host && id < 127 && id != '\\' }

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
