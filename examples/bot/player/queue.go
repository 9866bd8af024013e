package player

import "iter"

// MaxEvents is how many events are kept until they are taken. Later ones are lost, but
// for [Ended].
const MaxEvents = 1024

type queue struct {
	list  []Event
	taken int
	lost  uint64
}

func (q *queue) len() int { return len(q.list) - q.taken }

func (q *queue) add(e Event, always bool) {
	if q.len() >= MaxEvents && !always {
		q.lost++
		return
	}
	q.list = append(q.list, e)
}

func (q *queue) take() Event {
	e := q.list[q.taken]
	q.taken++
	if q.len() == 0 {
		clear(q.list)
		q.list, q.taken = q.list[:0], 0
	}
	return e
}

// Events iterates over what has happened, and removes it. The loop may call any method of
// the player, and may be left: the next one goes on.
func (p *Player) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for more := true; more && p.queue.len() > 0; {
			more = yield(p.queue.take())
		}
	}
}

// maxText is how many characters of a text are kept.
const maxText = 512

func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxText {
			return s[:i] + "…"
		}
	}
	return s
}
