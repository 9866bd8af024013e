package transport

import "time"

// Receive takes a datagram, deciphered, that came from the peer: see [Session.Events] for
// what it brings. Datagrams that are not the peer's, by their peer ID, and messages that
// cannot be read or make no sense are dropped and counted.
func (s *Session) Receive(now time.Time, datagram []byte) {
	s.ready()
	s.clock.set(now)
	s.receive(datagram)
	s.touch()
}

func (s *Session) receive(d []byte) {
	s.reclaim()
	switch {
	case s.state == gone:
		s.drop(DropLate)
	case s.events.len() >= maxEvents:
		s.drop(DropUnread)
	case len(d) < 2 || IsGameSpy(d):
		s.drop(DropMalformed)
	case s.host && int8(d[0]) == NoPeer:
		s.connects(d)
	case s.host && s.state == connecting:
		s.drop(DropEarly)
	case s.host && int8(d[0]) != s.peer, !s.host && int8(d[0]) != Host:
		s.drop(DropWrongPeer)
	default:
		s.counters.Received++
		s.messages(d)
	}
}

func (s *Session) messages(d []byte) {
	if d[1] == 0 {
		s.heardAt = s.clock.now
	}
	off := 2
	for range d[1] {
		var m Message
		n, err := s.options.Mode.parse(&m, d[off:])
		off += n
		if err != nil {
			s.drop(DropMalformed)
		} else {
			s.hear()
			s.message(&m)
		}
		if n == 0 {
			break
		}
	}
}

// hear notes that the peer is there, and that a client knows the peer ID that it uses.
func (s *Session) hear() {
	s.heardAt = s.clock.now
	if !s.halfOpen() {
		return
	}
	s.heard = true
	s.answered()
	s.event(Event{Kind: EventConnected})
	s.tell(changedOpened)
}

func (s *Session) message(m *Message) {
	switch {
	case m.Type == TypeAck:
		s.ack(m)
	case m.Type == TypeDoNothing:
	case m.Short:
		s.short(m)
	case s.state == connecting && m.Type == TypeData && !m.Reliable && !m.Fragment:
		s.deliver(m) // the reason for which OpenBC refuses the client
	case s.state == connecting && (m.Seq != 0 || m.Type != TypeConnect && m.Type != TypeBoot):
		s.drop(DropEarly)
	case m.System():
		s.systemMessage(m)
	case m.Reliable:
		s.sequenced(&s.in[game], m)
	default:
		s.deliver(m)
	}
}

func (s *Session) ack(m *Message) {
	a, _ := m.Ack() // parsed: it is one
	if a.Flags&openBCAck != 0 {
		s.speaksOpenBC()
	}
	o := s.outbox(a.Flags&AckSystem != 0)
	named := a.Seq
	a.Seq = s.acked(a.Seq, o)
	e := o.find(a)
	if e == nil || e.sends == 0 || s.state == connecting {
		s.counters.StrayAcks++ // what is not sent has no Ack; a Connect is repeated until the reply
		if !s.Proven() && s.state == open && (e != nil || o.ahead(a.Seq) >= o.n && !o.was(named)) {
			s.end(EndForged, nil)
		}
		return
	}
	s.acknowledged(e)
	s.closed()
	// A message before the first challenged one, unacknowledged, would be retransmitted as to
	// a client that receives.
	if !s.Proven() && s.state == open && int16(s.out[game].base-s.proof) > 0 {
		s.proven = true
		s.event(Event{Kind: EventProven})
	}
}

func (s *Session) drop(r DropReason) { s.counters.Drops[r]++ }

// reclaim takes back the memory of payloads that the caller is done with. Events that wait
// may have it: they keep it for themselves.
func (s *Session) reclaim() {
	if s.events.len() > 0 {
		s.lent = list{}
	}
	for e := s.lent.pop(); e != nil; e = s.lent.pop() {
		s.pool.put(e)
	}
}
