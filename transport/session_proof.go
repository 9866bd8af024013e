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
