package transport

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// OpenBC has forms of its own, numbers of one byte, and acknowledges no system messages. This file
// holds the forms, how a Session or an Observer recognises OpenBC, and how a Session treats it.

const (
	// TypeOpenBCDisconnect is OpenBC's Disconnect, in the short form and without a body.
	TypeOpenBCDisconnect Type = 0x06

	openBCAck AckFlags = 0x80
	// openBCWindow is the number of messages that may be in flight to OpenBC, in each channel.
	// With half of its 256 sequence numbers, a late Ack would be ambiguous.
	openBCWindow = 64
	// doubtWindow is the same while a peer may count modulo 256: less than half of the numbers, so
	// that the peer takes no message for a duplicate.
	doubtWindow = 120
	// openBCSends is the number of sends of a system message to OpenBC, which acknowledges none.
	openBCSends = 3
)

// numbering converts the sequence numbers of a session to and from the numbers of its peer.
// OpenBC's numbers have one byte. The zero value is for the stock game.
type numbering struct{ openBC bool }

// received returns the sequence number of a message that has arrived. OpenBC sends the low byte,
// so received returns the number nearest to the expected one.
func (n numbering) received(seq, expected uint16) uint16 {
	if !n.openBC {
		return seq
	}
	return expected + uint16(int16(int8(seq-expected)))
}

// acknowledged returns the sequence number in an Ack. OpenBC sends the low byte, so acknowledged
// returns the next such number from the oldest unacknowledged one on.
func (n numbering) acknowledged(seq, oldest uint16) uint16 {
	if !n.openBC {
		return seq
	}
	return oldest + uint16(uint8(seq-oldest))
}

// wire returns a sequence number as the peer expects it.
func (n numbering) wire(seq uint16) uint16 {
	if n.openBC {
		return seq & 0xFF
	}
	return seq
}

// window returns the number of messages of a channel that may be in flight.
func (n numbering) window(most int) int {
	if n.openBC {
		return min(most, openBCWindow)
	}
	return most
}

// OpenBC's server sends a client that looks like the stock game only forms of the stock game. It
// still counts modulo 256. The types below recognise it by signs that a stock peer does not give.

// doubts recognises a peer that sends numbers of one byte: a number up to 255 that was delivered
// long ago arrives with another body. A message whose body is equal to the earlier one is
// acknowledged as a duplicate, and kept until the peer is recognised, or sends a larger number.
type doubts struct {
	hashes bodyHashes // of the delivered messages
	kept   []Message
}

// maxDoubts is the largest number of messages in doubt.
const maxDoubts = doubtWindow

// fragmented is the hash of a payload that was sent in fragments, of which the hash is unknown.
const fragmented = 0

// bodyHashes holds hashes of bodies by their numbers up to 255.
type bodyHashes []uint32

// add adds a message.
func (h *bodyHashes) add(m *Message) {
	for len(*h) <= int(m.Seq) {
		*h = append(*h, fragmented)
	}
	if !m.Fragment {
		(*h)[m.Seq] = hash(m.Body)
	}
}

// differs reports whether a message has another body than the earlier one with its number.
func (h bodyHashes) differs(m *Message) bool {
	switch {
	case int(m.Seq) >= len(h):
		return false
	case m.Fragment:
		return h[m.Seq] != fragmented
	}
	return h[m.Seq] != hash(m.Body)
}

// mayBeLater reports whether the number of a duplicate can be the low byte of a number above 255 that
// has not arrived.
func mayBeLater(seq, expected uint16) bool {
	later := numbering{openBC: true}.received(seq, expected)
	return seq <= 0xFF && int16(later-expected) >= 0
}

// add keeps a duplicate that could be the message with a later number, given the number that is
// expected. It reports whether the message proves that the peer counts modulo 256.
func (d *doubts) add(m *Message, expected uint16) bool {
	if !mayBeLater(m.Seq, expected) {
		return false
	}
	same := func(k Message) bool {
		return k.Seq == m.Seq && k.Fragment == m.Fragment && k.FragIndex == m.FragIndex
	}
	if len(d.kept) < maxDoubts && !slices.ContainsFunc(d.kept, same) {
		kept := *m
		kept.Body = slices.Clone(m.Body)
		d.kept = append(d.kept, kept)
	}
	return d.hashes.differs(m)
}

// hash returns a hash of a body that is not [fragmented].
func hash(body []byte) uint32 {
	h := fnv.New32a() // is not allocated
	_, _ = h.Write(body)
	return max(h.Sum32(), fragmented+1)
}

