package transport

import (
	"math"
	"slices"
)

// inbox is the receiving end of one channel.
type inbox struct {
	expected uint16
	waiting  []early // in the order of their sequence numbers
	bytes    int
}

// early is a message that arrived before one with a smaller sequence number.
type early struct {
	m    Message
	kept *entry // the memory of its body, nil if it has its own
}

// find returns the place of a sequence number among those that wait, and whether it does.
func (in *inbox) find(seq uint16) (int, bool) {
	return slices.BinarySearchFunc(in.waiting, seq-in.expected, func(w early, ahead uint16) int {
		return int(w.m.Seq-in.expected) - int(ahead)
	})
}

func (in *inbox) keep(i int, w early) {
	in.waiting = slices.Insert(in.waiting, i, w)
	in.bytes += len(w.m.Body)
}

// flush passes on what waited for the message that has just been delivered.
func (in *inbox) flush(deliver func(early)) {
	n := 0
	for n < len(in.waiting) && in.waiting[n].m.Seq == in.expected {
		w := in.waiting[n]
		n++
		in.expected++
		in.bytes -= len(w.m.Body)
		deliver(w)
	}
	in.waiting = slices.Delete(in.waiting, 0, n)
}

// room is how long a message may be that is kept, -1 if none may.
func (in *inbox) room(o *Options) int {
	if len(in.waiting) >= o.MaxBuffered {
		return -1
	}
	return o.MaxBufferedBytes - in.bytes
}

// sequenced takes a message of a channel. What is acknowledged here is never sent again:
// it has been delivered, or is kept.
func (s *Session) sequenced(in *inbox, m *Message) {
	m.Seq = s.received(m.Seq, in.expected)
	ahead := int16(m.Seq - in.expected)
	i, waits := 0, false
	if ahead > 0 {
		i, waits = in.find(m.Seq)
	}
	switch {
	case ahead < -maxAhead-1 || ahead > maxAhead:
		s.drop(DropOutOfWindow)
	case (ahead < 0 || waits) && s.leaves(m):
		s.acknowledge(m)
		s.perform(m)
	case ahead < 0 || waits:
		s.counters.Duplicates++
		s.acknowledge(m)
	case s.ended() && !m.System():
		s.drop(DropLate)
	case m.Fragment:
		s.piece(in, m, i, ahead > 0)
	case !m.System() && s.sets.find(m.Seq) != nil:
		s.drop(DropBadFragment) // its pieces were first
	case ahead == 0:
		s.acknowledge(m)
		s.pass(in, m)
	case len(m.Body) > in.room(s.options):
		s.drop(DropNoRoom)
	default:
		s.acknowledge(m)
		e := s.pool.get()
		e.wire = append(e.wire, m.Body...)
		kept := *m
		kept.Body = e.wire
		in.keep(i, early{kept, e})
	}
}

// piece takes a fragment, of the next payload or one after it, whose place among those
// that wait is i. The next one always has room: others can wait, it would block them.
func (s *Session) piece(in *inbox, m *Message, i int, later bool) {
	room, keep := s.options.MaxSetBytes-s.sets.bytes, math.MaxInt
	if later {
		next, others := s.sets.find(in.expected), len(s.sets.sets)
		room -= MaxPayload
		if next != nil {
			room += next.bytes
			others--
		}
		if s.sets.find(m.Seq) == nil && others >= s.options.MaxSets-1 {
			room = -1
		}
		keep = in.room(s.options)
	}
	payload, v := s.sets.add(s.clock.stamp(), m, room, keep)
	switch v {
	case VerdictRepeated:
		s.counters.Duplicates++
	case VerdictDropped:
		s.drop(DropNoRoom)
	case VerdictRefused, VerdictDiscarded:
		s.drop(DropBadFragment)
	}
	if v.Acknowledge() {
		s.acknowledge(m)
	}
	if v == VerdictDiscarded {
		s.fault(EndBadFragment)
	}
	if v == VerdictComplete {
		m.Body = payload
		if later {
			in.keep(i, early{m: *m})
		} else {
			s.pass(in, m)
		}
	}
}

// pass delivers the expected message and what waited for it.
func (s *Session) pass(in *inbox, m *Message) {
	in.expected++
	s.deliver(m)
	in.flush(func(w early) {
		if w.kept != nil {
			s.lent.insert(w.kept, nil)
		}
		s.deliver(&w.m)
	})
}

func (s *Session) deliver(m *Message) {
	switch {
	case m.System():
		s.perform(m)
	case s.state != open && s.state != connecting:
		s.drop(DropLate)
	default:
		s.counters.Payloads++
		s.event(Event{Kind: EventPayload, Payload: m.Body, Delivery: m.delivery()})
	}
}

func (m *Message) delivery() (d Delivery) {
	if m.Reliable {
		d |= Reliable
	}
	if m.HighPriority {
		d |= HighPriority
	}
	return d
}

func (s *Session) acknowledge(m *Message) {
	a := AckOf(m)
	a.Seq = s.wireSeq(a.Seq)
	if !s.acks.add(s.clock.now, a) {
		s.drop(DropAck)
	}
}
