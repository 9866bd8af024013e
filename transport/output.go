package transport

import (
	"iter"
	"time"
)

// Datagrams runs the timers and iterates over the datagrams that are due, ready to
// encipher. Each is valid until the next one; the caller may change it. The loop may be
// left: the next one goes on.
func (s *Session) Datagrams(now time.Time) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for more := true; more; {
			s.buf = s.AppendDatagram(s.buf[:0], now)
			more = len(s.buf) > 0 && yield(s.buf)
		}
	}
}

// AppendDatagram appends the next of the datagrams that are due to dst, and nothing if
// there is none. It has 512 bytes at most: first the Acks, then a message that is sent
// again, one at most, then what is sent for the first time, in the order of sending but
// for high priorities; what does not fit ends the datagram.
func (s *Session) AppendDatagram(dst []byte, now time.Time) []byte {
	s.ready()
	s.clock.set(now)
	dst = s.appendDatagram(dst)
	s.touch()
	return dst
}

func (s *Session) appendDatagram(dst []byte) []byte {
	s.expire()
	now := s.clock.now
	if now < s.outputDue() {
		s.left = 0
		return dst
	}
	if s.left == 0 {
		s.left, s.tickAt = s.options.Burst, now
	}
	s.left--
	s.counters.Sent++
	p := page{b: dst, start: len(dst)}
	sender := s.peer
	if s.host {
		sender = Host
	}
	p.b = append(p.b, byte(sender), 0)
	s.fill(&p)
	s.sentAt = now
	p.b[p.start+1] = byte(p.count)
	return p.b
}

// ackStarts returns how many of the sends of an Ack may start a datagram. A client that has
// not used its peer ID may be somebody else's address: it gets no more than necessary.
func (s *Session) ackStarts() int {
	switch {
	case s.ended():
		return ackSends
	case s.halfOpen():
		return 1
	}
	return ackStarts
}

// outputDue returns when the next datagram is due.
func (s *Session) outputDue() time.Duration {
	due := s.acks.due(s.options.Tick, s.ackStarts())
	switch {
	case s.halfOpen():
		due = min(due, s.handshake().due)
	case s.fresh.head != nil:
		due = 0
	default:
		due = min(due, s.keepAliveDue())
	}
	if s.flight.head != nil && !s.halfOpen() {
		due = min(due, s.flight.head.due)
	}
	if s.left == 0 && due != forever {
		due = max(due, s.tickAt+s.options.Tick)
	}
	return due
}
