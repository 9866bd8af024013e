package udp

import (
	"bytes"
	"slices"

	"github.com/bcwire/bcwire/transport"
)

// Limits of the events that a program has not received. One event always fits.
const (
	maxUnread      = 4096
	maxUnreadBytes = 4 << 20
)

// unread holds the events that the program has not received, within limits.
type unread struct {
	maxEvents int
	maxBytes  int

	list  []transport.Event
	next  int // index of the first event; earlier events are cleared
	bytes int // of the payloads and names
}

// keptUnread is the number of events whose memory is kept after all are received.
const keptUnread = 256

// push adds a copy of an event without its Session, which is not safe for concurrent use. It
// reports whether there was room. A single event always has room.
func (u *unread) push(e transport.Event) bool {
	n := u.len()
	if n >= u.maxEvents || n > 0 && size(e) > u.maxBytes-u.bytes {
		return false
	}
	e.Session = nil
	e.Payload = bytes.Clone(e.Payload)
	if name, ok := e.Body.(*transport.NameChange); ok {
		name.Name = slices.Clone(name.Name)
		e.Body = name
	}
	if u.next > n {
		u.list, u.next = slices.Delete(u.list, 0, u.next), 0
	}
	u.list = append(u.list, e)
	u.bytes += size(e)
	return true
}

// pop removes the first event and returns it. It reports whether there was one.
func (u *unread) pop() (e transport.Event, ok bool) {
	if u.len() == 0 {
		return e, false
	}
	e, u.list[u.next] = u.list[u.next], transport.Event{}
	u.next++
	u.bytes -= size(e)
	if u.len() == 0 {
		u.clear()
	}
	return e, true
}

func (u *unread) len() int { return len(u.list) - u.next }

// clear removes all events.
func (u *unread) clear() {
	clear(u.list)
	u.list, u.next, u.bytes = u.list[:0], 0, 0
	if cap(u.list) > keptUnread {
		u.list = nil
	}
}

// size returns the bytes of an event besides its struct.
func size(e transport.Event) int {
	if change, ok := e.Body.(*transport.NameChange); ok {
		return len(change.Name)
	}
	return len(e.Payload)
}
