package transport

// receiveConnect receives a datagram of a client without a peer ID, and reads only its Connect. A
// duplicate makes the host send its reply again.
func (s *Session) receiveConnect(d []byte) {
	m, request, ok := findConnect(d, s.options.Mode)
	switch {
	case !ok:
		s.drop(DropNoConnect)
		return
	case s.life.state == stateConnecting:
		s.open(request.ConnID, m.Short)
	case request.ConnID != s.life.client.connID:
		s.drop(DropBusyConnect)
		return
	case !m.Short:
		s.receiveReliable(&m)
	}
	s.counters.Received++
	s.life.proof.received(len(d))
	if !s.life.halfOpen() {
		return // a late duplicate does not show that the client is alive
	}
	s.life.heardAt = s.clock.now
	if reply := s.sender.handshake(); reply.sends > 0 {
		s.sender.schedule(reply, s.clock.now)
	}
}

// open opens the session of a host with the Connect of its client.
func (s *Session) open(connID uint32, short bool) {
	s.life.enter(stateHalfOpen)
	s.life.client.connID, s.life.client.short = connID, short
	if short {
		s.speaksOpenBC()
	} else { // a short Connect has no sequence number
		s.receiver.channels[systemChannel].expected++
		s.receiver.acknowledge(s.clock.now, &Message{Type: TypeConnect})
	}
	s.sender.sendAlways(&ConnectReply{PeerID: s.life.client.peer})
	s.notify(changedDeadline)
}

// openFor opens the session of a Hub with a Connect of a datagram of so many bytes.
func (s *Session) openFor(connID uint32, short bool, bytes int) {
	s.life.proof.received(bytes)
	s.open(connID, short)
}

// receiveReply opens the session of a client.
func (s *Session) receiveReply(r *ConnectReply) {
	if s.life.host || s.life.state != stateConnecting || !validPeer(r.PeerID) {
		s.drop(DropForged)
		return
	}
	s.life.enter(stateOpen)
	s.life.client.peer = r.PeerID
	s.handshakeAcknowledged()
	s.event(Event{Kind: EventConnected, Body: r})
}

// handshakeAcknowledged removes the first system message, which OpenBC does not acknowledge.
func (s *Session) handshakeAcknowledged() {
	if m := s.sender.handshake(); m != nil && m.sends > 0 {
		s.acknowledged(m)
	}
}

// findConnect returns the first Connect of a datagram. OpenBC's Connect has neither a ConnID nor
// a password.
func findConnect(d []byte, mode Mode) (m Message, r *ConnectRequest, ok bool) {
	off, n := 2, 1
	for i := 0; i < int(d[1]) && n > 0; i++ {
		var err error
		m = Message{}
		n, err = mode.parse(&m, d[off:]) // allocates no error, unlike Messages
		off += n
		if err != nil || m.Type != TypeConnect || m.Seq != 0 {
			continue
		}
		body, _ := m.decode()
		if r, ok = body.(*ConnectRequest); ok {
			return m, r, true
		}
		if m.Short {
			return m, &ConnectRequest{}, true
		}
	}
	return m, nil, false
}

// Close ends the session with a Disconnect, which is retransmitted for at most CloseTimeout.
// Unacknowledged payloads are lost. Before the Connect or the reply arrives, and for a half-open
// session of a Hub, nothing is sent. Otherwise, serve the session until [Session.Flushed]. A second
// call has no effect.
func (s *Session) Close() {
	s.ready()
	switch {
	case s.life.ended():
	case s.life.state == stateConnecting:
		s.abort(EndClosed, nil)
	default:
		s.disconnect(EndClosed, s.life.closingMessage(EndClosed))
	}
	s.notify(changedDeadline)
}

// Boot is like Close, but a host sends a Boot with the reason instead of a Disconnect. To reject a
// half-open session of a Hub, call [Hub.Refuse], then Close, before the next loop over Datagrams.
// If that loop runs first, it sends the acceptance. The client then drops the Boot of Refuse as a
// duplicate, because both messages have sequence number 0.
func (s *Session) Boot(reason BootReason) {
	if !s.life.host || !s.life.open() {
		s.Close()
		return
	}
	s.disconnect(EndClosed, &Boot{Reason: reason, PeerID: s.life.client.peer})
	s.notify(changedDeadline)
}

// disconnect ends the session with a closing message, after the earlier messages of the system
// channel.
func (s *Session) disconnect(reason EndReason, closing Body) {
	s.sender.discard(gameChannel)
	s.sender.sendAlways(closing)
	s.end(stateClosing, reason, nil)
}

// abort ends the session without a message to the peer.
func (s *Session) abort(reason EndReason, body Body) {
	s.sender.discard(gameChannel)
	s.sender.discard(systemChannel)
	s.end(stateLingering, reason, body)
}

func (s *Session) end(to state, reason EndReason, body Body) {
	s.receiver.close()
	s.life.end(s.clock.now, to, reason)
	s.event(Event{Kind: EventEnded, End: reason, Body: body})
	s.notify(changedEnded)
}

// release releases the memory of a session that is over, with the messages that it still had when
// its Hub removed it.
func (s *Session) release() {
	s.life.enter(stateReleased)
	s.sender.discard(systemChannel)
	s.buf = nil
	s.sender.pool = messagePool{}
	s.receiver = receiver{options: s.options, counters: &s.counters, numbers: s.receiver.numbers, closed: true}
}
