package transport

import (
	"hash/maphash"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Relay relays the datagrams of one client and its host, and can change their payloads. Pass it every
// deciphered datagram, and send the datagrams that it returns to the other side:
//
//	relay := transport.Relay{Edit: func(now time.Time, fromHost bool, payload []byte) []byte {
//		if !fromHost && unwanted(payload) {
//			return nil
//		}
//		return payload
//	}}
//	for _, d := range relay.Receive(now, fromHost, datagram) {
//		send(d)
//	}
//
// A reliable message keeps its sequence number, whatever becomes of its payload. In place of a dropped payload the
// receiver gets the byte 0x24, an opcode that no program handles. If a payload and its replacement have different
// numbers of fragments, the Relay translates the Acks. Both sides therefore retransmit as they do without a relay,
// and a Relay has no timers.
//
// A Relay returns a datagram byte for byte if nothing in it is changed. It holds a datagram with a fragment until all
// fragments of the payload have arrived, because a receiver must not have half of a payload that is changed later. It
// holds at most 512 datagrams and 256 KiB of each side, and then drops the oldest; their sender retransmits them. It
// drops a datagram with another message under a number that it has relayed, or with a retransmission after 1,024 later
// numbers, so that Edit cannot be evaded.
//
// Anybody can forge the address of the client. A Relay with Edit therefore has a state for each of the last peer IDs
// that the host has assigned, which takes about 180 KB when the client uses it. A datagram with another peer ID is
// dropped, as the host would do, so the connection must be relayed from its beginning. The same holds for payloads of
// a client that has not acknowledged the probes of a [Hub]. What the host sends belongs to the last client that has
// done so, or for another host, that has used its peer ID.
//
// The zero value relays everything unread. A Relay is not safe for concurrent use.
type Relay struct {
	// Edit returns the payload to relay in place of a payload: the same, another one, or nil to drop it. It is called
	// once for each payload, when it is complete, in the order of arrival; in a datagram, the reliable ones
	// are first. Edit must not modify payload, which is valid until it returns. The Relay drops the payload if
	// the replacement is longer than [MaxPayload], or than 409 bytes for an unreliable one.
	Edit func(now time.Time, fromHost bool, payload []byte) []byte
	// PassMalformed passes datagrams with a malformed message unread. The default drops them, because a receiver
	// reads the messages before the malformed one.
	PassMalformed bool

	seed        maphash.Seed
	connections []*relayConnection // the first is of what has no peer ID; empty before the first datagram
	current     *relayConnection   // to which the host sends
	connect     clientIdentity     // of the last Connect, which may be forged
	out         [][]byte
}

const (
	maxRelayed     = 4    // connections
	relayedNumbers = 1024 // of each side are retained
	maxHeld        = 512  // datagrams of a side
	maxHeldBytes   = 256 << 10
)

// dropped is relayed in place of a reliable payload that is dropped.
var dropped = [1]byte{0x24}

// relayConnection is what a Relay knows about the messages of a client with a peer ID and of its host.
type relayConnection struct {
	peer       objectid.PeerID
	connect    clientIdentity // to which the host has replied
	validation validation     // of the client by the host
	observer   Observer
	sides      [2]relaySide // of the client and of the host
}

// relaySide is what a Relay knows about the messages of one side.
type relaySide struct {
	numbers   []relayedNumber // at the index seq % relayedNumbers; nil before the first
	partial   map[uint16]*[maxFragments]uint64
	held      []heldDatagram // in the order of arrival
	heldBytes int
}

// heldDatagram is a datagram that waits for the fragments of a payload.
type heldDatagram struct {
	datagram []byte
	seq      uint16 // of the payload
}

// relayedNumber is a reliable payload that Edit has judged.
type relayedNumber struct {
	seq    uint16
	sum    uint64   // of the message, if it is whole; 0 of none
	sums   []uint64 // of the fragments
	change *relayedChange
}

// relayedChange is a payload that replaces another one. Message k of n stands for the messages k, k+n, k+2n, ... of the
// replacement, or for message k modulo their number if these are fewer than n.
type relayedChange struct {
	originals []Message // without bodies
	messages  []Message
	acked     [maxFragments]bool // messages
	owed      [maxFragments]bool // originals that were sent since their last Ack
}

// Receive returns the datagrams to relay in place of a datagram, and those that have waited for it. They are valid until
// the next call, and may alias the datagram.
func (r *Relay) Receive(now time.Time, fromHost bool, datagram []byte) [][]byte {
	r.out = r.out[:0]
	switch {
	case r.Edit == nil || IsGameSpy(datagram):
		return append(r.out, datagram)
	case !wellFormed(datagram):
		if r.PassMalformed {
			r.out = append(r.out, datagram)
		}
		return r.out
	case len(r.connections) == 0:
		r.seed = maphash.MakeSeed()
		r.current = &relayConnection{peer: objectid.NoPeer}
		r.connections = append(r.connections, r.current)
	}
	c := r.connection(fromHost, datagram)
	if c == nil {
		return r.out
	}
	if joined := r.judge(now, c, fromHost, datagram); len(joined) > 0 {
		for _, d := range c.side(fromHost).release(joined) {
			r.relay(now, c, fromHost, d, true)
		}
	}
	r.relay(now, c, fromHost, datagram, false)
	return r.out
}

// wellFormed reports whether a datagram has the messages that it says.
func wellFormed(datagram []byte) bool {
	for _, err := range Messages(datagram) {
		if err != nil {
			return false
		}
	}
	return true
}

// side returns the state of the sender of a datagram.
func (c *relayConnection) side(fromHost bool) *relaySide {
	if fromHost {
		return &c.sides[1]
	}
	return &c.sides[0]
}

// connection returns the connection of a datagram, or nil if the host has not assigned its peer ID.
func (r *Relay) connection(fromHost bool, datagram []byte) *relayConnection {
	peer := peerOf(datagram[0])
	switch {
	case fromHost:
		if reply, probes := replyIn(datagram); reply != nil {
			return r.assign(reply.PeerID, probes)
		}
		return r.current
	case peer == objectid.NoPeer:
		if m, request, ok := findConnect(datagram); ok {
			r.connect = clientIdentity{connID: request.ConnID, short: m.Short}
		}
		return r.connections[0]
	}
	c := r.with(peer)
	switch {
	case c == nil:
	case !c.validates(datagram): // the host reads no payload of it, and nothing of it is known to be of the client
		if hasData(datagram) {
			return nil
		}
		return r.connections[0]
	case slices.Index(r.connections, c) > slices.Index(r.connections, r.current):
		r.current = c
	}
	return c
}

func hasData(datagram []byte) bool {
	for m := range Messages(datagram) {
		if m.Type == TypeData {
			return true
		}
	}
	return false
}

// replyIn returns the reply to a Connect in a datagram of the host, or nil, and the numbers of the probes.
func replyIn(datagram []byte) (reply *ConnectReply, probes []uint16) {
	for m := range Messages(datagram) {
		switch {
		case m.Probe():
			probes = append(probes, m.Seq)
		case m.Type == TypeConnect:
			body, _ := m.decode()
			if r, ok := body.(*ConnectReply); ok && validPeer(r.PeerID) {
				reply = r
			}
		}
	}
	return reply, probes
}

// validates reports whether the host takes the client as validated after a datagram of the client.
func (c *relayConnection) validates(datagram []byte) bool {
	if c.validation.complete() {
		return true
	}
	for m := range Messages(datagram) {
		if a, ok := m.Ack(); ok {
			c.validation.acknowledge(a)
		}
	}
	return c.validation.complete()
}

// with returns the connection with a peer ID, or nil.
func (r *Relay) with(peer objectid.PeerID) *relayConnection {
	for _, c := range r.connections {
		if c.peer == peer {
			return c
		}
	}
	return nil
}

// assign returns the connection with a peer ID in a reply of the host. It is a new one if the probes are others, or
// without probes, if the Connect is another one. It forgets the oldest other one.
func (r *Relay) assign(peer objectid.PeerID, probes []uint16) *relayConnection {
	old := r.with(peer)
	if old != nil && slices.Equal(old.validation.probes, probes) && (len(probes) > 0 || old.connect == r.connect) {
		return old
	}
	c := &relayConnection{peer: peer, connect: r.connect, validation: validation{probes: probes}}
	if r.current == old || r.current == r.connections[0] {
		r.current = c
	}
	r.connections = slices.DeleteFunc(r.connections, func(x *relayConnection) bool { return x == old })
	for i, x := range r.connections {
		if len(r.connections) > maxRelayed && i > 0 && x != r.current {
			r.connections = slices.Delete(r.connections, i, i+1)
			break
		}
	}
	r.connections = append(r.connections, c)
	return c
}

// judge observes a datagram, and calls Edit for the reliable payloads that it completes. It returns the numbers of
// those in fragments.
func (r *Relay) judge(now time.Time, c *relayConnection, fromHost bool, datagram []byte) (joined []uint16) {
	s := c.side(fromHost)
	for m := range c.observer.Receive(now, fromHost, datagram) {
		if m.Type != TypeData || !m.Reliable {
			continue
		}
		if m.Fragment && (m.Verdict == VerdictStored || m.Verdict == VerdictComplete) {
			s.addFragment(m.Seq, m.FragIndex, maphash.Bytes(r.seed, m.Raw))
		}
		switch m.Verdict {
		case VerdictComplete:
			n := relayedNumber{seq: m.Seq}
			if m.Fragment {
				joined = append(joined, m.Seq)
				n.sums = slices.Clone(s.partial[m.Seq][:m.Fragments])
				delete(s.partial, m.Seq)
			} else {
				n.sum = maphash.Bytes(r.seed, m.Raw)
			}
			if edited := r.Edit(now, fromHost, m.Payload); !same(edited, m.Payload) {
				n.change = newChange(m, edited)
			}
			if s.numbers == nil {
				s.numbers = make([]relayedNumber, relayedNumbers)
			}
			s.numbers[m.Seq%relayedNumbers] = n
		case VerdictDiscarded:
			delete(s.partial, m.Seq)
		}
	}
	return joined
}

// same reports whether Edit has returned its argument.
func same(a, b []byte) bool { return a != nil && slices.Equal(a, b) }

// addFragment retains the sum of a fragment. The Observer limits the number of payloads, but not of those that it has
// given up.
func (s *relaySide) addFragment(seq uint16, index uint8, sum uint64) {
	sums := s.partial[seq]
	if sums == nil {
		if s.partial == nil || len(s.partial) >= 2*defaultPartialPayloads {
			s.partial = map[uint16]*[maxFragments]uint64{}
		}
		sums = new([maxFragments]uint64)
		s.partial[seq] = sums
	}
	sums[index] = sum
}

// newChange returns the change of a payload that a message completes.
func newChange(m *Observation, payload []byte) *relayedChange {
	original := Message{Type: TypeData, Reliable: true, HighPriority: m.HighPriority, Seq: m.Seq, Fragment: m.Fragment}
	c := &relayedChange{originals: slices.Repeat([]Message{original}, max(1, m.Fragments))}
	for i := range c.originals {
		c.originals[i].FragIndex = uint8(i)
	}
	if payload == nil || len(payload) > MaxPayload {
		payload = dropped[:]
	}
	c.messages, _ = AppendFragments(nil, m.Seq, slices.Clone(payload))
	for i := range c.messages {
		c.messages[i].HighPriority = m.HighPriority
	}
	return c
}

// find returns the judged payload with a number, or nil.
func (s *relaySide) find(seq uint16) *relayedNumber {
	if s.numbers == nil {
		return nil
	}
	if n := &s.numbers[seq%relayedNumbers]; n.seq == seq {
		return n
	}
	return nil
}

// relayable is what to do with a datagram.
type relayable int

const (
	relayPass relayable = iota
	relayChange
	relayHold // a payload is incomplete
	relayDrop
)

// relay relays a datagram, holds or drops it. A stored datagram was held before.
func (r *Relay) relay(now time.Time, c *relayConnection, fromHost bool, datagram []byte, stored bool) {
	s, other := c.side(fromHost), c.side(!fromHost)
	w := relayWriter{relay: r, sender: datagram[0]}
	do, offset, seq := relayPass, 2, uint16(0)
	for m := range Messages(datagram) {
		raw := datagram[offset : offset+m.Len()]
		offset += len(raw)
		if next := r.check(s, other, m, raw); next > do {
			do, seq = next, m.Seq
		}
	}
	// Until here nothing has changed, so a held datagram can be relayed later.
	if unreliable := w.unreliable(now, fromHost, datagram, do); unreliable {
		do = relayChange
	}
	switch do {
	case relayPass:
		r.out = append(r.out, datagram)
	case relayChange:
		w.write(s, other, datagram)
	case relayHold:
		if !stored {
			datagram = slices.Clone(datagram)
		}
		s.hold(heldDatagram{datagram, seq})
	}
}

// check returns what a message requires of its datagram.
func (r *Relay) check(s, other *relaySide, m *Message, raw []byte) relayable {
	if ack, ok := m.Ack(); ok && ack.Flags&AckSystem == 0 {
		if n := other.find(ack.Seq); n != nil && n.change != nil {
			return relayChange
		}
	}
	if m.Type != TypeData || !m.Reliable || m.Probe() {
		return relayPass
	}
	sum := maphash.Bytes(r.seed, raw)
	n, sums := s.find(m.Seq), s.partial[m.Seq]
	switch {
	case n.is(m, sum) && n.change != nil:
		return relayChange
	case n.is(m, sum):
		return relayPass
	case m.Fragment && sums != nil && m.FragIndex < maxFragments && sums[m.FragIndex] == sum:
		return relayHold
	}
	return relayDrop
}

// is reports whether a message is one that was judged, which may be nil.
func (n *relayedNumber) is(m *Message, sum uint64) bool {
	switch {
	case n == nil || m.Fragment != (n.sums != nil):
		return false
	case m.Fragment:
		return int(m.FragIndex) < len(n.sums) && n.sums[m.FragIndex] == sum
	}
	return n.sum == sum
}

// hold retains a datagram until a payload is complete.
func (s *relaySide) hold(d heldDatagram) {
	s.held, s.heldBytes = append(s.held, d), s.heldBytes+len(d.datagram)
	for len(s.held) > maxHeld || s.heldBytes > maxHeldBytes {
		s.heldBytes -= len(s.held[0].datagram)
		s.held = slices.Delete(s.held, 0, 1)
	}
}

// release removes the datagrams that wait for complete payloads, and returns them. The others are not read again: their
// sender could otherwise make each payload cost as much as all of them.
func (s *relaySide) release(complete []uint16) (released [][]byte) {
	s.held = slices.DeleteFunc(s.held, func(d heldDatagram) bool {
		if !slices.Contains(complete, d.seq) {
			return false
		}
		s.heldBytes -= len(d.datagram)
		released = append(released, d.datagram)
		return true
	})
	return released
}

// relayWriter writes the datagrams in place of one that is changed.
type relayWriter struct {
	relay  *Relay
	sender byte
	edited [][]byte // unreliable payloads, if one of them is changed
	w      datagramWriter
}

// unreliable calls Edit for the unreliable payloads of a datagram that is not held or dropped. It reports whether one is
// changed.
func (w *relayWriter) unreliable(now time.Time, fromHost bool, datagram []byte, do relayable) (changed bool) {
	if do > relayChange {
		return false
	}
	i := 0
	for m := range Messages(datagram) {
		if m.Type != TypeData || m.Reliable {
			continue
		}
		edited := w.relay.Edit(now, fromHost, m.Body)
		if !same(edited, m.Body) && w.edited == nil {
			changed = true
			w.edited = make([][]byte, 0, math.MaxUint8)
			for earlier := range Messages(datagram) { // are unchanged
				if len(w.edited) == i {
					break
				}
				if earlier.Type == TypeData && !earlier.Reliable {
					w.edited = append(w.edited, earlier.Body)
				}
			}
		}
		if w.edited != nil {
			if edited != nil {
				edited = append(make([]byte, 0, len(edited)), edited...) // not nil, even if it is empty
			}
			w.edited = append(w.edited, edited)
		}
		i++
	}
	return changed
}

// write writes the messages of a datagram. It leaves out those of less than three bytes, which mean nothing: their end
// depends on the bytes after them.
func (w *relayWriter) write(s, other *relaySide, datagram []byte) {
	offset, unreliable := 2, 0
	for m := range Messages(datagram) {
		raw := datagram[offset : offset+m.Len()]
		offset += len(raw)
		ack, isAck := m.Ack()
		switch {
		case m.Type == TypeData && m.Reliable:
			if c := s.find(m.Seq).change; c != nil {
				w.changed(c, int(m.FragIndex))
				continue
			}
		case m.Type == TypeData && w.edited != nil:
			body := w.edited[unreliable]
			unreliable++
			if edited := (Message{Type: TypeData, HighPriority: m.HighPriority, Body: body}); body != nil && len(body) <= maxUnreliablePayload {
				w.add(edited.append(nil))
			}
			continue
		case isAck && ack.Flags&AckSystem == 0:
			if n := other.find(ack.Seq); n != nil && n.change != nil {
				w.translate(n.change, ack)
				continue
			}
		}
		if len(raw) >= 3 {
			w.add(raw)
		}
	}
	w.flush()
}

// changed writes the messages for which message k of a changed payload stands.
func (w *relayWriter) changed(c *relayedChange, k int) {
	c.owed[k] = true
	for i := range c.standsFor(k) {
		w.add(c.messages[i].append(nil))
	}
}

// standsFor iterates over the messages of the replacement for which message k stands.
func (c *relayedChange) standsFor(k int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := k % len(c.messages); i < len(c.messages) && yield(i); i += len(c.originals) {
		}
	}
}

