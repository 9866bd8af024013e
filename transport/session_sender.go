package transport

// Send puts a payload, opcode first, in the queue. It is copied. One that is longer than
// a message may be, [MaxUnfragmentedPayload] or 409 bytes if it is unreliable, is sent in fragments, which are
// always reliable. It fails with [ErrTooLong] for more than [MaxPayload] bytes, with
// [ErrQueueFull] beyond [Options].MaxQueue or MaxQueueBytes, and with [ErrNotOpen] before
// EventConnected at a client and after the end.
func (s *Session) Send(payload []byte, d Delivery) error {
	switch {
	case s.state != open:
		return ErrNotOpen
	case len(payload) > MaxPayload:
		return alone(TypeData, ErrTooLong)
	case d&Reliable == 0 && len(payload) <= wholeUnreliable:
		return s.sendOnce(payload, d)
	case len(payload) <= MaxUnfragmentedPayload:
		m := NewData(s.out[game].next(), payload)
		return s.sendWhole(&s.out[game], &m, d)
	}
	pieces, _ := AppendFragments(nil, s.out[game].next(), payload)
	return s.sendPieces(pieces, d)
}

// SendSystem sends what is about another client: a [NameChange], which may be about this
// one, a [Boot] or a [Disconnect]. It fails like Send, and with [ErrWrongType] for what
// the session sends by itself. Boot and Close end the session, this does not.
func (s *Session) SendSystem(body Body) error {
	m := NewMessage(s.out[system].next(), body)
	switch {
	case s.state != open:
		return ErrNotOpen
	case m.Type != TypeNameChange && m.Type != TypeBoot && m.Type != TypeDisconnect:
		return alone(m.Type, ErrWrongType)
	case m.Len() > MaxUnfragmented:
		return alone(m.Type, ErrTooLong)
	}
	return s.sendWhole(&s.out[system], &m, Reliable|HighPriority)
}

// put sends a message of the session itself, for which there is always room.
func (s *Session) put(channel int, body Body) {
	m := NewMessage(s.out[channel].next(), body)
	e := s.entry(&m)
	*s.out[channel].push() = slot{whole: e, left: 1}
	s.enqueue(e, HighPriority, nil)
	s.touch()
}

func (s *Session) sendOnce(payload []byte, d Delivery) error {
	m := NewUnreliable(payload)
	if s.loose >= s.options.MaxQueue || s.full(m.Len()) {
		return s.refuse()
	}
	m.HighPriority = d&HighPriority != 0
	s.loose++
	s.enqueue(s.entry(&m), d, nil)
	s.touch()
	return nil
}

func (s *Session) sendWhole(o *outbox, m *Message, d Delivery) error {
	if o.n >= s.options.MaxQueue || s.full(m.Len()) {
		return s.refuse()
	}
	m.HighPriority = d&HighPriority != 0
	e := s.entry(m)
	*o.push() = slot{whole: e, left: 1}
	s.enqueue(e, d, nil)
	s.touch()
	return nil
}

func (s *Session) sendPieces(pieces []Message, d Delivery) error {
	o := &s.out[game]
	total := 0
	for i := range pieces {
		total += pieces[i].Len()
	}
	if o.n >= s.options.MaxQueue || s.full(total) {
		return s.refuse()
	}
	place := o.push()
	*place = slot{pieces: make([]*entry, len(pieces)), left: len(pieces)}
	var last *entry
	for i := range pieces {
		pieces[i].HighPriority = d&HighPriority != 0
		e := s.entry(&pieces[i])
		place.pieces[i] = e
		s.enqueue(e, d, last)
		last = e
	}
	s.touch()
	return nil
}

func (s *Session) full(bytes int) bool { return bytes > s.options.MaxQueueBytes-s.bytes }

func (s *Session) refuse() error {
	s.counters.Drops[DropQueueFull]++
	return ErrQueueFull
}

// entry keeps a message of a stock form, which fits into a datagram: who makes it sees to
// that.
func (s *Session) entry(m *Message) *entry {
	e := s.pool.get()
	e.wire = m.append(e.wire)
	e.reliable, e.system, e.seq = m.Reliable, m.System(), m.Seq
	e.fragment, e.index = m.Fragment, m.FragIndex
	s.bytes += len(e.wire)
	return e
}

// enqueue puts a message where it waits for its first sending: like the stock game, that
// with a high priority before all others, but behind the last piece of the same payload.
func (s *Session) enqueue(e *entry, d Delivery, last *entry) {
	o := s.outbox(e.system)
	switch {
	case e.reliable && o.ahead(e.seq) >= s.window():
		o.held.insert(e, o.held.tail)
	case d&HighPriority != 0:
		s.fresh.insert(e, last)
	default:
		s.fresh.insert(e, s.fresh.tail)
	}
}

func (s *Session) outbox(isSystem bool) *outbox {
	if isSystem {
		return &s.out[system]
	}
	return &s.out[game]
}

// acknowledged forgets a message that the peer has.
func (s *Session) acknowledged(e *entry) {
	o := s.outbox(e.system)
	o.clear(e)
	s.forget(e)
	for held := o.held.head; held != nil && o.ahead(held.seq) < s.window(); held = o.held.head {
		o.held.remove(held)
		s.fresh.insert(held, s.fresh.tail)
	}
}

// forget takes an entry out of its list and makes it free.
func (s *Session) forget(e *entry) {
	e.in.remove(e)
	s.bytes -= len(e.wire)
	s.pool.put(e)
}

// touch tells the hub that the deadline may have changed.
func (s *Session) touch() { s.tell(changedDeadline) }

func (s *Session) tell(c change) {
	if s.changed != nil {
		s.changed(c)
	}
}
