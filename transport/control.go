package transport

func (s *Session) systemMessage(m *Message) {
	switch {
	case !m.Reliable:
		s.drop(DropMalformed) // where its body begins is not known
	case !m.HighPriority && s.options.Mode == Tolerant:
		// OpenBC has one number for all of these, 0, and repeats them for ever.
		s.speaksOpenBC()
		s.acknowledge(m)
		s.perform(m)
	default:
		s.sequenced(&s.in[system], m)
	}
}

// short takes what only OpenBC sends.
func (s *Session) short(m *Message) {
	s.speaksOpenBC()
	switch {
	case m.Type == openBCDisconnect && s.state == open:
		s.end(EndLeft, nil)
	case m.Type == openBCDisconnect, m.Type == TypeNameChange && len(m.Body) == 0: // a keepalive
	default:
		s.drop(DropMalformed)
	}
}

// perform does what a system message says.
func (s *Session) perform(m *Message) {
	if s.ended() {
		return
	}
	body, err := m.Decode()
	if err != nil {
		s.drop(DropMalformed)
		return
	}
	switch b := body.(type) {
	case ConnectReply:
		s.accepted(b)
	case ConnectRequest:
		s.drop(DropForged) // a host has those of its client already
	case Boot:
		s.booted(b)
	case Disconnect:
		s.departed(b)
	default:
		s.event(Event{Kind: EventSystem, Body: body})
	}
}

func (s *Session) booted(b Boot) {
	switch {
	case s.host:
		s.drop(DropForged)
	case b.PeerID == s.peer || b.PeerID == NoPeer || s.state == connecting:
		s.end(EndBooted, b)
	default:
		s.event(Event{Kind: EventSystem, Body: b})
	}
}

func (s *Session) departed(d Disconnect) {
	switch {
	case s.host && d.PeerID != s.peer:
		s.drop(DropForged)
	case s.host || d.PeerID == Host || d.PeerID == s.peer: // the last is OpenBC's
		s.end(EndLeft, d)
	default:
		s.event(Event{Kind: EventSystem, Body: d})
	}
}
