package transport

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
