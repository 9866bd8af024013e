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