// echoes recognises a peer that acknowledges the low byte of numbers. When messages above 255 are
// in flight, all Acks name numbers up to 255. A stock peer repeats Acks, too, for some seconds.
// So only the oldest message is retransmitted, and each of its transmissions is a probe. After the
// time in which a stock peer repeats Acks, the peer is recognised if it answers most probes.
type echoes struct {
	wide         bool // the peer has acknowledged a number above 255
	any          bool // an Ack may be of the low byte of a message in flight
	probing      bool // a probe is not answered
	hits, misses uint16
	slowest      time.Duration // longest time from the first transmission of a message to its Ack
}

const (
	// repeatedAcks is longer than the time in which a stock peer repeats an Ack (ackSends times
	// ackInterval).
	repeatedAcks = 7 * time.Second
	mostSlowest  = 15 * time.Second
	// A peer is recognised after leastHits that are more than three times the misses, or after
	// manyHits, which are more than the repetitions of an Ack.
	leastHits = 3
	manyHits  = 12
)

// acknowledged records an Ack of a message in flight.
func (e *echoes) acknowledged(m *storedMessage, now time.Duration) {
	e.slowest = min(max(e.slowest, now-m.firstSent), mostSlowest)
	e.wide = e.wide || m.seq > 0xFF
}

// echo records an Ack that can be of the low byte of a message in flight. The argument oldest
// reports whether this is the oldest message. It reports whether the peer is recognised.
func (e *echoes) echo(m *storedMessage, oldest bool) bool {
	if e.wide || m.seq <= 0xFF {
		return false
	}
	e.any, m.echoed = true, true
	if oldest && e.probing {
		e.probing = false
		e.hits++
	}
	return e.hits >= leastHits && e.hits > 3*e.misses || e.hits >= manyHits
}

// probe records a retransmission of the oldest message.
func (e *echoes) probe(m *storedMessage, now time.Duration) {
	if e.wide || m.seq <= 0xFF || now < m.firstSent+repeatedAcks+2*e.slowest {
		return
	}
	if e.probing {
		e.misses++
	}
	e.probing = true
}

// holds reports whether the retransmission of a message waits, because the peer may have
// acknowledged the message.
func (e *echoes) holds(m *storedMessage) bool { return e.any && !e.wide && m.echoed }

// openBC reports whether a fact shows that the peer is OpenBC.
func (s *Session) openBC() bool { return s.life.peer.openBC() }

// speaksOpenBC records that the peer is OpenBC and counts like it, and receives the messages again that were
// taken for duplicates. Acks are no longer sent again, because OpenBC's numbers wrap after 255: a late Ack
// could acknowledge another message.
func (s *Session) speaksOpenBC() {
	s.life.peer.Settle(ProgramOpenBC)
	s.sender.numbers.openBC, s.receiver.numbers.openBC = true, true
	s.receiver.acks.stopResending()
	for _, m := range s.receiver.decide() {
		s.receiveReliable(&m)
	}
}

// receiveShort receives a message in a form of OpenBC.
func (s *Session) receiveShort(m *Message) {
	s.speaksOpenBC()
	switch {
	case m.Type == TypeOpenBCDisconnect && s.life.open():
		s.abort(EndLeft, nil)
	case m.Type == TypeOpenBCDisconnect, m.Type == TypeNameChange && len(m.Body) == 0: // a keepalive
	default:
		s.drop(dropMalformed)
	}
}

// receiveEcho receives the Ack that shows that the peer is OpenBC, and removes the messages that the
// peer acknowledged before.
func (s *Session) receiveEcho() {
	s.speaksOpenBC()
	for m := s.sender.inFlight.head; m != nil; {
		next := m.next
		if m.echoed && !m.system {
			s.acknowledged(m)
		}
		m = next
	}
}

// receiveUnnumbered receives a system message of OpenBC, which numbers all of these 0, and
// retransmits them for ever.
func (s *Session) receiveUnnumbered(m *Message) {
	s.speaksOpenBC()
	s.receiver.acknowledge(s.clock.Now, m)
	s.deliver(m)
}

// leavesAgain handles a Disconnect with an old number, and reports whether it counts. OpenBC reuses the
// number of another message for its Disconnect. From the stock game it is forged. An unknown peer has left
// if it is silent after it.
func (s *Session) leavesAgain(m *Message) bool {
	switch {
	case !s.life.leaves(m):
		return false
	case s.openBC():
		s.deliver(m)
	case s.life.peer.stock():
		return false
	default:
		s.life.leavesAt = s.clock.Now + leaveWait
	}
	return true
}

// ignores reports whether the peer does not acknowledge a message that it may have received: OpenBC
// acknowledges no system messages.
func (s *Session) ignores(m *storedMessage) bool {
	return s.openBC() && m.system && m.sends >= openBCSends && s.life.state > stateHalfOpen
}

