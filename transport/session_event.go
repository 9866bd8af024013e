package transport

import (
	"net/netip"
	"slices"
)

// Event is an event in a [Session] or a [Hub].
type Event struct {
	Kind     EventKind
	Delivery Delivery  // of EventPayload, and of a NameChange; OpenBC's own form of it is not HighPriority
	End      EndReason // of EventEnded

	// Payload is the payload of EventPayload, opcode first, or the text of EventQuery.
	Payload []byte
	// Body is the [ConnectRequest] of EventConnect, the [ConnectReply] of a client's
	// EventConnected, the body of EventSystem, or the [Boot] or [Disconnect] of EventEnded, or nil.
	Body Body

	// Session is the session of the event, or nil for EventConnect and EventQuery.
	Session *Session
	// Addr is the address of the client in the events of a Hub.
	Addr netip.AddrPort

	sequenced bool  // EventConnect has a sequence number, so it must be acknowledged
	size      int32 // of the datagram of EventConnect
}

// EventKind identifies the kind of an Event.
type EventKind uint8

const (
	// EventPayload is a game payload. Reliable payloads arrive in order, each once. A client may
	// get an unreliable one before it is accepted: OpenBC's refusal, an opcode.BootPlayer.
	EventPayload EventKind = iota
	// EventSystem is a NameChange, or a Boot or Disconnect about another client. A host should
	// apply a NameChange to the session it arrived on and ignore the peer ID inside it.
	EventSystem
	EventConnected // at a client: the host has assigned the peer ID; at a host: the client has shown that it receives datagrams
	EventEnded     // the last event of a session, also of a half-open one that had no EventConnected
	// EventConnect is a new Connect from an address. If the address has an open session, it was silent for 3 s and
	// has sent at most 33,000 reliable payloads. Call [Hub.Accept] or [Hub.Refuse]. Otherwise the next Connect causes
	// another event.
	EventConnect
	EventQuery // GameSpy text
)

// events is a queue of events.
type events struct {
	list []Event
	read int // number of read and cleared events at the beginning of list
}

const (
	// maxEvents is the number of unread events at which datagrams are refused.
	maxEvents = 1024
	// keptEvents is the number of events whose memory is kept, and the largest number of read
	// events among them.
	keptEvents = 256
)

func (q *events) push(e Event) {
	if q.read >= keptEvents {
		q.list, q.read = slices.Delete(q.list, 0, q.read), 0
	}
	q.list = append(q.list, e)
}

// len returns the number of unread events.
func (q *events) len() int { return len(q.list) - q.read }

// each passes the events to yield, including the events that yield causes.
func (q *events) each(yield func(Event) bool) {
	for more := true; more && q.len() > 0; {
		e := q.list[q.read]
		q.list[q.read] = Event{} // release its payload
		q.read++
		if q.len() == 0 {
			q.reset()
		}
		more = yield(e)
	}
}

func (q *events) reset() {
	q.list, q.read = q.list[:0], 0
	if cap(q.list) > keptEvents {
		q.list = nil
	}
}
