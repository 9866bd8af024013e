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

// maxMessageBytes is what the messages of a datagram may take. The count of messages
// needs no limit of its own: 255 of three bytes do not fit.
const maxMessageBytes = MaxDatagram - 2

// page is a datagram that is being filled.
type page struct {
	b            []byte
	start, count int
}

func (p *page) fits(n int) bool { return len(p.b)-p.start-2+n <= maxMessageBytes }

func (p *page) add(wire []byte) {
	p.b = append(p.b, wire...)
	p.count++
}

func (p *page) addAck(a Ack) {
	p.b = append(p.b, byte(TypeAck))
	p.b = le.AppendUint16(p.b, a.Seq)
	p.b, _ = a.AppendBinary(p.b)
	p.count++
}

func (s *Session) fill(p *page) {
	now := s.clock.now
	if s.acks.fillUnsent(now, p, s.options.SeparateFragmentAcks) {
		return
	}
	s.acks.fillAgain(now, p, &s.acks.early)
	if s.halfOpen() {
		s.fillReply(p)
		return
	}
	first := s.fresh.head
	if first == nil || !s.crowded {
		s.fillRepeat(p)
	}
	s.fillFresh(p)
	// What is sent again could leave no room for anything else, ever: a peer may have to
	// refuse it until the rest has come.
	s.crowded = first != nil && s.fresh.head == first
	if p.count == 0 && now >= s.keepAliveDue() {
		s.keepAlive(p)
	}
	s.acks.fillAgain(now, p, &s.acks.late)
}

// maxReplies is how often a host sends the reply to a Connect by itself.
const maxReplies = 3

// fillReply adds the answer to a Connect, and the first time what goes with it. As long as
// the client does not use its peer ID there is no more: it could make nothing of it, or
// not even be there.
func (s *Session) fillReply(p *page) {
	e := s.handshake()
	if e.due > s.clock.now || !p.fits(len(e.wire)) {
		return
	}
	if e.sends > 0 {
		s.counters.Repeats++
		s.transmit(p, e)
		return
	}
	s.transmit(p, e)
	s.fillFresh(p)
}

func (s *Session) fillFresh(p *page) {
	for e := s.fresh.head; e != nil && p.fits(len(e.wire)); e = s.fresh.head {
		s.transmit(p, e)
	}
}

func (s *Session) fillRepeat(p *page) {
	if e := s.flight.head; e != nil && e.due <= s.clock.now && p.fits(len(e.wire)) {
		s.counters.Repeats++
		s.transmit(p, e)
	}
}

// transmit adds a message and files it.
func (s *Session) transmit(p *page, e *entry) {
	if e.reliable {
		le.PutUint16(e.wire[3:], s.wireSeq(e.seq))
	}
	p.add(e.wire)
	if !e.reliable {
		s.loose--
		s.forget(e)
		return
	}
	now := s.clock.now
	if e.sends == 0 {
		e.first = now
	}
	e.sends++
	e.due = now + s.options.interval(e)
	switch {
	case s.halfOpen() && e.sends >= maxReplies:
		e.due = forever // until the client asks again
	case s.halfOpen():
	case !s.Proven():
		e.due = now + s.options.Repeat*time.Duration(min(e.sends, 3))
		if s.state == open {
			e.due = min(e.due, e.first+s.options.ProofTimeout)
		}
	case s.state == open:
		e.due = min(e.due, e.first+s.options.SendTimeout)
	}
	e.in.remove(e)
	s.flight.insertDue(e)
}

// keepAliveDue returns when something is to be sent for its own sake.
func (s *Session) keepAliveDue() time.Duration {
	if s.state != open {
		return forever
	}
	return s.sentAt + s.options.KeepAlive
}

// keepAlive adds a message that changes nothing. The session is quiet: it gives memory
// back.
//
// OpenBC reads a length after every type that it does not know, and drops the datagram if
// there is none. It gets a copy of the last Ack.
func (s *Session) keepAlive(p *page) {
	if s.dialect {
		p.addAck(s.acks.last)
	} else {
		p.add([]byte{byte(TypeDoNothing)})
	}
	s.pool = pool{}
	s.acks.shrink()
	for channel := range channels {
		if o := &s.out[channel]; o.n == 0 {
			o.slots, o.head = nil, 0
		}
		if in := &s.in[channel]; len(in.waiting) == 0 {
			in.waiting = nil
		}
	}
}
