package transport

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

// Event is an event in a [Session] or a [Hub].
type Event struct {
	Kind     EventKind
	Delivery Delivery  // of EventPayload
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
	EventConnected // at a client: the host has assigned the peer ID; at a host: the client has used it
	EventProven    // the client has shown that it receives datagrams; see [Session.Challenge]
	EventEnded     // the last event of a session, also of a half-open one that had no EventConnected
	// EventConnect is a Connect from an address whose open session, if any, was silent for 3 s.
	// Call [Hub.Accept] or [Hub.Refuse]. Otherwise the next Connect causes another event.
	EventConnect
	EventQuery // GameSpy text
)

// String returns the kind as a word.
func (k EventKind) String() string {
	return name(k, "payload", "system", "connected", "proven", "ended", "connect", "query")
}

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

// len returns the number of unread events, or 0 for the zero value of a session.
func (q *events) len() int {
	if q == nil {
		return 0
	}
	return len(q.list) - q.read
}

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

// String returns one line, such as "host session, peer ID 2, open, 3 in flight, 5 queued".
func (s *Session) String() string {
	d := s.describe()
	text := fmt.Sprintf("%s session, peer ID %v", d.role, d.peer)
	if s.addr.IsValid() {
		text += ", " + s.addr.String()
	}
	if text += ", " + d.state; d.end != EndNone {
		text += fmt.Sprintf(" (%v)", d.end)
	}
	return fmt.Sprintf("%s, %d in flight, %d queued", text, d.inFlight, d.queued)
}

// LogValue returns role, peer, addr, state, end, in_flight and queued, or the zero Value for nil.
func (s *Session) LogValue() slog.Value {
	if s == nil {
		return slog.Value{}
	}
	d := s.describe()
	attrs := []slog.Attr{slog.String("role", d.role), slog.Int("peer", int(d.peer))}
	if s.addr.IsValid() {
		attrs = append(attrs, slog.String("addr", s.addr.String()))
	}
	attrs = append(attrs, slog.String("state", d.state))
	if d.end != EndNone {
		attrs = append(attrs, slog.String("end", d.end.String()))
	}
	return slog.GroupValue(append(attrs, slog.Int("in_flight", d.inFlight), slog.Int("queued", d.queued))...)
}

// description holds the values of String and LogValue.
type description struct {
	role, state      string
	peer             objectid.PeerID
	end              EndReason
	inFlight, queued int // messages; each fragment counts as one
}

func (s *Session) describe() description {
	s.ready()
	d := description{role: "client", peer: s.life.client.peer, end: s.life.reason}
	if s.life.host {
		d.role = "host"
	}
	d.state = name(s.life.state, "connecting", "open", "open", "closing", "lingering", "over")
	d.inFlight = s.sender.inFlight.len()
	d.queued = s.sender.unsent.len()
	for i := range s.sender.channels {
		d.queued += s.sender.channels[i].held.len()
	}
	return d
}

func (l *messageList) len() (n int) {
	for m := l.head; m != nil; m = m.next {
		n++
	}
	return n
}
