package transport

import (
	"fmt"
	"time"
	"unsafe"
)

// SessionSize is what a session takes by itself.
const SessionSize = unsafe.Sizeof(Session{})

// MaxAcks, MaxEvents and MaxPast are limits without an option.
const (
	MaxAcks   = maxAcks
	MaxEvents = maxEvents
	MaxPast   = maxRecent
)

// CheckBounds says which limit a session exceeds, or what is wrong with its books.
func CheckBounds(s *Session) error {
	o := s.options
	queued, bytes, loose := 0, 0, 0
	lists := []*list{&s.fresh, &s.flight, &s.out[game].held, &s.out[system].held}
	for _, l := range lists {
		for e := l.head; e != nil; e = e.next {
			queued++
			bytes += len(e.wire)
			if !e.reliable {
				loose++
			}
			if e.in != l {
				return fmt.Errorf("an entry does not know its list")
			}
		}
	}
	switch {
	case bytes != s.bytes || loose != s.loose:
		return fmt.Errorf("%d bytes of %d, %d unreliable of %d", bytes, s.bytes, loose, s.loose)
	case bytes > o.MaxQueueBytes+64 || loose > o.MaxQueue: // and a farewell
		return fmt.Errorf("queue of %d bytes, %d unreliable", bytes, loose)
	case s.acks.len() > maxAcks:
		return fmt.Errorf("%d Acks", s.acks.len())
	case s.events.len() > 2*maxEvents+2*o.MaxBuffered:
		return fmt.Errorf("%d events", s.events.len())
	case s.events.taken > keptEvents:
		return fmt.Errorf("%d events that are taken", s.events.taken)
	case len(s.sets.sets) > o.MaxSets || s.sets.bytes > o.MaxSetBytes:
		return fmt.Errorf("%d sets of %d bytes", len(s.sets.sets), s.sets.bytes)
	case later(s) > o.MaxSetBytes-MaxPayload:
		return fmt.Errorf("%d bytes of later sets", later(s))
	}
	for i := range s.in {
		in, out := &s.in[i], &s.out[i]
		bytes := 0
		for j, w := range in.waiting {
			bytes += len(w.m.Body)
			if j > 0 && w.m.Seq-in.expected <= in.waiting[j-1].m.Seq-in.expected {
				return fmt.Errorf("out of order at %d", j)
			}
		}
		switch {
		case bytes != in.bytes:
			return fmt.Errorf("%d bytes wait, not %d", bytes, in.bytes)
		case len(in.waiting) > o.MaxBuffered || bytes > o.MaxBufferedBytes:
			return fmt.Errorf("%d wait, of %d bytes", len(in.waiting), bytes)
		case out.n > o.MaxQueue+1 || len(out.slots) > 2*o.MaxQueue+8:
			return fmt.Errorf("%d not acknowledged, in %d slots", out.n, len(out.slots))
		case out.n > 0 && out.slots[out.head].left == 0:
			return fmt.Errorf("the oldest is acknowledged")
		}
	}
	return nil
}

// later returns the bytes of the payloads in the making but for the next one.
func later(s *Session) int {
	if next := s.sets.find(s.in[game].expected); next != nil {
		return s.sets.bytes - next.bytes
	}
	return s.sets.bytes
}

// Overdue says whether a session wants to be called although it has just had nothing to
// say.
func Overdue(s *Session) bool { return s.deadline() <= s.clock.now }

// SetExpected sets the sequence numbers of a channel on both sides, as if so many messages
// had been exchanged.
func SetExpected(from, to *Session, isSystem bool, seq uint16) {
	from.outbox(isSystem).base = seq
	channel := game
	if isSystem {
		channel = system
	}
	to.in[channel].expected = seq
	to.acks.last.Seq = seq - 1
}

// Elapsed is the time that a session has counted.
func Elapsed(s *Session) time.Duration { return s.clock.now }

// Remembered returns how many sessions, IP addresses and Connects a hub knows.
func (h *Hub) Remembered() (sessions, hosts, connects int) {
	return len(h.byAddr), len(h.members.perIP), len(h.recent.list)
}

// CheckHub returns what is wrong with the books of a hub.
func CheckHub(h *Hub) error {
	if n := len(h.members.list) + h.halfOpen.len(); len(h.deadlines) != n || len(h.byAddr) != n {
		return fmt.Errorf("%d deadlines and %d addresses of %d sessions", len(h.deadlines), len(h.byAddr), n)
	}
	for i, m := range h.deadlines {
		switch {
		case m.turn != i || h.byAddr[m.addr] != m || m.place >= 0 && h.members.list[m.place] != m:
			return fmt.Errorf("the session at %d does not know its place", i)
		case m.due != m.session.deadline():
			return fmt.Errorf("the session at %d is due at %v, not %v", i, m.session.deadline(), m.due)
		case i > 0 && m.due < h.deadlines[(i-1)/2].due:
			return fmt.Errorf("the session at %d is due before those above it", i)
		case m.halfOpen() != m.session.halfOpen():
			return fmt.Errorf("the session at %d is half-open on one side only", i)
		}
	}
	open, reserved := 0, 0
	for _, m := range h.members.list {
		if !m.session.ended() {
			open++
		}
	}
	for _, n := range h.ids.reserved {
		reserved += n
	}
	if open != h.members.open || reserved != h.halfOpen.len() {
		return fmt.Errorf("%d open, not %d; %d reserved, not %d", open, h.members.open, reserved, h.halfOpen.len())
	}
	return nil
}

// Pooled returns how many entries a session keeps for later.
func Pooled(s *Session) (n int) {
	for e := s.pool.free.head; e != nil; e = e.next {
		n++
	}
	if n != s.pool.n {
		panic("the pool has lost count")
	}
	return n
}
