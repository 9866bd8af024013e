package transport

import (
	"iter"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Observer follows both directions of a link between a host and a client, for packet analysers,
// proxies and statistics. It joins payloads, detects retransmissions and measures round-trip times.
// Pass it every deciphered datagram:
//
//	for m, err := range observer.Receive(now, fromHost, datagram) {
//		switch {
//		case err != nil:
//			log.Print(err)
//		case m.Payload != nil:
//			...
//		}
//	}
//
// A capture may start in the middle of a connection, or lack one direction. Payloads are returned
// as they arrive, not in order, and may never reach the receiver. A Connect that begins a new
// connection resets the Observer, even if it is forged. An Observer adapts to OpenBC.
//
// Use one Observer for each client. If several clients share an Observer, it may attribute the
// host's messages and Acks to the wrong client. It retains the 20 senders that were heard last, by
// direction and peer ID. For one client, an Observer takes at most 65 KiB besides partial payloads. It
// never takes more than 8 MiB. The zero value is ready to use. An Observer is not safe for concurrent
// use.
type Observer struct {
	limits     partialLimits // of each sender
	message    Observation   // reused
	nothing    DoNothing     // the body of keepalives, reused
	senders    []*observedSender
	connection observedConnection
	host       Peer
	openBC     bool    // a sender counts modulo 256
	datagrams  uint64  // received
	errors     []Error // the last errors, and memory for the next ones
}

// Observation is an observed message. It aliases the datagram, except for a joined Payload.
type Observation struct {
	Message
	Raw []byte // the bytes of the message, or the rest of the datagram if its length is unknown

	// Number is the sequence number of a reliable message on its channel, beyond the low byte that OpenBC sends. It is 0
	// for OpenBC's own forms of system messages, which have no number.
	Number uint16
	// Verdict is the result of [Reassembler.Add] for Data. A system message has VerdictComplete,
	// VerdictDuplicate (reliable, observed before) or VerdictRefused (unreadable header or length).
	Verdict Verdict
	// Payload is the payload that the message completes, or nil if there is none. It may be empty.
	Payload []byte
	// Fragments is the number of fragments of the payload, or 0 if it is unknown.
	Fragments int
	// Decoded is the typed body of a system message, or nil. For an Ack, use [Message.Ack].
	Decoded Body
	// Acked is the message that an Ack acknowledges, or zero if that is unknown.
	Acked Acked
	// NewConnection means that a Connect begins a connection and has reset the Observer for the client. The reply of
	// the host, or the first message with the peer ID of the client, resets it for the host.
	NewConnection bool
}

// Acked is a message, or a fragment, that an Ack acknowledges.
type Acked struct {
	Sends int // how often it was sent until the Ack; 0 if the message is unknown
	Acks  int // how often it was acknowledged, including this Ack
	// Least is the smallest of the last 16 round trips to the sender of the Ack, 0 if there is none.
	Least time.Duration

	sent time.Time // when it was first sent
}

// RoundTrip returns the time from sending the message to receiving its Ack at the time now. This
// includes the time for which the peer waits before it sends an Ack: at most a tick, 50 ms for a
// [Session] with the default options. Least is closer to the network's round trip. RoundTrip returns
// false if the message is unknown, was retransmitted, or was acknowledged before.
func (a Acked) RoundTrip(now time.Time) (time.Duration, bool) {
	if a.Sends != 1 || a.Acks != 1 {
		return 0, false
	}
	return now.Sub(a.sent), true
}

// Receive observes a deciphered datagram and iterates over its messages. Datagrams of the host
// begin with the peer ID [objectid.Host]. Range over the result exactly once. The pointer is valid
// until the next iteration. If the loop ends early, the remaining messages are still observed. An
// unreadable message or body, and a contradicting fragment, come with an [*Error]. With
// VerdictDropped, the error is not an [*Error]. A body of unknown form
// ([ErrDialect]) has no error and a nil Decoded. GameSpy text comes with [ErrGameSpy].
func (o *Observer) Receive(now time.Time, fromHost bool, datagram []byte) iter.Seq2[*Observation, error] {
	return func(yield func(*Observation, error) bool) {
		d := o.begin(now, fromHost, datagram)
		more := true
		for d.index < d.count {
			err := o.next(&d)
			more = more && yield(&o.message, err)
		}
	}
}

// Host returns what is known about the program of the host. A program that interprets messages of the game
// can add to it. It outlives the connections of the link.
func (o *Observer) Host() *Peer { return &o.host }

// Pending returns the number of partial payloads, and the bytes of their fragments.
func (o *Observer) Pending() (payloads, bytes int) {
	for _, s := range o.senders {
		n, size := s.game.pending()
		payloads, bytes = payloads+n, bytes+size
	}
	return payloads, bytes
}

// observedDatagram is a datagram whose messages before index have been observed.
type observedDatagram struct {
	now           time.Time
	fromHost      bool
	peer          objectid.PeerID
	wire          []byte
	index, offset int
	count         int             // of messages
	sender        *observedSender // nil before the first message and after a reset
	acknowledged  bool            // an Ack of the Connect precedes the message
}

func (o *Observer) begin(now time.Time, fromHost bool, datagram []byte) observedDatagram {
	d := observedDatagram{now: now, fromHost: fromHost, wire: datagram, offset: 2}
	d.count, _ = header(datagram)
	if len(datagram) > 0 {
		d.peer = peerOf(datagram[0])
	}
	o.datagrams++
	return d
}

// next observes the next message.
func (o *Observer) next(d *observedDatagram) error {
	m := &o.message
	*m = Observation{Raw: d.wire[min(d.offset, len(d.wire)):]}
	n, err := o.read(d)
	if n > 0 {
		m.Raw = m.Raw[:n:n]
	}
	if err != nil {
		m.Verdict = VerdictRefused
	} else if err = o.observe(d); err != nil {
		if e, ok := err.(*Error); ok {
			e.Index, e.Offset = d.index, d.offset
		}
	}
	d.index, d.offset = d.index+1, d.offset+n
	if n == 0 {
		d.count = 0 // the rest is lost
	}
	return err
}

// read reads the next message, like nextMessage.
func (o *Observer) read(d *observedDatagram) (n int, err error) {
	m := &o.message.Message
	if d.index == 0 {
		return nextMessage(m, d.wire, d.index, d.offset)
	}
	if n, err = m.parse(d.wire[d.offset:]); err != nil {
		err = o.failure(malformed(d.wire, d.index, d.offset, m.Type, err))
	}
	return n, err
}

// failure returns an error. Several errors share memory, because a datagram can have 255 of them.
func (o *Observer) failure(e Error) *Error {
	if len(o.errors) == cap(o.errors) {
		o.errors = make([]Error, 0, 8)
	}
	o.errors = append(o.errors, e)
	return &o.errors[len(o.errors)-1]
}

// observe observes a readable message.
func (o *Observer) observe(d *observedDatagram) (err error) {
	m := &o.message
	if !d.fromHost && m.Type == TypeConnect && d.peer == objectid.NoPeer && o.connection.begins(d.now, &m.Message) {
		m.NewConnection = true
		o.reset(false)
		d.sender = nil
	}
	if o.connection.replies(d, &m.Message) {
		o.reset(true)
		d.sender = nil
	}
	if d.sender == nil {
		d.sender = o.sender(d)
		o.connection.hear(d)
	}
	if m.Type == TypeDoNothing && len(m.Body) == 0 { // a datagram can have 255 of one byte
		o.nothing = DoNothing{}
		m.Decoded = &o.nothing // needs no memory, unlike the result of decode
		return nil
	}
	o.connection.observe(d, &m.Message)
	s := d.sender
	fromHost := d.fromHost && d.peer == objectid.Host
	// A Session counts modulo 256, too, if its client does.
	if form := m.isOpenBC(); form || !o.openBC && s.repeatsNumber(&m.Message) {
		s.openBC, o.openBC = true, true
		if fromHost && (form || o.hasClient(false)) {
			o.host.Settle(ProgramOpenBC)
		}
	}
	if fromHost && !(m.Type == TypeNameChange && o.hasClient(true)) {
		d.acknowledged = d.acknowledged || m.acknowledgesConnect()
		o.host.hear(&m.Message, d.acknowledged)
	}
	switch {
	case m.Type == TypeAck:
		m.Acked = o.acknowledged(d)
	case m.Probe():
		m.Verdict = VerdictDuplicate
	case m.Type == TypeData:
		err = s.receiveData(d.now, m, o.openBC)
	default:
		if cause := s.receiveSystem(m, o.openBC, fromHost && o.host.stock()); cause != nil {
			err = o.failure(Error{Type: m.Type, Err: cause})
		}
	}
	if m.Reliable && (m.HighPriority || !m.System()) {
		s.record(d.now, m, o.comparable(*AckOf(&m.Message)))
	}
	return err
}

// reset removes the clients or the hosts among the senders, and keeps their memory for reuse. A host may
// send messages of an earlier connection until it accepts the new one.
func (o *Observer) reset(hosts bool) {
	n := 0
	for i, s := range o.senders {
		if s.fromHost == hosts {
			s.reset()
		} else {
			o.senders[n], o.senders[i] = s, o.senders[n]
			n++
		}
	}
	o.senders, o.openBC = o.senders[:n], false
}

// hasClient reports whether a client was observed that has shown that it is OpenBC, or one that has not.
func (o *Observer) hasClient(openBC bool) bool {
	return slices.ContainsFunc(o.senders, func(s *observedSender) bool { return !s.fromHost && s.openBC == openBC })
}

// sender returns the sender of a datagram.
func (o *Observer) sender(d *observedDatagram) *observedSender {
	var silent *observedSender
	for _, s := range o.senders {
		if s.fromHost == d.fromHost && s.peer == d.peer {
			s.used = o.datagrams
			return s
		}
		if silent == nil || s.used < silent.used {
			silent = s
		}
	}
	switch n := len(o.senders); {
	case n == maxObservedSenders:
		silent.reset()
	case n < cap(o.senders) && o.senders[:n+1][n] != nil:
		o.senders = o.senders[:n+1]
		silent = o.senders[n]
	default:
		silent = &observedSender{}
		o.senders = append(o.senders, silent)
	}
	silent.fromHost, silent.peer, silent.used = d.fromHost, d.peer, o.datagrams
	silent.game.limits = o.limits
	return silent
}

// acknowledged returns the message of the other direction that an Ack acknowledges.
func (o *Observer) acknowledged(d *observedDatagram) Acked {
	ack, _ := o.message.Ack()
	ack = o.comparable(ack)
	trips := &d.sender.trips
	var found *sentMessage
	for _, s := range o.senders {
		if s.fromHost == d.fromHost {
			continue
		}
		if m := s.sent.find(ack); m != nil && (found == nil || m.first.After(found.first)) {
			found = m
		}
	}
	if found == nil {
		return Acked{}
	}
	count(&found.acks)
	a := Acked{sent: found.first, Sends: int(found.sends), Acks: int(found.acks)}
	if d, ok := a.RoundTrip(d.now); ok {
		trips.add(d)
	}
	a.Least = trips.least()
	return a
}

// Clone returns a deep copy of the observer. Do not call Clone within a loop over Receive.
func (o *Observer) Clone() *Observer {
	clone := *o
	clone.message = Observation{} // aliases the last datagram
	clone.senders, clone.errors = nil, nil
	for _, s := range o.senders {
		clone.senders = append(clone.senders, s.clone())
	}
	return &clone
}
