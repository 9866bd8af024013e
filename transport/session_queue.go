package transport

import "time"

// storedMessage is a message that a session stores: an encoded one, or an Ack of the stock game.
type storedMessage struct {
	wire []byte
	ack  Ack // of an ackQueue, without wire

	system    bool
	reliable  bool
	fragment  bool
	echoed    bool // see [echoes]
	index     uint8
	seq       uint16
	sends     int
	firstSent time.Duration
	due       time.Duration // the time of the next retransmission

	list       *messageList
	next, prev *storedMessage
}

// messageList is a doubly linked list of messages. A message is in at most one list.
type messageList struct{ head, tail *storedMessage }

// insert inserts a message after another message, or at the head if that is nil.
func (l *messageList) insert(m, after *storedMessage) {
	m.list, m.prev, m.next = l, after, l.head
	if after != nil {
		m.next = after.next
		after.next = m
	} else {
		l.head = m
	}
	if m.next != nil {
		m.next.prev = m
	} else {
		l.tail = m
	}
}

// insertDue inserts a message into a list that is sorted by due.
func (l *messageList) insertDue(m *storedMessage) {
	after := l.tail
	for after != nil && after.due > m.due {
		after = after.prev
	}
	l.insert(m, after)
}

func (l *messageList) remove(m *storedMessage) {
	if m.prev != nil {
		m.prev.next = m.next
	} else {
		l.head = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	} else {
		l.tail = m.prev
	}
	m.list, m.next, m.prev = nil, nil, nil
}

// pop removes the first message and returns it, or nil if the list is empty.
func (l *messageList) pop() *storedMessage {
	m := l.head
	if m != nil {
		l.remove(m)
	}
	return m
}

// messagePool keeps unused stored messages, to reuse their memory.
type messagePool struct {
	free messageList
	n    int
}

const (
	maxPooled     = 64
	maxPooledWire = 512
)

func (p *messagePool) get() *storedMessage {
	m := p.free.pop()
	if m == nil {
		return &storedMessage{}
	}
	p.n--
	*m = storedMessage{wire: m.wire[:0]}
	return m
}

func (p *messagePool) put(m *storedMessage) {
	if p.n < maxPooled && cap(m.wire) <= maxPooledWire {
		p.free.insert(m, nil)
		p.n++
	}
}

// The channels, each with its own sequence numbers.
const (
	gameChannel = iota
	systemChannel
	channels
)

// channelOf returns the channel of a message, given whether it is a system message.
func channelOf(system bool) int {
	if system {
		return systemChannel
	}
	return gameChannel
}

// sendChannel holds the unacknowledged messages of one channel, by their sequence numbers.
type sendChannel struct {
	oldest uint16    // sequence number of the first entry, or of the next message if there is no entry
	ring   []pending // its length is a power of two
	head   int
	n      int
	held   messageList // messages beyond the window
}

// pending is the unacknowledged part of one sequence number: a message, or the fragments of a
// payload.
type pending struct {
	whole     *storedMessage
	fragments []*storedMessage // nil: acknowledged
	left      int
}

func (c *sendChannel) next() uint16 { return c.oldest + uint16(c.n) }

// ahead returns the distance of a sequence number from the oldest one.
func (c *sendChannel) ahead(seq uint16) int { return int(seq - c.oldest) }

// first returns the oldest unacknowledged message, of which there must be one.
func (c *sendChannel) first() *storedMessage {
	p := &c.ring[c.head]
	for _, m := range p.fragments {
		if m != nil {
			return m
		}
	}
	return p.whole
}

// at returns the entry of a sequence number, or nil.
func (c *sendChannel) at(seq uint16) *pending {
	i := c.ahead(seq)
	if i >= c.n {
		return nil
	}
	return &c.ring[(c.head+i)&(len(c.ring)-1)]
}

// push adds the entry of the next sequence number.
func (c *sendChannel) push() *pending {
	if c.n == len(c.ring) {
		ring := make([]pending, max(8, 2*c.n))
		n := copy(ring, c.ring[c.head:])
		copy(ring[n:], c.ring[:c.head])
		c.ring, c.head = ring, 0
	}
	c.n++
	return c.at(c.oldest + uint16(c.n-1))
}

// find returns the message that an Ack acknowledges, or nil.
func (c *sendChannel) find(a Ack) *storedMessage {
	p := c.at(a.Seq)
	switch {
	case p == nil:
		return nil
	case a.Flags&AckFragment == 0:
		return p.whole
	case int(a.FragIndex) < len(p.fragments):
		return p.fragments[a.FragIndex]
	}
	return nil
}

// remove removes a message, and moves the oldest number past acknowledged ones.
func (c *sendChannel) remove(m *storedMessage) {
	p := c.at(m.seq)
	if m.fragment {
		p.fragments[m.index] = nil
	} else {
		p.whole = nil
	}
	p.left--
	for c.n > 0 && c.ring[c.head].left == 0 {
		c.ring[c.head] = pending{}
		c.head = (c.head + 1) & (len(c.ring) - 1)
		c.oldest++
		c.n--
	}
}
