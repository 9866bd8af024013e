package transport

import (
	"net/netip"
	"slices"
	"strconv"
)

// Event is something that has happened in a [Session] or a [Hub].
type Event struct {
	Kind     EventKind
	Delivery Delivery  // EventPayload: how it was sent
	End      EndReason // EventEnded

	// Payload is that of EventPayload, opcode first, or the text of EventQuery.
	Payload []byte
	// Body is the [ConnectRequest] of EventConnect, the [ConnectReply] of a client's
	// EventConnected, the [NameChange], [Boot] or [Disconnect] of EventSystem, and the
	// Boot or Disconnect that EventEnded is the effect of; else nil.
	Body Body

	// Session is where it happened; nil for EventConnect and EventQuery.
	Session *Session
	// Addr is where it came from, if the session belongs to a Hub.
	Addr netip.AddrPort

	sequenced bool // EventConnect: the request has a sequence number and wants an Ack
}

// EventKind tells the kinds of events apart.
type EventKind uint8

const (
	// EventPayload is a game payload, complete. Reliable ones come in the order in which
	// they were sent, each once; the others as they arrive. A client that is not accepted
	// yet may get one, too: OpenBC refuses a client by a BootPlayer of package opcode.
	EventPayload EventKind = iota
	// EventSystem is a NameChange, or a Boot or Disconnect that is about another client.
	// A host does well to apply a NameChange to the session that it came from, whatever
	// peer ID is in it.
	EventSystem
	// EventConnected says that the handshake is complete: the client has its peer ID.
	EventConnected
	// EventProven says that the client of a host has shown that it receives; see
	// [Session.Challenge].
	EventProven
	// EventEnded is the last event of a session.
	EventEnded
	// EventConnect is a Connect from an address without a session, or with one that is
	// silent: call [Hub.Accept] or [Hub.Refuse], or neither, and it comes again when the
	// client does.
	EventConnect
	// EventQuery is GameSpy text.
	EventQuery
)

// String returns the kind in a word.
func (k EventKind) String() string {
	return name(k, "payload", "system", "connected", "proven", "ended", "connect", "query")
}

// EndReason tells why a session has ended.
type EndReason uint8

const (
	// EndNone: the session has not ended.
	EndNone EndReason = iota
	// EndClosed: Close or Boot was called.
	EndClosed
	// EndLeft: the client has left, or the host shut down. Body is the Disconnect, nil
	// for that of OpenBC.
	EndLeft
	// EndBooted: the host has refused or dismissed the client. Body is the Boot.
	EndBooted
	// EndTimeout: the peer has been silent for Options.PeerTimeout.
	EndTimeout
	// EndUnacknowledged: a message has not been acknowledged for Options.SendTimeout.
	EndUnacknowledged
	// EndBadFragment: a fragment contradicts others that were acknowledged, so that the
	// payload can never be completed.
	EndBadFragment
	// EndFragmentAge: a fragmented payload was not completed within Options.MaxSetAge.
	EndFragmentAge
	// EndHandshake: the handshake was not completed, within Options.PeerTimeout at a
	// client and within Options.HandshakeTimeout at a host.
	EndHandshake
	// EndReplaced: another Connect from the same address was accepted, or another client
	// needed the place of one that was not proven.
	EndReplaced
	// EndForged: a client that was not proven has acknowledged a message that was never
	// sent.
	EndForged
)

// String returns the reason in words.
func (r EndReason) String() string {
	return name(r, "none", "closed", "left", "booted", "timed out", "not acknowledged", "bad fragment",
		"fragments too old", "handshake not completed", "replaced", "forged")
}

func name[T ~uint8](v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

// Delivery is how a payload travels.
type Delivery uint8

const (
	// Reliable payloads arrive in order, each once.
	Reliable Delivery = 1 << iota
	// HighPriority payloads leave before others. It does not change the order in which
	// reliable ones are delivered.
	HighPriority
	// Unreliable payloads are sent once, and delivered as they arrive.
	Unreliable Delivery = 0
)

// String returns the delivery in words.
func (d Delivery) String() string {
	return name(d, "unreliable", "reliable", "unreliable, high priority", "reliable, high priority")
}

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