// keepOpenBCAlive adds a copy of the last Ack. OpenBC drops a datagram in which a type that it does
// not know has no length, such as a keepalive.
func (s *Session) keepOpenBCAlive(w *datagramWriter) {
	if ack := s.receiver.acks.last; w.fits(ackLen(byte(ack.Flags))) {
		w.addAck(ack)
	}
}

// echo records an Ack of a message that is not in flight, and may be of one whose number has the
// same low byte. It reports whether this shows that the peer is OpenBC.
func (s *sender) echo(a Ack) bool {
	c := &s.channels[gameChannel]
	if s.numbers.openBC || a.Seq > 0xFF {
		return false
	}
	a.Seq = numbering{openBC: true}.acknowledged(a.Seq, c.oldest)
	m := c.find(a)
	return m != nil && m.sends > 0 && s.echoes.echo(m, m == c.first())
}

// holds reports whether the retransmission of a message waits for the recognition of OpenBC. The
// oldest message does not wait.
func (s *sender) holds(m *storedMessage) bool {
	return s.echoes.holds(m) && m != s.channels[gameChannel].first()
}

// beyondWindow reports whether a message, so far ahead of the oldest, may not be in flight yet.
func (s *sender) beyondWindow(m *storedMessage, ahead int) bool {
	return ahead >= min(s.options.window, openBCWindow) && ahead >= s.window(m) // most are in the smallest window
}

// window returns the number of messages of a channel that may be in flight, up to a message. A peer
// that has not acknowledged a number above 255 may count modulo 256.
func (s *sender) window(last *storedMessage) int {
	if !s.numbers.openBC && !s.echoes.wide && last.seq > 0xFF && !last.system {
		return min(s.options.window, doubtWindow)
	}
	return s.numbers.window(s.options.window)
}

// isOpenBC reports whether a message has a form that only OpenBC sends.
func (m *Message) isOpenBC() bool {
	switch m.Type {
	case TypeAck:
		ack, _ := m.Ack()
		return ack.Flags&openBCAck != 0
	case TypeData, TypeDoNothing:
		return false
	}
	return m.Short || m.Reliable && !m.HighPriority
}

// repeatsNumber reports whether a message shows that its sender counts modulo 256: the number of an
// earlier message with another body, which can be the low byte of the next numbers.
func (s *observedSender) repeatsNumber(m *Message) bool {
	c := &s.game.complete
	return m.Type == TypeData && m.Reliable && !s.wide && !c.empty() && c.has(m.Seq) && mayBeLater(m.Seq, c.newest+1) && s.hashes.differs(m)
}

// number returns the sequence number of a reliable message. OpenBC, and a session that has
// recognised OpenBC, send the low byte; number then returns the number nearest to the next one of
// the channel. A stock game sends two bytes to OpenBC, and retransmits its first fragments again
// and again. Until one of these senders is recognised, only whole messages near the end of the
// first 256 numbers can begin the next 256.
func (s *observedSender) number(m *Message, channel *sequenceSet, openBC bool) uint16 {
	s.wide = s.wide || m.Seq > 0xFF
	if !openBC || s.wide || channel.empty() {
		return m.Seq
	}
	seq := numbering{openBC: true}.received(m.Seq, channel.newest+1)
	if known := s.openBC || channel.newest > 0xFF; known || !m.Fragment && seq > 0xFF && channel.newest >= 0xC0 {
		return seq
	}
	return m.Seq
}

// comparable returns an Ack with the fields that identify a message. OpenBC sends the low byte of
// the sequence number.
func (o *Observer) comparable(a Ack) Ack {
	if a.Flags &= AckFragment | AckSystem; o.openBC {
		a.Seq &= 0xFF
	}
	return a
}

// Dialect describes how a message differs from the form that the stock game sends, such as "length of one byte".
// It returns "" for that form and for Data. The message must be valid.
func (m *Message) Dialect() string {
	switch {
	case m.Type == TypeData, m.Type == TypeDoNothing:
		return ""
	case m.Type == TypeAck:
		switch a, _ := m.Ack(); a.Flags &^ (AckFragment | AckSystem) {
		case 0:
			return ""
		case openBCAck: // no text has to be made for each Ack of OpenBC
			return "flags 0x80"
		default:
			return fmt.Sprintf("flags 0x%02x", uint8(a.Flags&^(AckFragment|AckSystem)))
		}
	case m.Short && m.Type == TypeOpenBCDisconnect:
		return "length of one byte, a Disconnect"
	case m.Short && m.Type == TypeNameChange && len(m.Body) == 0:
		return "length of one byte, a keepalive"
	case m.Short:
		return "length of one byte"
	case !m.Reliable:
		return "not reliable"
	case !m.HighPriority:
		return "not high priority"
	}
	return ""
}
