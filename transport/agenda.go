package transport

import "time"

// agenda is the sessions of a Hub by the time when they are due, a heap: what a datagram
// costs is not to depend on how many sessions there are.
type agenda []appointment

type appointment struct {
	due time.Duration
	s   *Session
}

func (a *agenda) add(s *Session) {
	s.turn = len(*a)
	*a = append(*a, appointment{s: s})
	a.update(s)
}

func (a *agenda) remove(s *Session) {
	last := len(*a) - 1
	moved := (*a)[last]
	(*a)[last] = appointment{}
	*a = (*a)[:last]
	if moved.s != s {
		a.place(s.turn, moved)
	}
}

// update notes that the deadline of a session may have changed.
func (a agenda) update(s *Session) { a.place(s.turn, appointment{s.deadline(), s}) }

// next returns when the first is due.
func (a agenda) next() time.Duration {
	if len(a) == 0 {
		return forever
	}
	return a[0].due
}

// place fills the place i, whose neighbours move as far as they must.
func (a agenda) place(i int, x appointment) {
	for i > 0 && x.due < a[(i-1)/2].due {
		a.set(i, a[(i-1)/2])
		i = (i - 1) / 2
	}
	for child := 2*i + 1; child < len(a); child = 2*i + 1 {
		if child+1 < len(a) && a[child+1].due < a[child].due {
			child++
		}
		if x.due <= a[child].due {
			break
		}
		a.set(i, a[child])
		i = child
	}
	a.set(i, x)
}

func (a agenda) set(i int, x appointment) {
	a[i] = x
	x.s.turn = i
}
