package transport

import "time"

// entry is a message that is kept, as bytes.
type entry struct {
	wire []byte

	system   bool
	reliable bool
	fragment bool
	index    uint8
	seq      uint16
	sends    int
	first    time.Duration // when it was sent first
	due      time.Duration // when it is to be sent again

	in         *list
	next, prev *entry
}

// list is a doubly linked list of entries, each of which is in one at most.
type list struct{ head, tail *entry }

// insert puts an entry behind another one, at the head if that is nil.
func (l *list) insert(e, behind *entry) {
	e.in, e.prev, e.next = l, behind, l.head
	if behind != nil {
		e.next = behind.next
		behind.next = e
	} else {
		l.head = e
	}
	if e.next != nil {
		e.next.prev = e
	} else {
		l.tail = e
	}
}

// insertDue keeps a list in the order in which its entries are due.
func (l *list) insertDue(e *entry) {
	behind := l.tail
	for behind != nil && behind.due > e.due {
		behind = behind.prev
	}
	l.insert(e, behind)
}

func (l *list) remove(e *entry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		l.head = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		l.tail = e.prev
	}
	e.in, e.next, e.prev = nil, nil, nil
}

// pop removes the first entry and returns it, nil if there is none.
func (l *list) pop() *entry {
	e := l.head
	if e != nil {
		l.remove(e)
	}
	return e
}

// pool keeps entries that are not in use, with their memory.
type pool struct {
	free list
	n    int
}

const (
	maxPooled     = 64
	maxPooledWire = 512
)

func (p *pool) get() *entry {
	e := p.free.pop()
	if e == nil {
		return &entry{}
	}
	p.n--
	*e = entry{wire: e.wire[:0]}
	return e
}

func (p *pool) put(e *entry) {
	if p.n < maxPooled && cap(e.wire) <= maxPooledWire {
		p.free.insert(e, nil)
		p.n++
	}
}

// outbox is the reliable messages of one channel that the peer has not acknowledged, by
// their sequence numbers.
type outbox struct {
	base  uint16 // the oldest one, the next one if there is none
	slots []slot // a ring, of a power of two
	head  int
	n     int
	// wrapped: the numbers began again at 0
	wrapped bool
	held    list // what waits for the window
}

// slot is what has one sequence number: a message or the pieces of a payload.
type slot struct {
	whole  *entry
	pieces []*entry // nil: acknowledged
	left   int
}

func (o *outbox) next() uint16 { return o.base + uint16(o.n) }

// ahead returns how far a sequence number is from the oldest one.
func (o *outbox) ahead(seq uint16) int { return int(seq - o.base) }

// was reports whether a sequence number, or one with the same low byte, may have been used
// and acknowledged.
func (o *outbox) was(seq uint16) bool { return o.wrapped || seq < o.base }

// slot returns that of a sequence number, nil if it has none.
func (o *outbox) slot(seq uint16) *slot {
	i := o.ahead(seq)
	if i >= o.n {
		return nil
	}
	return &o.slots[(o.head+i)&(len(o.slots)-1)]
}

// push makes the slot of the next sequence number.
func (o *outbox) push() *slot {
	if o.n == len(o.slots) {
		slots := make([]slot, max(8, 2*o.n))
		n := copy(slots, o.slots[o.head:])
		copy(slots[n:], o.slots[:o.head])
		o.slots, o.head = slots, 0
	}
	o.n++
	return o.slot(o.base + uint16(o.n-1))
}

// find returns the message that an Ack acknowledges, nil if there is none.
func (o *outbox) find(a Ack) *entry {
	s := o.slot(a.Seq)
	switch {
	case s == nil:
		return nil
	case a.Flags&AckFragment == 0:
		return s.whole
	case int(a.FragIndex) < len(s.pieces):
		return s.pieces[a.FragIndex]
	}
	return nil
}

// clear forgets a message, and moves on if it was the oldest.
func (o *outbox) clear(e *entry) {
	s := o.slot(e.seq)
	if e.fragment {
		s.pieces[e.index] = nil
	} else {
		s.whole = nil
	}
	s.left--
	for o.n > 0 && o.slots[o.head].left == 0 {
		o.slots[o.head] = slot{}
		o.head = (o.head + 1) & (len(o.slots) - 1)
		o.base++
		o.wrapped = o.wrapped || o.base == 0
		o.n--
	}
}
