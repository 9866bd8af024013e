package transport

import (
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/objectid"
)

// SessionSize is the size of a Session.
const SessionSize = unsafe.Sizeof(Session{})

// Limits without an option.
const (
	MaxAcks           = maxAcks
	MaxEvents         = maxEvents
	MaxRecentConnects = maxRecent
)

// CheckSession returns an error if a session exceeds a limit, or if its counts are wrong.
func CheckSession(s *Session) error {
	o, r := s.options, &s.receiver
	later := r.partial.bytes // of the partial payloads after the next one
	if next := r.partial.find(r.channels[gameChannel].expected); next != nil {
		later -= next.bytes
	}
	switch {
	case r.acks.len() > maxAcks:
		return fmt.Errorf("%d Acks", r.acks.len())
	case s.events.len() > 2*maxEvents+2*o.maxBuffered:
		return fmt.Errorf("%d events", s.events.len())
	case s.events.read > keptEvents:
		return fmt.Errorf("%d events that are read", s.events.read)
	case len(r.partial.list) > o.maxPartialPayloads || r.partial.bytes > o.maxPartialBytes:
		return fmt.Errorf("%d partial payloads of %d bytes", len(r.partial.list), r.partial.bytes)
	case later > o.maxPartialBytes-MaxPayload:
		return fmt.Errorf("%d bytes of later partial payloads", later)
	}
	for i := range r.channels {
		c := &r.channels[i]
		bytes := 0
		for j, b := range c.buffered {
			bytes += len(b.m.Body)
			if j > 0 && b.m.Seq-c.expected <= c.buffered[j-1].m.Seq-c.expected {
				return fmt.Errorf("out of order at %d", j)
			}
		}
		switch {
		case bytes != c.bytes:
			return fmt.Errorf("%d bytes are buffered, not %d", bytes, c.bytes)
		case len(c.buffered) > o.maxBuffered || bytes > o.maxBufferedBytes:
			return fmt.Errorf("%d messages of %d bytes are buffered", len(c.buffered), bytes)
		}
	}
	return s.sender.check()
}

func (s *sender) check() error {
	o := s.options
	bytes, unreliable := 0, 0
	for _, l := range []*messageList{&s.unsent, &s.inFlight, &s.channels[gameChannel].held, &s.channels[systemChannel].held} {
		for m := l.head; m != nil; m = m.next {
			bytes += len(m.wire)
			if !m.reliable {
				unreliable++
			}
			if m.list != l {
				return fmt.Errorf("a message does not know its list")
			}
		}
	}
	switch {
	case bytes != s.bytes || unreliable != s.unreliable:
		return fmt.Errorf("%d bytes of %d, %d unreliable of %d", bytes, s.bytes, unreliable, s.unreliable)
	case bytes > o.maxQueueBytes+64 || unreliable > o.MaxQueue: // and a closing message
		return fmt.Errorf("queue of %d bytes, %d unreliable", bytes, unreliable)
	}
	for i := range s.channels {
		c := &s.channels[i]
		switch {
		case c.n > o.MaxQueue+1 || len(c.ring) > 2*o.MaxQueue+8:
			return fmt.Errorf("%d unacknowledged messages, in a ring of %d", c.n, len(c.ring))
		case c.n > 0 && c.ring[c.head].left == 0:
			return fmt.Errorf("the oldest message is acknowledged")
		}
	}
	return nil
}

// Overdue reports whether the deadline of a session is in the past.
func Overdue(s *Session) bool { return s.deadline() <= s.clock.Now }

// SetExpected sets the sequence numbers of a channel on both sides, as if so many messages
// had been exchanged.
func SetExpected(from, to *Session, isSystem bool, seq uint16) {
	channel := channelOf(isSystem)
	from.sender.channels[channel].oldest = seq
	to.receiver.channels[channel].expected = seq
	to.receiver.acks.last.Seq = seq - 1
}

// Elapsed returns the time that has passed by the clock of a session.
func Elapsed(s *Session) time.Duration { return s.clock.Now }

// Probes returns the numbers that the client of a half-open session acknowledges: OpenBC the low bytes.
func Probes(s *Session) (numbers []uint16) {
	if s.life.validation == nil {
		return nil
	}
	for _, seq := range s.life.validation.probes {
		if s.life.client.short {
			seq &= 0xFF
		}
		numbers = append(numbers, seq)
	}
	return numbers
}

// Pooled returns the number of unused messages that a session keeps.
func Pooled(s *Session) (n int) { return s.sender.pool.n + s.receiver.pool.n }

// TableSizes returns the numbers of sessions, IP addresses and Connects in a hub.
func (h *Hub) TableSizes() (sessions, addresses, connects int) {
	return len(h.deadlines), len(h.members.perIP), len(h.recent.list)
}

