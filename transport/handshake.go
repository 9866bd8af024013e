package transport

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
