package transport

import (
	"slices"
	"time"
)

// The Acks of the stock game, see [Options].RepeatAcks.
const (
	ackInterval = 666600 * time.Microsecond
	ackSends    = 9 // after which an Ack is freed
	ackStarts   = 3 // of them start a datagram by themselves
)

// strictly is added to an interval that must be exceeded.
const strictly = time.Nanosecond

// maxAcks is how many Acks may wait; four full datagrams.
const maxAcks = 508

// ackQueue holds the Acks that a session has to send. By default each is sent once for each
// message that arrives. With repeat it has one entry for a message, which is sent nine times,
// and starts again when the message arrives again.
type ackQueue struct {
	repeat bool
	unsent []Ack         // in the order of arrival
	since  time.Duration // when the first of unsent was put there
	early  []sentAck     // they start a datagram by themselves; in the order in which they are due
	late   []sentAck     // they join the datagrams of others; in the same order
	last   Ack           // the one sent last
}

// sentAck is an Ack that is to be sent again.
type sentAck struct {
	Ack
	sends int
	due   time.Duration
}

func (q *ackQueue) len() int { return len(q.unsent) + len(q.early) + len(q.late) }

// add puts an Ack in the queue. It reports whether there was room.
func (q *ackQueue) add(now time.Duration, a Ack) bool {
	if q.repeat {
		if slices.Contains(q.unsent, a) {
			return true
		}
		same := func(e sentAck) bool { return e.Ack == a }
		q.early = slices.DeleteFunc(q.early, same)
		q.late = slices.DeleteFunc(q.late, same)
	}
	if q.len() >= maxAcks && !q.evict() {
		return false
	}
	if len(q.unsent) == 0 {
		q.since = now
	}
	q.unsent = append(q.unsent, a)
	return true
}

// evict makes room by forgetting an Ack that was sent before. It reports whether there was one.
func (q *ackQueue) evict() bool {
	for _, l := range []*[]sentAck{&q.late, &q.early} {
		if len(*l) > 0 {
			*l = slices.Delete(*l, 0, 1)
			return true
		}
	}
	return false
}

// due returns when an Ack is to start a datagram. An Ack may do so for the first sends of its
// nine. One that has not been sent waits for delay if it is sent once, to leave with something
// else.
func (q *ackQueue) due(delay time.Duration, sends int) time.Duration {
	due := forever
	switch {
	case len(q.unsent) > 0 && q.repeat:
		due = q.since
	case len(q.unsent) > 0:
		due = q.since + delay
	}
	if len(q.early) > 0 && sends >= ackStarts {
		due = min(due, q.early[0].due)
	}
	if len(q.late) > 0 && sends > ackStarts {
		due = min(due, q.late[0].due)
	}
	return due
}

// fillUnsent adds the Acks that have not been sent to a datagram. With apart the Ack of a
// fragment must have a datagram of its own; fillUnsent reports whether this is one.
func (q *ackQueue) fillUnsent(now time.Duration, p *page, apart bool) (alone bool) {
	n := 0
	for n < len(q.unsent) && !alone {
		a := q.unsent[n]
		alone = apart && a.Flags&AckFragment != 0
		if alone && n > 0 || !p.fits(ackLen(byte(a.Flags))) {
			alone = false
			break
		}
		p.addAck(a)
		q.last = a
		if q.repeat {
			q.sent(now, sentAck{Ack: a})
		}
		n++
	}
	q.unsent = q.unsent[:copy(q.unsent, q.unsent[n:])]
	return alone
}

// fillAgain adds the Acks of early or late that are due to a datagram.
func (q *ackQueue) fillAgain(now time.Duration, p *page, l *[]sentAck) {
	n := 0
	for n < len(*l) && (*l)[n].due <= now && p.fits(ackLen(byte((*l)[n].Flags))) {
		a := (*l)[n]
		p.addAck(a.Ack)
		q.last = a.Ack
		q.sent(now, a)
		n++
	}
	*l = (*l)[:copy(*l, (*l)[n:])]
}

// sent files an Ack that was sent, unless it was the last time.
func (q *ackQueue) sent(now time.Duration, a sentAck) {
	a.sends++
	a.due = now + ackInterval + strictly
	switch {
	case a.sends >= ackSends:
	case a.sends < ackStarts:
		q.early = append(q.early, a)
	default:
		q.late = append(q.late, a)
	}
}

// once stops the repetition.
func (q *ackQueue) once() { q.repeat, q.early, q.late = false, nil, nil }

// shrink releases memory that is not in use.
func (q *ackQueue) shrink() {
	if q.len() == 0 {
		q.unsent, q.early, q.late = nil, nil, nil
	}
}
