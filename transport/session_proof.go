package transport

import "time"

const (
	// unprovenBytes and unprovenFactor limit what a host sends to a client whose address may be
	// forged: this many bytes, and so many times the bytes that have arrived from the address.
	unprovenBytes  = 128
	unprovenFactor = 3
	// probePayload is the longest payload that is sent whole as the test of an address. A longer
	// one is sent in fragments whose first has probeFragment bytes of it, so that the test fits
	// into unprovenBytes more than once, with the reply to a Connect and some Acks.
	probePayload  = 40
	probeFragment = 16
	// proofTimeout is the time for which a message to an unproven client may stay unacknowledged.
	proofTimeout = 20 * time.Second
)

// proof is what a host knows about the address of its client. While a challenge is pending, the
// address may be forged. The zero value is a client that is proven.
type proof struct {
	pending   bool
	stalled   bool          // nothing that is due fits into the allowance
	kept      bool          // the program has called Keep
	upTo      uint16        // Acks of the game channel up to this number prove the client
	count     uint16        // challenges that the client has met
	since     time.Duration // when the challenge began
	allowance int           // bytes that may be sent
}

// challenge makes the client unproven until it acknowledges the message of the game channel with
// a sequence number, and all messages before it. A challenge that is pending keeps its allowance.
func (p *proof) challenge(now time.Duration, upTo uint16) {
	if !p.pending {
		p.pending, p.since, p.allowance = true, now, unprovenBytes
	}
	p.upTo = upTo
}

// received extends the allowance for a datagram from the address.
func (p *proof) received(bytes int) {
	if p.pending {
		p.allowance += unprovenFactor * bytes
		p.stalled = false
	}
}

// limit returns the largest length of the next datagram.
func (p *proof) limit() int {
	if p.pending {
		return min(p.allowance, MaxDatagram)
	}
	return MaxDatagram
}

// sent takes a datagram out of the allowance.
func (p *proof) sent(bytes int) {
	if p.pending {
		p.allowance -= bytes
	}
}

// exempt reports whether a message was sent before the challenge, to a client that was proven.
// Its retransmission does not count, because no forged datagram has caused it.
func (p *proof) exempt(m *storedMessage) bool {
	return p.pending && m.sends > 0 && m.firstSent < p.since
}

// meets reports whether the Acks of the game channel prove the client. A fragment of the challenged
// message is enough. All messages before it must be acknowledged: they would be retransmitted to a
// forged address.
func (p *proof) meets(c *sendChannel) bool {
	return p.pending && (int16(c.oldest-p.upTo) > 0 || c.oldest == p.upTo && c.begun())
}

// met records that the client has met the challenge.
func (p *proof) met() { *p = proof{kept: p.kept, count: max(p.count, p.count+1)} }

// Proven reports whether the client has shown that it receives the host's datagrams. Otherwise its
// address may be forged. A session is unproven only from [Session.Challenge] to EventProven.
func (s *Session) Proven() bool { return s.life.isProven() }

// Challenge makes the session of a host unproven until the client acknowledges the next reliable
// payload and all payloads before it. EventProven then follows. A [Hub] calls Challenge in Accept.
// An open unproven session ends at an Ack of an unsent message, or if a message is not acknowledged
// within 20 s.
//
// An unproven session sends at most 128 bytes and three times what it receives. Beyond that,
// reliable payloads wait, and unreliable ones are dropped. If the next reliable payload has more
// than 40 bytes, its first fragment is short, and the Ack of this fragment is enough. Beyond 103,140
// bytes, the first fragment is longer, because there are at most 255 fragments. The session drops
// the client's payloads while a reliable payload of the host is unacknowledged. The client
// retransmits the reliable ones.
//
// Even a proven session can receive messages that an attacker sends blindly from the client's
// address. Before a large reliable reply to a message, call Challenge again. Challenge sends
// nothing: the reply itself is the test, and a real client acknowledges it. Retransmissions of
// earlier messages do not count.
func (s *Session) Challenge() {
	if s.life.host {
		s.life.proof.challenge(s.clock.Now, s.sender.channels[gameChannel].next())
	}
}

// sendUnproven queues a payload for an unproven client, whose address is tested with a short message.
func (s *Session) sendUnproven(payload []byte, d Delivery) error {
	p, reliable := &s.life.proof, d&Reliable != 0 || len(payload) > maxUnreliablePayload
	switch {
	case p.stalled && !reliable:
		s.drop(DropAllowance)
		return nil
	case p.upTo == s.sender.channels[gameChannel].next() && reliable && len(payload) > probePayload:
		return s.sender.sendProbe(payload, d)
	}
	return s.sender.send(payload, d)
}

// hastenProof retransmits the message that an unproven client must acknowledge first after the
// shortest wait: a client that sends payloads may have received it, and its Ack is lost.
func (s *Session) hastenProof() {
	m := s.sender.channels[gameChannel].first()
	if wait := s.life.unprovenWait(m); m.sends > 1 && !m.hastened && m.due < m.firstSent+proofTimeout {
		m.hastened = true
		s.sender.schedule(m, m.due-wait+s.options.retransmit)
	}
}

// stall stops sending to an unproven client until it sends something.
func (s *Session) stall() {
	s.life.proof.stalled = true
	s.counters.Drops[DropAllowance] += s.sender.dropUnreliable()
	s.pace.left = 0
}

// stalledDue returns the time at which a session that may not send the next message retransmits
// another one, or gives one up.
func (s *Session) stalledDue() time.Duration {
	due := forever
	if s.life.state != stateOpen {
		return due
	}
	for m := s.sender.inFlight.head; m != nil; m = m.next {
		if s.life.proof.exempt(m) || 2+len(m.wire) <= s.life.proof.limit() {
			due = min(due, max(m.due, s.pace.at+s.options.Tick))
		} else {
			due = min(due, m.firstSent+proofTimeout)
		}
	}
	return due
}

// isProven reports whether the peer has shown that it receives datagrams.
func (l *lifecycle) isProven() bool { return !l.proof.pending }

// unprovenWait returns the time to wait for the Ack of a message to an unproven client.
func (l *lifecycle) unprovenWait(m *storedMessage) time.Duration {
	return l.options.retransmit * time.Duration(min(m.sends, 3))
}

// sendProbe queues a payload in fragments, of which the first is short.
func (s *sender) sendProbe(payload []byte, d Delivery) error {
	fragments, err := appendFragments(nil, s.channels[gameChannel].next(), payload, probeFragment)
	if err != nil {
		return err
	}
	return s.sendFragments(fragments, d)
}

// dropUnreliable removes the unsent unreliable messages, and returns their number.
func (s *sender) dropUnreliable() (n uint64) {
	for m := s.unsent.head; m != nil; {
		next := m.next
		if !m.reliable {
			s.unreliable--
			s.forget(m)
			n++
		}
		m = next
	}
	return n
}