// CheckHub returns an error if the indexes or counts of a hub are wrong.
func CheckHub(h *Hub) error {
	chained := 0
	for addr, m := range h.byAddr {
		open := 0
		for ; m != nil; m = m.next {
			chained++
			if m.addr != addr {
				return fmt.Errorf("a session of %v is found at %v", m.addr, addr)
			}
			if m.open() {
				open++
			}
		}
		if open > 1 {
			return fmt.Errorf("%d open sessions of %v", open, addr)
		}
	}
	if n := len(h.members.list) + h.halfOpen.Len(); len(h.deadlines) != n || chained != n {
		return fmt.Errorf("%d deadlines and %d by address of %d sessions", len(h.deadlines), chained, n)
	}
	for i, m := range h.deadlines {
		switch {
		case m.heapIndex != i || slices.Contains(h.members.list, m) != (m.waiting == nil):
			return fmt.Errorf("the session at %d does not know its place", i)
		case m.due != stale && m.due != m.session.deadline():
			return fmt.Errorf("the session at %d is due at %v, not %v", i, m.session.deadline(), m.due)
		case i > 0 && m.due < h.deadlines[(i-1)/2].due:
			return fmt.Errorf("the session at %d is due before its parent", i)
		case m.waiting != nil != m.session.life.halfOpen():
			return fmt.Errorf("the session at %d is half-open on one side only", i)
		}
	}
	open, reserved := 0, 0
	for _, m := range h.members.list {
		if !m.session.life.ended() {
			open++
		}
	}
	for _, n := range h.ids.reserved {
		reserved += n
	}
	if len(h.members.list) > 2*h.options.MaxSessions || open > h.options.MaxSessions {
		return fmt.Errorf("%d sessions, of which %d are open", len(h.members.list), open)
	}
	if open != h.members.open || reserved != h.halfOpen.Len() {
		return fmt.Errorf("%d open, not %d; %d reserved, not %d", open, h.members.open, reserved, h.halfOpen.Len())
	}
	return nil
}

// Limits are the options that no program sets.
type Limits struct {
	Burst, RetransmitSteps, Window, MaxQueueBytes                      int
	MaxBuffered, MaxBufferedBytes, MaxPartialPayloads, MaxPartialBytes int
	Retransmit, MaxPartialAge, Linger                                  time.Duration
}

// With returns the options with limits. Fields of zero remain as they are.
func (o Options) With(l Limits) Options {
	set(&o.burst, l.Burst)
	set(&o.retransmitSteps, l.RetransmitSteps)
	set(&o.window, l.Window)
	set(&o.maxQueueBytes, l.MaxQueueBytes)
	set(&o.maxBuffered, l.MaxBuffered)
	set(&o.maxBufferedBytes, l.MaxBufferedBytes)
	set(&o.maxPartialPayloads, l.MaxPartialPayloads)
	set(&o.maxPartialBytes, l.MaxPartialBytes)
	set(&o.retransmit, l.Retransmit)
	set(&o.maxPartialAge, l.MaxPartialAge)
	set(&o.linger, l.Linger)
	return o
}

func set[T comparable](option *T, value T) {
	var zero T
	if value != zero {
		*option = value
	}
}

// HubLimits are the options of a Hub that no program sets.
type HubLimits struct {
	MaxHalfOpen, ConnectBurst int
	ConnectInterval           time.Duration
}

// With returns the options with limits.
func (o HubOptions) With(l HubLimits) HubOptions {
	o.maxHalfOpen, o.connectBurst, o.connectInterval = l.MaxHalfOpen, l.ConnectBurst, l.ConnectInterval
	return o
}

// Framing returns the value of the field Flags+Length.
func (m *Message) Framing() any { return framing(m.Type)<<16 | framing(m.word()) }

// AppendBinary encodes a message without a datagram.
func (m *Message) AppendBinary(dst []byte) ([]byte, error) { return m.encode(dst) }

// Type returns the type of a body.
func TypeOf(b Body) Type { return b.typ() }

// NewHost returns the session of a host without a Hub.
func NewHost(now time.Time, peer objectid.PeerID, o Options) *Session {
	return newHost(&clock.Clock{Wall: now}, &events{}, o.complete(), peer)
}

// Pending returns the number of partial payloads, and the bytes of their fragments.
func (r *Reassembler) Pending() (payloads, bytes int) { return r.pending() }

// Limit sets the limits.
func (r *Reassembler) Limit(payloads, bytes int, age time.Duration) *Reassembler {
	r.limits = partialLimits{payloads, bytes, age}
	return r
}

// Limit sets the limits of each sender.
func (o *Observer) Limit(payloads, bytes int, age time.Duration) *Observer {
	o.limits = partialLimits{payloads, bytes, age}
	return o
}

// MaxUnfragmented is the length of the longest Data message that is not split.
const MaxUnfragmented = maxUnfragmented

// SentAt returns when the acknowledged message was first sent.
func (a Acked) SentAt() time.Time { return a.sent }

// The errors without a name in the API.
var (
	ErrWrongType = errWrongType
	ErrLimit     = errLimit
)

func (k EventKind) String() string {
	return name(k, "payload", "system", "connected", "ended", "connect", "query")
}

func (d Delivery) String() string {
	return name(d, "unreliable", "reliable", "unreliable, high priority", "reliable, high priority")
}

func (v Verdict) String() string {
	return name(v, "complete", "stored", "duplicate", "dropped", "refused", "discarded")
}

// OpenBC reports whether a fact shows that the peer is OpenBC.
func (s *Session) OpenBC() bool { return s.openBC() }

// EndOf returns the reason for the end of a session, or 0.
func EndOf(s *Session) EndReason { return s.life.reason }

// Released reports whether a session is over and holds no messages.
func Released(s *Session) bool {
	return s.life.state == stateReleased && s.sender.inFlight.head == nil && s.sender.unsent.head == nil && s.sender.bytes == 0
}

// Add adds other counters.
func (c *Counters) Add(o Counters) { c.add(o) }
