package transport

import (
	"iter"
	"time"
)

// Datagrams runs the timers and iterates over the datagrams that are due, ready to encipher. A
// datagram is valid until the next, and may be modified. A loop that ends early can be continued.
func (s *Session) Datagrams(now time.Time) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := true; more; {
			s.buf = s.AppendDatagram(s.buf[:0], now)
			more = len(s.buf) > 0 && yield(s.buf)
		}
	}
}

// AppendDatagram runs the timers and appends the next datagram that is due to dst. If none is due,
// it returns dst. A datagram has at most 512 bytes (MaxDatagram). It holds new Acks, at most one
// retransmission, and unsent messages up to the first that does not fit, high priority first.
func (s *Session) AppendDatagram(dst []byte, now time.Time) []byte {
	s.clock.Set(now)
	dst = s.appendDatagram(dst)
	s.notify(changedDeadline)
	return dst
}

func (s *Session) appendDatagram(dst []byte) []byte {
	s.runTimers()
	now := s.clock.Now
	if now < s.outputDue() {
		s.pace.left = 0
		return dst
	}
	limit, v := MaxDatagram, s.life.validation
	if v != nil && v.probes != nil {
		limit = min(limit, v.allowance)
	}
	w := writeDatagram(dst, byte(s.life.sender()), limit)
	s.fill(&w)
	if w.count == 0 { // the address of a half-open session has got all that it may
		s.pace.left = 0
		return dst
	}
	s.pace.take(now, s.options.burst)
	s.counters.Sent++
	s.life.sentAt = now
	dst = w.finish()
	if v != nil {
		v.allowance -= len(dst) - w.start
	}
	return dst
}

// NextDeadline returns the time at which to call Datagrams again, or the zero Time if the session
// is over. An ended session acknowledges retransmissions for 15 s. Then it is over and
// needs no more calls. With unread events, NextDeadline returns the last time that was passed to
// the session. After complete loops over Events and Datagrams, the deadline is in the future.
func (s *Session) NextDeadline() time.Time {
	if s.events.len() > 0 {
		return s.clock.Wall
	}
	return s.clock.At(s.deadline())
}

func (s *Session) deadline() time.Duration { return min(s.timerDue(), s.outputDue()) }

// timerDue returns the time at which the session changes by itself.
func (s *Session) timerDue() time.Duration {
	due := s.life.deadline()
	if s.life.open() {
		due = min(due, s.receiver.deadline())
	}
	return due
}

// runTimers changes the session at its deadlines.
func (s *Session) runTimers() {
	s.life.startClosing(s.clock.Now)
	now := s.clock.Now
	for now >= s.timerDue() {
		switch s.life.state {
		case stateConnecting:
			s.abort(EndHandshake, nil)
		case stateHalfOpen, stateOpen:
			s.timeOut()
		case stateClosing:
			s.sender.discard(systemChannel)
			s.life.enter(stateLingering)
		default:
			s.release()
		}
	}
	s.giveUpDue()
}

// giveUpDue gives up messages that are due again, up to the first that is retransmitted.
func (s *Session) giveUpDue() {
	for m := s.sender.inFlight.head; m != nil && m.due <= s.clock.Now; m = s.sender.inFlight.head {
		if !s.giveUp(m) {
			return
		}
	}
}

// timeOut ends an open session at its deadline.
func (s *Session) timeOut() {
	now, reason := s.clock.Now, EndFragmentAge
	switch {
	case now >= s.life.heardAt+s.options.PeerTimeout:
		reason = EndTimeout
	case now >= s.life.handshakeDeadline():
		s.abort(EndHandshake, nil)
		return
	case s.life.leavesAt > 0 && now >= s.life.leavesAt:
		s.abort(EndLeft, nil)
		return
	}
	s.disconnect(reason, s.life.closingMessage(reason))
}

// giveUp handles a message that is due again. It reports whether it has removed the message from
// the messages in flight. A peer that does not acknowledge in time is disconnected.
func (s *Session) giveUp(m *storedMessage) bool {
	switch {
	case s.ignores(m):
		s.acknowledged(m)
		return true
	case s.life.unacknowledged(s.clock.Now, m):
		s.disconnect(EndUnacknowledged, s.life.closingMessage(EndUnacknowledged))
	}
	return false
}

// pace limits the datagrams of a tick.
type pace struct {
	at   time.Duration // the beginning of the tick; in the future if the session is quiet
	left int           // remaining datagrams of the tick; 0: the next one begins a tick
}

func (p *pace) take(now time.Duration, burst int) {
	if p.left == 0 {
		p.left, p.at = burst, now
	}
	p.left--
}

// outputDue returns the time at which the next datagram is due.
func (s *Session) outputDue() time.Duration {
	var due time.Duration
	switch {
	case s.life.halfOpen():
		due = s.life.validation.due
	case s.sender.unsent.head != nil:
	default:
		due = min(s.receiver.acks.due(s.options.Tick, s.life.ackStarts()), s.life.keepAliveDue(), s.sender.due())
	}
	if s.pace.left == 0 && due != forever {
		due = max(due, s.pace.at+s.options.Tick)
	}
	return due
}

// fill adds the messages that are due to a datagram.
func (s *Session) fill(w *datagramWriter) {
	if s.life.halfOpen() {
		s.fillFirst(w)
		return
	}
	now, acks := s.clock.Now, &s.receiver.acks
	if acks.writeUnsent(now, w, s.openBC()) {
		return
	}
	acks.writeDue(now, w, &acks.starting)
	first := s.sender.unsent.head
	if first == nil || !s.sender.delayed {
		if m := s.retransmission(w); m != nil {
			s.transmit(w, m)
		}
	}
	s.fillUnsent(w)
	// Retransmissions must not take all the room: the peer may refuse a retransmission until
	// the unsent messages have arrived.
	s.sender.delayed = first != nil && s.sender.unsent.head == first
	if w.count == 0 && now >= s.life.keepAliveDue() {
		s.keepAlive(w)
	}
	acks.writeDue(now, w, &acks.joining)
}

// retransmission returns the first message to retransmit that fits into a datagram, or nil.
func (s *Session) retransmission(w *datagramWriter) *storedMessage {
	m := s.sender.inFlight.head
	for ; m != nil && m.due <= s.clock.Now; m = s.sender.inFlight.head {
		switch {
		case s.sender.holds(m):
			s.sender.schedule(m, s.clock.Now+s.options.retransmit)
		case w.fits(len(m.wire)):
			return m
		default:
			return nil
		}
	}
	return nil
}

func (s *Session) fillUnsent(w *datagramWriter) {
	for m := s.sender.unsent.head; m != nil && w.fits(len(m.wire)); m = s.sender.unsent.head {
		s.transmit(w, m)
	}
}

// transmit adds a message to a datagram, and puts it in flight if it is reliable.
func (s *Session) transmit(w *datagramWriter, m *storedMessage) {
	if m.sends > 0 {
		s.counters.Retransmissions++
		if !m.system && m.reliable {
			s.sender.echoes.probe(m, s.clock.Now)
		}
	}
	if now := s.clock.Now; s.sender.write(w, m, now) {
		s.sender.schedule(m, s.life.retransmitAt(now, m))
	}
}

// keepAlive adds a message without effect, and releases memory because the session is idle.
func (s *Session) keepAlive(w *datagramWriter) {
	if s.openBC() {
		s.keepOpenBCAlive(w)
	} else if w.fits(1) {
		w.add([]byte{byte(TypeDoNothing)})
	}
	s.sender.releaseMemory()
	s.receiver.releaseMemory()
}
