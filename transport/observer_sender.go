package transport

import (
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// maxObservedSenders is the number of senders that an Observer retains: the host, clients without
// a peer ID, and more clients than a game has.
const maxObservedSenders = 20

// observedSender is the state of an Observer for one sender.
type observedSender struct {
	fromHost bool
	peer     objectid.PeerID
	used     uint64 // number of the last datagram

	game   Reassembler
	system sequenceSet
	sent   sentMessages

	openBC bool // the sender is OpenBC
	wide   bool // sequence numbers have exceeded one byte
	hashes bodyHashes
	trips  roundTrips
	left   bool // the sender has sent a Disconnect
}

// reset clears the state and keeps the memory.
func (s *observedSender) reset() {
	s.game.partial.clear()
	s.game.complete.clear()
	s.system.clear()
	s.sent.clear()
	s.openBC, s.wide, s.left, s.hashes, s.trips = false, false, false, s.hashes[:0], roundTrips{}
}

// receiveData adds a Data message. openBC reports whether a sender on the link is OpenBC.
func (s *observedSender) receiveData(now time.Time, o *Observation, openBC bool) (err error) {
	m := o.Message
	if m.Reliable {
		m.Seq = s.number(&m, &s.game.complete, openBC)
		o.Number = m.Seq
	}
	s.game.Expire(now)
	if m.Fragment && m.FragIndex == 0 {
		o.Fragments = int(m.FragTotal)
	} else if m.Fragment {
		if partial := s.game.partial.find(m.Seq); partial != nil {
			o.Fragments = partial.total
		}
	}
	o.Payload, o.Verdict, err = s.game.Add(now, &m)
	if m.Reliable && !s.wide && m.Seq <= 0xFF && o.Verdict == VerdictComplete {
		s.hashes.add(&m)
	}
	return err
}

// receiveSystem reads a system message, and returns the cause of an error. OpenBC numbers its own
// forms 0, and reuses the number of another message for its Disconnect. The stock game does not.
func (s *observedSender) receiveSystem(o *Observation, openBC, stock bool) error {
	m := &o.Message
	if m.Reliable && m.HighPriority {
		seq := s.number(m, &s.system, openBC)
		if s.system.has(seq) && (s.left || stock || m.Type != TypeDisconnect) {
			o.Verdict = VerdictDuplicate
		}
		s.system.add(seq)
		o.Number = seq
	}
	s.left = s.left || m.Type == TypeDisconnect
	body, err := m.decode()
	switch err {
	case nil:
		o.Decoded = body
	case ErrDialect:
		err = nil
	}
	return err
}

// record records that a reliable message was sent, given the Ack that acknowledges it.
func (s *observedSender) record(now time.Time, o *Observation, ack Ack) {
	m, v := s.sent.find(ack), o.Verdict
	switch {
	case m != nil && (v == VerdictDuplicate || v == VerdictDropped):
		count(&m.sends)
	case v == VerdictComplete || v == VerdictStored || v == VerdictDropped || o.Probe():
		s.sent.add(ack, now)
	}
}

// roundTrips holds the last round trips to a peer.
type roundTrips struct {
	last [16]time.Duration
	n    int
}

func (r *roundTrips) add(d time.Duration) {
	r.last[r.n%len(r.last)] = d
	r.n++
}

// least returns the smallest round trip, or 0 if there is none.
func (r *roundTrips) least() time.Duration {
	if r.n == 0 {
		return 0
	}
	return slices.Min(r.last[:min(r.n, len(r.last))])
}

// sentMessages holds the last reliable messages and fragments of a sender, at indexes that depend
// on their numbers.
type sentMessages struct {
	pages [256 / sentPageSize]*sentPage // nil until they are used
	round uint32                        // messages of other rounds are removed
}

type sentPage [sentPageSize]sentMessage

const sentPageSize = 16

type sentMessage struct {
	ack   Ack    // acknowledges the message
	round uint32 // of sentMessages
	first time.Time
	sends uint16 // 0: no message
	acks  uint16
}

// count adds one, up to the largest uint16.
func count(n *uint16) { *n = min(*n, math.MaxUint16-1) + 1 }

// place returns the page and the index in the page for the message that an Ack acknowledges.
func (s *sentMessages) place(a Ack) (page **sentPage, index uint8) {
	place := uint8(a.Seq) + a.FragIndex
	if a.Flags&AckSystem != 0 {
		place += 128
	}
	return &s.pages[place/sentPageSize], place % sentPageSize
}

// find returns the message that an Ack acknowledges, or nil.
func (s *sentMessages) find(a Ack) *sentMessage {
	page, i := s.place(a)
	if *page == nil {
		return nil
	}
	if m := &(*page)[i]; m.ack == a && m.round == s.round && m.sends > 0 {
		return m
	}
	return nil
}

// add adds the message that an Ack acknowledges.
func (s *sentMessages) add(a Ack, now time.Time) {
	page, i := s.place(a)
	if *page == nil {
		*page = new(sentPage)
	}
	(*page)[i] = sentMessage{ack: a, round: s.round, first: now, sends: 1}
}

// clear removes all messages and keeps the memory.
func (s *sentMessages) clear() { s.round++ }

// reconnectSilence is the silence of a client after which a Connect without a ConnID begins a
// connection. OpenBC's server ignores such a Connect within two seconds of the end.
const reconnectSilence = 2 * time.Second

// observedConnection is the connection that the last Connect has begun.
type observedConnection struct {
	known   bool
	short   bool   // the Connect has the form of OpenBC, without a ConnID
	connID  uint32 // of the Connect
	second  bool   // there was an earlier connection, with the ConnID earlier
	earlier uint32
	ended   bool
	replied bool      // the host has accepted the client
	heard   time.Time // when the client last used a peer ID; zero: never
}

// begins reports whether a Connect begins a new connection, and records it. A Connect with the
// same ConnID is a retransmission. A Connect with the ConnID of the previous connection is late.
func (c *observedConnection) begins(now time.Time, m *Message) bool {
	body, _ := m.decode()
	request, ok := body.(*ConnectRequest)
	if !ok {
		request = &ConnectRequest{}
	}
	switch {
	case !m.Short && (!ok || m.Seq != 0):
		return false
	case !c.known || c.short != m.Short:
	case m.Short && !c.ended && (c.heard.IsZero() || now.Sub(c.heard) < reconnectSilence):
		return false
	case !m.Short && (request.ConnID == c.connID || c.second && request.ConnID == c.earlier):
		return false
	}
	second := c.known && !c.short
	*c = observedConnection{known: true, short: m.Short, connID: request.ConnID, second: second, earlier: c.connID}
	return true
}

// replies reports whether a message is the first after a Connect that shows that the host has accepted the
// client: the reply, or a message with the peer ID of the client.
func (c *observedConnection) replies(d *observedDatagram, m *Message) bool {
	switch {
	case !c.known || c.replied:
		return false
	case d.fromHost:
		c.replied = m.Type == TypeConnect
	default:
		c.replied = d.peer != objectid.NoPeer
	}
	return c.replied
}

// hear records when the client was last heard.
func (c *observedConnection) hear(d *observedDatagram) {
	if !d.fromHost && d.peer != objectid.NoPeer {
		c.heard = d.now
	}
}

// observe records the end of the connection.
func (c *observedConnection) observe(d *observedDatagram, m *Message) {
	switch {
	case d.fromHost:
		c.ended = c.ended || m.Type == TypeBoot
	case d.peer != objectid.NoPeer:
		c.ended = c.ended || m.Type == TypeDisconnect || m.Short && m.Type == TypeOpenBCDisconnect
	}
}

func (s *observedSender) clone() *observedSender {
	clone := *s
	clone.game.partial = s.game.partial.clone()
	clone.game.complete = s.game.complete.clone()
	clone.system = s.system.clone()
	clone.sent = s.sent.clone()
	clone.hashes = slices.Clone(s.hashes)
	return &clone
}

func (s *sentMessages) clone() sentMessages {
	clone := *s
	for i, p := range s.pages {
		if p != nil {
			own := *p
			clone.pages[i] = &own
		}
	}
	return clone
}
