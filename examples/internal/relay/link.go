package relay

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Limits of the queue of a link.
const (
	maxQueued      = 4096
	maxQueuedBytes = 1 << 20
)

// link is a queue for one direction of one client, in which datagrams wait until they are due.
// It has no clock. The times of its calls must not go backwards.
type link struct {
	Conditions
	rand  *rand.Rand
	queue []entry   // in the order in which they are due
	bytes int       // in the queue
	last  time.Time // when the last datagram in order is due
}

// entry is a queued datagram.
type entry struct {
	due      time.Time
	datagram []byte
	send     func([]byte) error
}

func newLink(c Conditions, seed, stream uint64) *link {
	return &link{Conditions: c, rand: rand.New(rand.NewPCG(seed, stream))}
}

// outcome is what happens to a datagram.
type outcome struct {
	dropped, duplicated, heldBack bool
	queueFull                     bool
}

// note describes the outcome, or returns "" for a datagram that is sent as usual.
func (f outcome) note() string {
	var words []string
	for _, x := range []struct {
		set  bool
		text string
	}{{f.dropped, "dropped"}, {f.queueFull, "dropped: queue full"}, {f.heldBack, "held back"}, {f.duplicated, "duplicated"}} {
		if x.set {
			words = append(words, x.text)
		}
	}
	return strings.Join(words, ", ")
}

// put queues a datagram, and retains it and the function that sends it.
func (l *link) put(now time.Time, datagram []byte, send func([]byte) error) (f outcome) {
	// Each datagram uses five random numbers, whatever its outcome. The numbers of a datagram
	// therefore do not depend on the conditions of the datagrams before it.
	drop, duplicate, reorder := l.rand.Float64(), l.rand.Float64(), l.rand.Float64()
	jitter, again := l.rand.Float64(), l.rand.Float64()
	if drop < l.Drop {
		return outcome{dropped: true}
	}
	f.heldBack = reorder < l.Reorder
	if !l.push(l.due(now, jitter, f.heldBack), datagram, send) {
		return outcome{queueFull: true}
	}
	f.duplicated = duplicate < l.Duplicate && l.push(l.due(now, again, false), datagram, send)
	return f
}

// due returns the time at which to send a datagram. Datagrams that are not held back stay in
// order.
func (l *link) due(now time.Time, chance float64, heldBack bool) time.Time {
	delay := l.Delay + time.Duration((2*chance-1)*float64(l.Jitter))
	at := now.Add(max(0, delay))
	if at.Before(l.last) {
		at = l.last
	}
	if heldBack {
		return at.Add(l.Hold)
	}
	l.last = at
	return at
}

func (l *link) push(at time.Time, datagram []byte, send func([]byte) error) bool {
	if len(l.queue) >= maxQueued || l.bytes+len(datagram) > maxQueuedBytes {
		return false
	}
	l.bytes += len(datagram)
	i := len(l.queue)
	for i > 0 && l.queue[i-1].due.After(at) { // those that were held back
		i--
	}
	l.queue = slices.Insert(l.queue, i, entry{at, datagram, send})
	return true
}

// next removes and returns a datagram that is due, if there is one.
func (l *link) next(now time.Time) (entry, bool) {
	if len(l.queue) == 0 || l.queue[0].due.After(now) {
		return entry{}, false
	}
	e := l.queue[0]
	l.queue[0] = entry{}
	l.queue = l.queue[1:]
	l.bytes -= len(e.datagram)
	return e, true
}

// deadline returns the time at which the next datagram is due, if there is one.
func (l *link) deadline() (time.Time, bool) {
	if len(l.queue) == 0 {
		return time.Time{}, false
	}
	return l.queue[0].due, true
}
