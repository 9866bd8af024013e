package transport

import (
	"errors"
	"time"

	"github.com/bcwire/bcwire/stream"
)

// Delivery is the way in which a payload is sent, such as Reliable|HighPriority.
type Delivery uint8

const (
	// Reliable payloads arrive in order, each once.
	Reliable Delivery = 1 << iota
	// HighPriority payloads are sent first. Reliable payloads are still delivered in order.
	HighPriority
	// Unreliable payloads are sent once, and delivered as they arrive.
	Unreliable Delivery = 0
)

// deliveryOf returns the delivery of a message.
func deliveryOf(m *Message) (d Delivery) {
	if m.Reliable {
		d |= Reliable
	}
	if m.HighPriority {
		d |= HighPriority
	}
	return d
}

// sender holds the unsent messages of a session, and the messages in flight. It does not know
// when to send them.
type sender struct {
	options    *Options
	numbers    numbering
	delayed    bool // the last datagram had no room for the first unsent message
	channels   [channels]sendChannel
	unsent     messageList
	inFlight   messageList // sent and not acknowledged, sorted by due
	unreliable int         // number of unsent unreliable messages
	bytes      int         // of the messages in all lists
	pool       messagePool
	echoes     echoes
}

// send queues a payload.
func (s *sender) send(payload []byte, d Delivery) error {
	c := &s.channels[gameChannel]
	var m Message
	switch {
	case len(payload) > MaxPayload:
		return messageError(TypeData, &excess{stream.ErrTooLong, "payload of # bytes", len(payload), MaxPayload})
	case d&Reliable == 0 && len(payload) <= maxUnreliablePayload:
		m = NewUnreliable(payload)
	case len(payload) <= MaxUnfragmentedPayload:
		m = NewData(c.next(), payload)
	default:
		fragments, _ := AppendFragments(nil, c.next(), payload)
		return s.sendFragments(fragments, d)
	}
	return s.add(&m, d)
}

// sendSystem queues a system message.
func (s *sender) sendSystem(body Body) error {
	m, err := newMessage(s.channels[systemChannel].next(), body)
	switch {
	case m.Type != TypeNameChange && m.Type != TypeBoot && m.Type != TypeDisconnect:
		return messageError(m.Type, errWrongType)
	case errors.Is(err, stream.ErrTooLong): // a name of more than 256 MiB
		return messageError(m.Type, stream.ErrTooLong)
	case err != nil: // the peer ID does not fit a byte
		return err
	case m.Len() > maxUnfragmented:
		return messageError(m.Type, &excess{stream.ErrTooLong, "message of # bytes", m.Len(), maxUnfragmented})
	}
	return s.add(&m, HighPriority)
}

// sendAlways queues a system message of the session itself, regardless of the limits.
func (s *sender) sendAlways(body Body) {
	m := NewMessage(s.channels[systemChannel].next(), body)
	s.put(&m, HighPriority)
}

// add queues a message within the limits.
func (s *sender) add(m *Message, d Delivery) error {
	n := s.unreliable
	if m.Reliable {
		n = s.channels[channelOf(m.System())].n
	}
	if n >= s.options.MaxQueue || s.full(m.Len()) {
		return ErrQueueFull
	}
	s.put(m, d)
	return nil
}

// put queues a message.
func (s *sender) put(m *Message, d Delivery) {
	m.HighPriority = d&HighPriority != 0
	stored := s.store(m)
	if m.Reliable {
		*s.channels[channelOf(stored.system)].push() = pending{whole: stored, left: 1}
	} else {
		s.unreliable++
	}
	s.enqueue(stored, d, nil)
}

func (s *sender) sendFragments(fragments []Message, d Delivery) error {
	c := &s.channels[gameChannel]
	total := 0
	for i := range fragments {
		total += fragments[i].Len()
	}
	if c.n >= s.options.MaxQueue || s.full(total) {
		return ErrQueueFull
	}
	entry := c.push()
	*entry = pending{fragments: make([]*storedMessage, len(fragments)), left: len(fragments)}
	var last *storedMessage
	for i := range fragments {
		fragments[i].HighPriority = d&HighPriority != 0
		stored := s.store(&fragments[i])
		entry.fragments[i] = stored
		s.enqueue(stored, d, last)
		last = stored
	}
	return nil
}

