package transport

import (
	"math"
	"slices"
	"time"
)

// receiver puts the reliable messages of a peer in order, removes duplicates, reassembles
// fragments and queues Acks. It does not interpret messages.
type receiver struct {
	options  *Options
	counters *Counters
	numbers  numbering
	closed   bool // drops new messages of the game channel
	decided  bool // whether the peer counts modulo 256
	channels [channels]receiveChannel
	partial  partialPayloads
	acks     ackQueue
	aliased  messageList // memory of delivered payloads, which events may alias
	pool     messagePool
	doubts   *doubts // nil: none
}

// receiveChannel buffers the messages of one channel that arrive out of order.
type receiveChannel struct {
	expected uint16
	buffered []bufferedMessage // in the order of their sequence numbers
	bytes    int
}

// bufferedMessage is a message that arrived before an earlier message.
type bufferedMessage struct {
	m      Message
	stored *storedMessage // memory of the body; nil if the body has its own
}

// outcome is the result of receiving a reliable message.
type outcome uint8

const (
	outcomeBuffered  outcome = iota // acknowledged; an earlier message or a fragment is missing
	outcomeReady                    // acknowledged; deliver the message, then the messages of ready
	outcomeDuplicate                // acknowledged
	outcomeDropped                  // counted and not acknowledged
	outcomeBroken                   // acknowledged fragments are discarded, so the channel cannot continue
	outcomeNarrow                   // acknowledged; the peer counts modulo 256, and the message is among the doubts
)

// receive receives a reliable message. An acknowledged message is ready or buffered, because the
// peer never sends it again. The body of the last fragment becomes the payload.
func (r *receiver) receive(now time.Duration, m *Message) outcome {
	c := &r.channels[channelOf(m.System())]
	m.Seq = r.numbers.received(m.Seq, c.expected)
	ahead := int16(m.Seq - c.expected)
	i, buffered := 0, false
	if ahead > 0 {
		i, buffered = c.find(m.Seq)
	}
	switch {
	case ahead < -maxAhead-1 || ahead > maxAhead:
		return r.drop(dropOutOfWindow)
	case ahead < 0 || buffered:
		r.acknowledge(now, m)
		if ahead < 0 && !m.System() && r.doubts != nil && r.doubts.add(m, c.expected) {
			return outcomeNarrow
		}
		return outcomeDuplicate
	case r.closed && !m.System():
		return r.drop(dropLate)
	case m.Fragment:
		return r.receiveFragment(now, c, m, i)
	case !m.System() && r.partial.find(m.Seq) != nil:
		return r.drop(dropBadFragment) // fragments arrived first
	case ahead == 0:
		r.accept(now, m)
		c.expected++
		return outcomeReady
	case len(m.Body) > c.room(r.options):
		return r.drop(dropNoRoom)
	}
	r.accept(now, m)
	stored := r.pool.get()
	stored.wire = append(stored.wire, m.Body...)
	buffer := bufferedMessage{*m, stored}
	buffer.m.Body = stored.wire
	c.insert(i, buffer)
	return outcomeBuffered
}

// mayBeNext reports whether an empty message with the number of a probe can be a message of the peer: after half of the
// numbers, a Hub sends no probes to the address of its client; see [Hub.admit].
func (r *receiver) mayBeNext(m *Message) bool {
	return !r.numbers.openBC && m.Seq-r.channels[gameChannel].expected <= maxAhead
}

// receiveFragment receives a fragment of the next payload or a later payload, whose index among
// the buffered messages is i. The next payload always has room: the others wait for it.
func (r *receiver) receiveFragment(now time.Duration, c *receiveChannel, m *Message, i int) outcome {
	room, keep := r.options.maxPartialBytes-r.partial.bytes, math.MaxInt
	later := m.Seq != c.expected
	if later {
		next, others := r.partial.find(c.expected), len(r.partial.list)
		room -= MaxPayload
		if next != nil {
			room += next.bytes
			others--
		}
		if r.partial.find(m.Seq) == nil && others >= r.options.maxPartialPayloads-1 {
			room = -1
		}
		keep = c.room(r.options)
	}
	payload, v := r.partial.add(time.Time{}.Add(now), m, room, keep)
	switch v {
	case VerdictDropped:
		return r.drop(dropNoRoom)
	case VerdictRefused:
		return r.drop(dropBadFragment)
	case VerdictDiscarded:
		r.drop(dropBadFragment)
		return outcomeBroken
	}
	r.accept(now, m)
	switch {
	case v == VerdictDuplicate:
		return outcomeDuplicate
	case v == VerdictStored:
		return outcomeBuffered
	}
	m.Body = payload
	if later {
		c.insert(i, bufferedMessage{m: *m})
		return outcomeBuffered
	}
	c.expected++
	return outcomeReady
}