// translate writes the Acks of the messages whose replacement an Ack has acknowledged in full. Each sending of a
// message is acknowledged once, so a receiver that repeats Acks multiplies nothing.
func (w *relayWriter) translate(c *relayedChange, ack Ack) {
	if int(ack.FragIndex) >= len(c.messages) || c.messages[0].Fragment != (ack.Flags&AckFragment != 0) {
		return
	}
	c.acked[ack.FragIndex] = true
	for k := range c.originals {
		whole := c.owed[k]
		for i := range c.standsFor(k) {
			whole = whole && c.acked[i]
		}
		if whole {
			c.owed[k] = false
			m := NewMessage(0, AckOf(&c.originals[k]))
			m.Seq = c.originals[k].Seq
			w.add(m.append(nil))
		}
	}
}

// add writes a message.
func (w *relayWriter) add(wire []byte) {
	if w.w.count == math.MaxUint8 || w.w.count > 0 && !w.w.fits(len(wire)) {
		w.flush()
	}
	if w.w.b == nil {
		w.w = writeDatagram(nil, w.sender, MaxDatagram)
	}
	w.w.add(wire)
}

// flush ends a datagram.
func (w *relayWriter) flush() {
	if w.w.count > 0 {
		w.relay.out = append(w.relay.out, w.w.finish())
	}
	w.w = datagramWriter{}
}
