package transport

import "slices"

// Clone returns a deep copy of the observer. Do not call Clone within a loop over Receive.
func (o *Observer) Clone() *Observer {
	clone := *o
	clone.message = Observation{} // aliases the last datagram
	clone.senders, clone.errors = nil, nil
	for _, s := range o.senders {
		clone.senders = append(clone.senders, s.clone())
	}
	return &clone
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

// clone returns a copy that shares only the bodies of the fragments, which are never modified.
func (p *partialPayloads) clone() partialPayloads {
	clone := partialPayloads{bytes: p.bytes, since: p.since, list: make([]*partialPayload, len(p.list))}
	for i, payload := range p.list {
		own := *payload
		own.fragments = slices.Clone(payload.fragments)
		clone.list[i] = &own
	}
	return clone
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
