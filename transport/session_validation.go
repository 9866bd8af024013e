package transport

import (
	"io"
	"time"
)

// The address of a client may be forged. A Hub therefore validates it: with its reply to the Connect it sends
// empty messages whose numbers are random and long past, and the session opens when the client has acknowledged all
// of them. The stock game and this package acknowledge a number before the expected one as a duplicate, and deliver
// nothing. OpenBC has no duplicates, and ignores an empty message.
//
// Until then, the address gets nothing but the first datagram, once for each time that it asks, and no more than the
// anti-amplification limit: three times what has come from it, and some bytes.
//
// Evidence: documented (B): the engine acknowledges before it looks at the window; see [Options].stock. The terms are
// those of QUIC (RFC 9000, section 8).

const (
	// amplification and unvalidatedBytes are the anti-amplification limit.
	amplification    = 3
	unvalidatedBytes = 128
	// probeCount is the number of empty messages. Somebody who does not see them may send any number of Acks, but
	// must name all of them without another number in between. OpenBC's Acks name the low byte only, so five Acks in
	// a row have a chance of 2⁻³¹.
	probeCount = 5
	probeBytes = 5
	// leastLow is the least low byte of a probe. Acks of the first payloads are no guesses, and a late Ack of a probe
	// from OpenBC acknowledges none of these payloads.
	leastLow = openBCWindow
	// firstProbe is the least number of a probe. Those from here on are at most maxAhead below the first 512 numbers.
	firstProbe = 0xC200
)

// Probe reports whether a message looks like one that a [Hub] sends to validate the address of a client: an empty one
// with a number from 0xC200 on, which is long past when a connection begins; see [Hub.Accept]. A receiver
// acknowledges it as a duplicate. After 49,664 reliable payloads of a connection, an empty payload looks the same.
func (m *Message) Probe() bool {
	return m.Type == TypeData && m.Reliable && !m.Fragment && len(m.Body) == 0 && m.Seq >= firstProbe
}

// validation is the state of a half-open session. A session without a Hub has no probes.
type validation struct {
	probes    []uint16
	met       uint8         // the probes that are acknowledged without another number in between
	whole     uint8         // those of them whose Ack names the whole number
	due       time.Duration // of the next first datagram
	allowance int           // bytes that may be sent
}

// begin begins the validation of an address that has sent so many bytes. The low bytes of the probes differ, because
// OpenBC acknowledges these only.
func (v *validation) begin(random io.Reader, bytes int) {
	used := [256]bool{}
	for i := range leastLow {
		used[i] = true
	}
	v.probes, v.allowance = make([]uint16, probeCount), unvalidatedBytes+amplification*bytes
	for i := range v.probes {
		var b [2]byte
		readRandom(random, b[:])
		for used[b[0]] {
			b[0]++
		}
		used[b[0]] = true
		v.probes[i] = firstProbe + uint16(b[1])%(0x100-firstProbe>>8)<<8 + uint16(b[0])
	}
}

// received extends the allowance for a datagram.
func (v *validation) received(bytes int) { v.allowance += amplification * bytes }

// acknowledge takes an Ack, and reports whether it is of a probe.
func (v *validation) acknowledge(a Ack) bool {
	if a.Flags&(AckFragment|AckSystem) != 0 || a.Seq < leastLow {
		return false
	}
	for i, probe := range v.probes {
		if a.Seq == probe || a.Seq == probe&0xFF {
			v.met |= 1 << i
			if a.Seq == probe {
				v.whole |= 1 << i
			}
			return true
		}
	}
	if !v.complete() {
		v.met, v.whole = 0, 0 // a guess
	}
	return false
}

// complete reports whether the address is validated.
func (v *validation) complete() bool { return v.met == 1<<len(v.probes)-1 }

// validates reports whether a datagram of a half-open session shows that the client receives what is sent to its
// address. Otherwise it asks for the first datagram again: the client, or its Acks, may have missed it.
func (s *Session) validates(datagram []byte) bool {
	v := s.life.validation
	v.received(len(datagram))
	s.heard()
	known := false
	for m, err := range Messages(datagram) {
		if err == nil && m.Type == TypeAck {
			a, _ := m.Ack() // valid, since it was parsed
			known = v.acknowledge(a) || known
		}
	}
	if v.complete() {
		return true
	}
	if !known {
		s.drop(dropUnvalidated)
	}
	v.due = min(v.due, s.life.sentAt+s.options.retransmit)
	return false
}

// opened opens a half-open session, and decides whether its client is OpenBC, whose Connect is short. OpenBC acknowledges
// no whole number: if all were whole, somebody has forged the short Connect, before the client has sent its own.
func (s *Session) opened() {
	v := s.life.validation
	if s.life.client.short = s.life.client.short && (v.probes == nil || v.whole != v.met); s.life.client.short {
		s.speaksOpenBC()
	} else { // a short Connect has no sequence number
		s.receiver.channels[systemChannel].expected++
	}
	s.life.enter(stateOpen)
	s.life.validation = nil
	s.handshakeAcknowledged()
	s.event(Event{Kind: EventConnected})
}

// fillFirst adds to the first datagram of a half-open session: the Ack of the Connect, the reply, the probes, and the
// payloads that fit. It adds nothing beyond the anti-amplification limit.
func (s *Session) fillFirst(w *datagramWriter) {
	v, reply := s.life.validation, s.sender.handshake()
	v.due = forever
	if !w.fits(ackLen(0) + len(reply.wire) + len(v.probes)*probeBytes) {
		return
	}
	if !s.life.client.short {
		w.addAck(Ack{Flags: AckSystem})
	}
	s.transmit(w, reply)
	for _, seq := range v.probes {
		probe := NewData(seq, nil)
		w.addMessage(&probe)
	}
	if !s.life.beside {
		c := &s.sender.channels[gameChannel]
		for seq := c.oldest; seq != c.next(); seq++ {
			m := c.at(seq).whole
			if m == nil || !w.fits(len(m.wire)) {
				break
			}
			s.transmit(w, m)
		}
	}
}