func (s *sender) full(bytes int) bool { return bytes > s.options.maxQueueBytes-s.bytes }

// store stores a message of a stock form that fits into a datagram.
func (s *sender) store(m *Message) *storedMessage {
	stored := s.pool.get()
	stored.wire = m.append(stored.wire)
	stored.reliable, stored.system, stored.seq = m.Reliable, m.System(), m.Seq
	stored.fragment, stored.index = m.Fragment, m.FragIndex
	s.bytes += len(stored.wire)
	return stored
}

// enqueue adds a message to the unsent messages, or to the held messages beyond the window. Like
// the stock game, it puts high-priority messages first, but after the previous fragment of the
// same payload.
func (s *sender) enqueue(m *storedMessage, d Delivery, last *storedMessage) {
	c := &s.channels[channelOf(m.system)]
	switch {
	case m.reliable && s.beyondWindow(m, c.ahead(m.seq)):
		c.held.insert(m, c.held.tail)
	case d&HighPriority != 0:
		s.unsent.insert(m, last)
	default:
		s.unsent.insert(m, s.unsent.tail)
	}
}

// handshake returns the first system message, the Connect or the reply, or nil if it has been
// acknowledged.
func (s *sender) handshake() *storedMessage {
	return s.channels[systemChannel].find(Ack{Flags: AckSystem})
}

// afterReply returns the first sequence number after the unacknowledged reply to a Connect with
// which no system message has been sent, as the peer expects it.
func (s *sender) afterReply() uint16 {
	c, seq := &s.channels[systemChannel], uint16(1)
	for p := c.at(seq); p != nil && p.whole.sends > 0; p = c.at(seq) {
		seq++
	}
	return s.numbers.wire(seq)
}

// find returns the message in flight that an Ack acknowledges, or nil.
func (s *sender) find(a Ack) *storedMessage {
	c := &s.channels[channelOf(a.Flags&AckSystem != 0)]
	a.Seq = s.numbers.acknowledged(a.Seq, c.oldest)
	m := c.find(a)
	if m == nil || m.sends == 0 {
		return nil
	}
	return m
}

// write appends a message to a datagram. It reports whether the message is reliable and must be
// put in flight.
func (s *sender) write(w *datagramWriter, m *storedMessage, now time.Duration) bool {
	if m.reliable {
		le.PutUint16(m.wire[3:], s.numbers.wire(m.seq))
	}
	w.add(m.wire)
	if !m.reliable {
		s.unreliable--
		s.forget(m)
		return false
	}
	if m.sends == 0 {
		m.firstSent = now
	}
	m.sends++
	return true
}

// schedule puts a written message in flight until it is due again.
func (s *sender) schedule(m *storedMessage, due time.Duration) {
	m.due = due
	m.list.remove(m)
	s.inFlight.insertDue(m)
}

// due returns the time of the next retransmission.
func (s *sender) due() time.Duration {
	if s.inFlight.head == nil {
		return forever
	}
	return s.inFlight.head.due
}

// acknowledged removes a message that the peer has received. This can move held messages into the
// window.
func (s *sender) acknowledged(m *storedMessage) {
	c := &s.channels[channelOf(m.system)]
	c.remove(m)
	s.forget(m)
	for held := c.held.head; held != nil && c.ahead(held.seq) < s.window(held); held = c.held.head {
		c.held.remove(held)
		s.unsent.insert(held, s.unsent.tail)
	}
}

// forget removes a message from its list and reuses its memory.
func (s *sender) forget(m *storedMessage) {
	m.list.remove(m)
	s.bytes -= len(m.wire)
	s.pool.put(m)
}

// discard removes all messages of a channel.
func (s *sender) discard(channel int) {
	c := &s.channels[channel]
	for _, l := range []*messageList{&s.unsent, &s.inFlight, &c.held} {
		for m := l.head; m != nil; {
			next := m.next
			if channelOf(m.system) == channel {
				s.forget(m)
			}
			m = next
		}
	}
	*c = sendChannel{oldest: c.next()}
	if channel == gameChannel {
		s.unreliable = 0
	}
}

// releaseMemory releases unused memory.
func (s *sender) releaseMemory() {
	s.pool = messagePool{}
	for i := range s.channels {
		if c := &s.channels[i]; c.n == 0 {
			c.ring, c.head = nil, 0
		}
	}
}
