package transport

import (
	"slices"
	"time"
)

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
	starting    []sentAck     // may start a datagram; sorted by due
	joining     []sentAck     // join other datagrams; sorted by due
	last        Ack           // last sent
}

// sentAck is an Ack that will be sent again.
type sentAck struct {
	Ack
	sends int
	due   time.Duration
}

func (q *ackQueue) len() int { return len(q.unsent) + len(q.starting) + len(q.joining) }

// add adds an Ack to the queue. It reports whether there was room.
func (q *ackQueue) add(now time.Duration, a Ack) bool {
	if q.resend {
		if slices.Contains(q.unsent, a) {
			return true
		}
		same := func(sent sentAck) bool { return sent.Ack == a }
		q.starting = slices.DeleteFunc(q.starting, same)
		q.joining = slices.DeleteFunc(q.joining, same)
	}
	if q.len() >= maxAcks && !q.evict() {
		return false
	}
	if len(q.unsent) == 0 {
		q.unsentSince = now
	}
	q.unsent = append(q.unsent, a)
	return true
}

// evict removes an Ack that was sent before. It reports whether there was one.
func (q *ackQueue) evict() bool {
	for _, l := range []*[]sentAck{&q.joining, &q.starting} {
		if len(*l) > 0 {
			*l = slices.Delete(*l, 0, 1)
			return true
		}
	}
	return false
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
	if len(q.starting) > 0 && maxStarts >= ackStarts {
		due = min(due, q.starting[0].due)
	}
	if len(q.joining) > 0 && maxStarts > ackStarts {
		due = min(due, q.joining[0].due)
	}
	return due
}

// writeUnsent adds the unsent Acks to a datagram. With separate, the Ack of a fragment needs a
// datagram for itself; writeUnsent reports whether this is one.
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
			q.sent(now, sentAck{Ack: a})
		}
		n++
	}
	q.unsent = q.unsent[:copy(q.unsent, q.unsent[n:])]
	return alone
}

// writeDue adds the due Acks of starting or joining to a datagram.
func (q *ackQueue) writeDue(now time.Duration, w *datagramWriter, l *[]sentAck) {
	n := 0
	for n < len(*l) && (*l)[n].due <= now && w.fits(ackLen(byte((*l)[n].Flags))) {
		a := (*l)[n]
		w.addAck(a.Ack)
		q.last = a.Ack
		q.sent(now, a)
		n++
	}
	*l = (*l)[:copy(*l, (*l)[n:])]
}

// sent schedules the next send of an Ack that was sent, unless this was the last send.
func (q *ackQueue) sent(now time.Duration, a sentAck) {
	a.sends++
	a.due = now + ackInterval + strictly
	switch {
	case a.sends >= ackSends:
	case a.sends < ackStarts:
		q.starting = append(q.starting, a)
	default:
		q.joining = append(q.joining, a)
	}
}

// stopResending makes the queue send each Ack once from now on.
func (q *ackQueue) stopResending() { q.resend, q.starting, q.joining = false, nil, nil }

// releaseMemory releases unused memory.
func (q *ackQueue) releaseMemory() {
	if q.len() == 0 {
		q.unsent, q.starting, q.joining = nil, nil, nil
	}
}
