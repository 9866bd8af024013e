package transport

import "slices"

// events is a queue of events.
type events struct {
	list  []Event
	taken int // of list, cleared
}

const (
	// maxEvents is how many events may wait before datagrams are refused.
	maxEvents = 1024
	// keptEvents is for how many of them memory is kept, and how many places of those that
	// are taken.
	keptEvents = 256
)

func (q *events) push(e Event) {
	if q.taken >= keptEvents {
		q.list, q.taken = slices.Delete(q.list, 0, q.taken), 0
	}
	q.list = append(q.list, e)
}

// len returns the number of events that wait, 0 of a session that nobody has made.
func (q *events) len() int {
	if q == nil {
		return 0
	}
	return len(q.list) - q.taken
}

// each passes the events to yield, those that it causes, too.
func (q *events) each(yield func(Event) bool) {
	for more := true; more && q.len() > 0; {
		e := q.list[q.taken]
		q.list[q.taken] = Event{} // its payload is the caller's
		q.taken++
		if q.len() == 0 {
			q.reset()
		}
		more = yield(e)
	}
}

func (q *events) reset() {
	q.list, q.taken = q.list[:0], 0
	if cap(q.list) > keptEvents {
		q.list = nil
	}
}
