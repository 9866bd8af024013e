package relay

import "time"

// entry is a queued datagram.
type entry struct {
	due      time.Time
	order    uint64 // of arrival, among entries that are due at the same time
	datagram []byte
	send     func([]byte) error
}

// queue is a [container/heap] of entries, ordered by due.
type queue []entry

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q queue) Less(i, j int) bool {
	if order := q[i].due.Compare(q[j].due); order != 0 {
		return order < 0
	}
	return q[i].order < q[j].order
}

func (q *queue) Push(e any) { *q = append(*q, e.(entry)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = entry{}
	*q = (*q)[:last]
	return e
}
