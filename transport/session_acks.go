package transport

import "time"

// The Acks of the stock game; see Options.stock.
const (
	ackInterval = 666600 * time.Microsecond
	ackSends    = 9 // after which an Ack is freed
	ackStarts   = 3 // sends that may start a datagram
)

// maxAcks is the largest number of Acks in the queue, which fill four datagrams.
const maxAcks = 508

// ackQueue holds the Acks to send, one for each message that arrives. With resend an Ack is sent
// nine times, and starts again when its message arrives again.
type ackQueue struct {
	resend      bool
	unsent      []Ack         // in the order of arrival
	unsentSince time.Duration // when the first of them was added
	last        Ack           // last sent

	// With resend:
	known    map[Ack]*storedMessage // all Acks in the queue, so that add searches no list
	starting messageList            // sent, may start a datagram; sorted by due
	joining  messageList            // sent, join other datagrams; sorted by due
	pool     messagePool
}

func (q *ackQueue) len() int {
	if q.resend {
		return len(q.known)
	}
	return len(q.unsent)
}

// add adds an Ack to the queue. It reports whether there was room.
func (q *ackQueue) add(now time.Duration, a Ack) bool {
	if again := q.known[a]; again != nil {
		if again.list == nil {
			return true // unsent
		}
		again.list.remove(again)
		q.forget(again)
	}
	if q.len() >= maxAcks && !q.evict() {
		return false
	}
	if len(q.unsent) == 0 {
		q.unsentSince = now
	}
	q.unsent = append(q.unsent, a)
	if q.resend {
		q.remember(a)
	}
	return true
}

// evict removes an Ack that was sent before. It reports whether there was one.
func (q *ackQueue) evict() bool {
	a := q.joining.pop()
	if a == nil {
		a = q.starting.pop()
	}
	if a == nil {
		return false
	}
	q.forget(a)
	return true
}

// remember adds an unsent Ack to the known ones.
func (q *ackQueue) remember(a Ack) {
	if q.known == nil {
		q.known = map[Ack]*storedMessage{}
	}
	m := q.pool.get()
	m.ack = a
	q.known[a] = m
}

// forget removes an Ack that is in no list.
func (q *ackQueue) forget(m *storedMessage) {
	delete(q.known, m.ack)
	q.pool.put(m)
}

// due returns the time at which an Ack must start a datagram. An Ack may do this in its first
// maxStarts sends. An unsent Ack that is sent once waits for delay, to join another datagram.
func (q *ackQueue) due(delay time.Duration, maxStarts int) time.Duration {
	due := forever
	switch {
	case len(q.unsent) > 0 && q.resend:
		due = q.unsentSince
	case len(q.unsent) > 0:
		due = q.unsentSince + delay
	}
	if q.starting.head != nil && maxStarts >= ackStarts {
		due = min(due, q.starting.head.due)
	}
	if q.joining.head != nil && maxStarts > ackStarts {
		due = min(due, q.joining.head.due)
	}
	return due
}

// writeUnsent adds the unsent Acks to a datagram. OpenBC reads only four of the five bytes of the Ack
// of a fragment, and nothing after it. With separate, such an Ack needs a datagram for itself;
// writeUnsent reports whether this is one.
func (q *ackQueue) writeUnsent(now time.Duration, w *datagramWriter, separate bool) (alone bool) {
	n := 0
	for n < len(q.unsent) && !alone {
		a := q.unsent[n]
		alone = separate && a.Flags&AckFragment != 0
		if alone && n > 0 || !w.fits(ackLen(byte(a.Flags))) {
			alone = false
			break
		}
		w.addAck(a)
		q.last = a
		if q.resend {
			q.sent(now, q.known[a])
		}
		n++
	}
	q.unsent = q.unsent[:copy(q.unsent, q.unsent[n:])]
	return alone
}

// writeDue adds the due Acks of starting or joining to a datagram.
func (q *ackQueue) writeDue(now time.Duration, w *datagramWriter, l *messageList) {
	for m := l.head; m != nil && m.due <= now && w.fits(ackLen(byte(m.ack.Flags))); m = l.head {
		w.addAck(m.ack)
		q.last = m.ack
		l.remove(m)
		q.sent(now, m)
	}
}

// sent schedules the next send of an Ack that was sent, unless this was the last send.
func (q *ackQueue) sent(now time.Duration, m *storedMessage) {
	m.sends++
	m.due = now + ackInterval + strictly
	switch {
	case m.sends >= ackSends:
		q.forget(m)
	case m.sends < ackStarts:
		q.starting.insert(m, q.starting.tail)
	default:
		q.joining.insert(m, q.joining.tail)
	}
}

// stopResending makes the queue send each Ack once from now on.
func (q *ackQueue) stopResending() {
	*q = ackQueue{unsent: q.unsent, unsentSince: q.unsentSince, last: q.last}
}

// releaseMemory releases unused memory.
func (q *ackQueue) releaseMemory() {
	if q.len() == 0 {
		q.unsent, q.pool, q.known = nil, messagePool{}, nil
	}
}
