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
	unsent      []Ack            // in the order of arrival
	unsentSince time.Duration    // when the first of them was added
	starting    ackList          // may start a datagram; sorted by due
	joining     ackList          // join other datagrams; sorted by due
	known       map[Ack]*sentAck // with resend: all Acks in the queue, so that add searches no list
	unused      ackList
	last        Ack // last sent
}

// sentAck is an Ack that will be sent again.
type sentAck struct {
	Ack
	sends int
	due   time.Duration

	list       *ackList // nil: unsent
	next, prev *sentAck
}

// ackList is a doubly linked list of Acks. An Ack is in at most one list.
type ackList struct {
	head, tail *sentAck
	n          int
}

// push adds an Ack at the tail.
func (l *ackList) push(a *sentAck) {
	a.list, a.prev = l, l.tail
	if l.tail != nil {
		l.tail.next = a
	} else {
		l.head = a
	}
	l.tail = a
	l.n++
}

func (l *ackList) remove(a *sentAck) {
	if a.prev != nil {
		a.prev.next = a.next
	} else {
		l.head = a.next
	}
	if a.next != nil {
		a.next.prev = a.prev
	} else {
		l.tail = a.prev
	}
	a.list, a.next, a.prev = nil, nil, nil
	l.n--
}

// pop removes the first Ack and returns it, or nil if the list is empty.
func (l *ackList) pop() *sentAck {
	a := l.head
	if a != nil {
		l.remove(a)
	}
	return a
}

func (q *ackQueue) len() int { return len(q.unsent) + q.starting.n + q.joining.n }

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
		q.known = map[Ack]*sentAck{}
	}
	m := q.unused.pop()
	if m == nil {
		m = &sentAck{}
	}
	*m = sentAck{Ack: a}
	q.known[a] = m
}

// forget removes an Ack that is in no list.
func (q *ackQueue) forget(a *sentAck) {
	delete(q.known, a.Ack)
	q.unused.push(a)
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
	if q.starting.n > 0 && maxStarts >= ackStarts {
		due = min(due, q.starting.head.due)
	}
	if q.joining.n > 0 && maxStarts > ackStarts {
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
func (q *ackQueue) writeDue(now time.Duration, w *datagramWriter, l *ackList) {
	for a := l.head; a != nil && a.due <= now && w.fits(ackLen(byte(a.Flags))); a = l.head {
		w.addAck(a.Ack)
		q.last = a.Ack
		l.remove(a)
		q.sent(now, a)
	}
}

// sent schedules the next send of an Ack that was sent, unless this was the last send.
func (q *ackQueue) sent(now time.Duration, a *sentAck) {
	a.sends++
	a.due = now + ackInterval + strictly
	switch {
	case a.sends >= ackSends:
		q.forget(a)
	case a.sends < ackStarts:
		q.starting.push(a)
	default:
		q.joining.push(a)
	}
}

// stopResending makes the queue send each Ack once from now on.
func (q *ackQueue) stopResending() {
	q.resend, q.starting, q.joining, q.unused, q.known = false, ackList{}, ackList{}, ackList{}, nil
}

// releaseMemory releases unused memory.
func (q *ackQueue) releaseMemory() {
	if q.len() == 0 {
		q.unsent, q.unused, q.known = nil, ackList{}, nil
	}
}
