package main

import (
	"container/heap"
	"math/rand/v2"
	"strings"
	"time"
)

// Bounds of what a link holds.
const (
	maxQueued      = 4096
	maxQueuedBytes = 1 << 20
)

// link is one direction of one client: datagrams go in, and come out when they are due. It
// has no clock; the times that it is given do not go backwards.
type link struct {
	conditions
	rand  *rand.Rand
	queue queue
	bytes int       // in the queue
	count uint64    // of what was ever in the queue
	last  time.Time // when the latest of those in order is due
}

func newLink(c conditions, seed, stream uint64) *link {
	return &link{conditions: c, rand: rand.New(rand.NewPCG(seed, stream))}
}

// fate is what happens to a datagram.
type fate struct {
	dropped, duplicated, held bool
	noRoom                    bool
}

// note says in words what is not as usual.
func (f fate) note() string {
	var words []string
	for _, w := range []struct {
		set  bool
		text string
	}{{f.dropped, "dropped"}, {f.noRoom, "dropped: queue full"}, {f.held, "held back"}, {f.duplicated, "duplicated"}} {
		if w.set {
			words = append(words, w.text)
		}
	}
	return strings.Join(words, ", ")
}

// put takes a datagram, which it keeps.
func (l *link) put(now time.Time, datagram []byte) (f fate) {
	// Each takes as many random numbers, whatever happens to it, so that the fate of one
	// does not depend on the conditions that others meet.
	drop, duplicate, reorder := l.rand.Float64(), l.rand.Float64(), l.rand.Float64()
	jitter, again := l.rand.Float64(), l.rand.Float64()
	if drop < l.drop {
		return fate{dropped: true}
	}
	f.held = reorder < l.reorder
	if !l.push(l.due(now, jitter, f.held), datagram) {
		return fate{noRoom: true}
	}
	f.duplicated = duplicate < l.duplicate && l.push(l.due(now, again, false), datagram)
	return f
}

// due returns when a datagram is to be sent. Those that are not held back keep their order.
func (l *link) due(now time.Time, chance float64, held bool) time.Time {
	delay := l.delay + time.Duration((2*chance-1)*float64(l.jitter))
	at := now.Add(max(0, delay))
	if at.Before(l.last) {
		at = l.last
	}
	if held {
		return at.Add(l.hold)
	}
	l.last = at
	return at
}

func (l *link) push(at time.Time, datagram []byte) bool {
	if len(l.queue) >= maxQueued || l.bytes+len(datagram) > maxQueuedBytes {
		return false
	}
	l.count++
	l.bytes += len(datagram)
	heap.Push(&l.queue, entry{at, l.count, datagram})
	return true
}

// next takes out a datagram that is due, if there is one.
func (l *link) next(now time.Time) ([]byte, bool) {
	if len(l.queue) == 0 || l.queue[0].due.After(now) {
		return nil, false
	}
	e := heap.Pop(&l.queue).(entry)
	l.bytes -= len(e.datagram)
	return e.datagram, true
}

// deadline returns when the next datagram is due, if there is one.
func (l *link) deadline() (time.Time, bool) {
	if len(l.queue) == 0 {
		return time.Time{}, false
	}
	return l.queue[0].due, true
}