func (r *receiver) drop(reason DropReason) outcome {
	r.counters.Drops[reason]++
	return outcomeDropped
}

// accept acknowledges a message that has arrived for the first time.
func (r *receiver) accept(now time.Duration, m *Message) {
	switch {
	case m.System() || r.decided:
	case m.Seq > 0xFF:
		r.decide()
	default:
		if r.doubts == nil {
			r.doubts = &doubts{}
		}
		r.doubts.hashes.add(m)
	}
	r.acknowledge(now, m)
}

// decide ends the doubts about the numbers of the peer, and returns the messages in doubt.
func (r *receiver) decide() (kept []Message) {
	if r.doubts != nil {
		kept = r.doubts.kept
	}
	r.decided, r.doubts = true, nil
	return kept
}

// acknowledge queues the Ack of a message.
func (r *receiver) acknowledge(now time.Duration, m *Message) {
	a := *AckOf(m)
	a.Seq = r.numbers.wire(a.Seq)
	if !r.acks.add(now, a) {
		r.drop(dropAckQueueFull)
	}
}

// ready returns the buffered messages that are next in the order of a channel. Call
// [receiver.delivered] with their number after delivery.
func (r *receiver) ready(channel int) []bufferedMessage {
	c := &r.channels[channel]
	n := 0
	for n < len(c.buffered) && c.buffered[n].m.Seq == c.expected {
		c.bytes -= len(c.buffered[n].m.Body)
		c.expected++
		n++
	}
	return c.buffered[:n]
}

// delivered removes buffered messages. Events may alias their memory until the next call of
// [receiver.reclaim].
func (r *receiver) delivered(channel, n int) {
	c := &r.channels[channel]
	for i := range c.buffered[:n] {
		if stored := c.buffered[i].stored; stored != nil {
			r.aliased.insert(stored, nil)
		}
	}
	c.buffered = slices.Delete(c.buffered, 0, n)
}

// reclaim reuses the memory of delivered payloads. If events are unread, it leaves them the
// memory, which they may alias.
func (r *receiver) reclaim(unread bool) {
	if unread {
		r.aliased = messageList{}
	}
	for m := r.aliased.pop(); m != nil; m = r.aliased.pop() {
		r.pool.put(m)
	}
}

// close drops the incomplete messages of the game channel, and new ones from now on.
func (r *receiver) close() {
	r.closed, r.partial = true, partialPayloads{}
	c := &r.channels[gameChannel]
	*c = receiveChannel{expected: c.expected}
}

// deadline returns the time at which the oldest partial payload exceeds its age.
func (r *receiver) deadline() time.Duration {
	if len(r.partial.list) == 0 {
		return forever
	}
	return r.partial.list[0].since.Sub(time.Time{}) + r.options.maxPartialAge
}

// releaseMemory releases unused memory.
func (r *receiver) releaseMemory() {
	r.pool = messagePool{}
	if len(r.partial.list) == 0 {
		r.partial = partialPayloads{}
	}
	r.acks.releaseMemory()
	for i := range r.channels {
		if c := &r.channels[i]; len(c.buffered) == 0 {
			c.buffered = nil
		}
	}
}

// find returns the index of a sequence number among the buffered messages, and whether it is
// present.
func (c *receiveChannel) find(seq uint16) (int, bool) {
	return slices.BinarySearchFunc(c.buffered, seq-c.expected, func(b bufferedMessage, ahead uint16) int {
		return int(b.m.Seq-c.expected) - int(ahead)
	})
}

func (c *receiveChannel) insert(i int, b bufferedMessage) {
	c.buffered = slices.Insert(c.buffered, i, b)
	c.bytes += len(b.m.Body)
}

// room returns the largest length of a message that may be buffered, or -1 if none may.
func (c *receiveChannel) room(o *Options) int {
	if len(c.buffered) >= o.maxBuffered {
		return -1
	}
	return o.maxBufferedBytes - c.bytes
}
