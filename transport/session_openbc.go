package transport

const (
	openBCDisconnect Type     = 0x06 // in the short form
	openBCAck        AckFlags = 0x80
	// openBCWindow is how many messages may be in flight to OpenBC, in each channel. Half of
	// its 256 numbers would make a late Ack ambiguous.
	openBCWindow = 64
)

// OpenBC reports whether the peer has shown that it is OpenBC, a server and a test client
// with forms of their own. Its sequence numbers have one byte, in the low half of the field,
// so that a session with it counts modulo 256 in both directions. OpenBC's server does not
// do so in its own queue: it drops a peer some minutes after the 256th reliable message that
// it sends to the peer. If a peer shows no sign of OpenBC before its own 256th message, that
// message passes for a copy of the first. OpenBC's first Ack is a sign.
func (s *Session) OpenBC() bool { return s.dialect }

// speaksOpenBC notes that the peer is OpenBC. Its sequence numbers come round after 255
// messages, so that an Ack that is repeated could acknowledge another message.
func (s *Session) speaksOpenBC() {
	s.dialect = true
	s.acks.once()
}

// received returns the sequence number of a message that has arrived, of which OpenBC sends
// the low byte: the number nearest to the expected one.
func (s *Session) received(seq, expected uint16) uint16 {
	if !s.dialect {
		return seq
	}
	return expected + uint16(int16(int8(seq-expected)))
}

// acked returns the sequence number that an Ack names, of which OpenBC names the low byte:
// the next one from the oldest on that is not acknowledged.
func (s *Session) acked(seq uint16, o *outbox) uint16 {
	if !s.dialect {
		return seq
	}
	return o.base + uint16(uint8(seq-o.base))
}

// wireSeq returns a sequence number as the peer knows it.
func (s *Session) wireSeq(seq uint16) uint16 {
	if s.dialect {
		return seq & 0xFF
	}
	return seq
}

// window returns how many messages of a channel may be in flight.
func (s *Session) window() int {
	if s.dialect {
		return min(s.options.Window, openBCWindow)
	}
	return s.options.Window
}

// leaves reports whether a message is a Disconnect that ends the session. OpenBC sends it
// under a number that another message had, so that it is no duplicate.
func (s *Session) leaves(m *Message) bool {
	if m.Type != TypeDisconnect || s.ended() {
		return false
	}
	body, _ := m.Decode()
	d, ok := body.(Disconnect)
	return ok && (d.PeerID == s.peer || !s.host && d.PeerID == Host)
}
