package transport

import "slices"

// inbox is the receiving end of one channel.
type inbox struct {
	expected uint16
	waiting  []early // in the order of their sequence numbers
	bytes    int
}

// early is a message that arrived before one with a smaller sequence number.
type early struct {
	m    Message
	kept *entry // the memory of its body, nil if it has its own
}

// find returns the place of a sequence number among those that wait, and whether it does.
func (in *inbox) find(seq uint16) (int, bool) {
	return slices.BinarySearchFunc(in.waiting, seq-in.expected, func(w early, ahead uint16) int {
		return int(w.m.Seq-in.expected) - int(ahead)
	})
}

func (in *inbox) keep(i int, w early) {
	in.waiting = slices.Insert(in.waiting, i, w)
	in.bytes += len(w.m.Body)
}

// flush passes on what waited for the message that has just been delivered.
func (in *inbox) flush(deliver func(early)) {
	n := 0
	for n < len(in.waiting) && in.waiting[n].m.Seq == in.expected {
		w := in.waiting[n]
		n++
		in.expected++
		in.bytes -= len(w.m.Body)
		deliver(w)
	}
	in.waiting = slices.Delete(in.waiting, 0, n)
}

// room is how long a message may be that is kept, -1 if none may.
func (in *inbox) room(o *Options) int {
	if len(in.waiting) >= o.MaxBuffered {
		return -1
	}
	return o.MaxBufferedBytes - in.bytes
}
