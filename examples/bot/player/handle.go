package player

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// handle does what the events of the session ask for.
func (p *Player) handle() {
	for e := range p.session.Events() {
		switch e.Kind {
		case transport.EventConnected:
			p.accepted()
		case transport.EventSystem:
			p.systemMessage(e.Body)
		case transport.EventPayload:
			p.payload(e.Payload)
		case transport.EventEnded:
			p.sessionEnded(&e)
		}
	}
}

func (p *Player) payload(b []byte) {
	m, err := p.decoder.Decode(b)
	if m == nil || err != nil && !errors.Is(err, stream.ErrTrailing) {
		p.counters.Malformed++
		return
	}
	p.counters.Received[m.Opcode()]++
	if boot, ok := m.(*opcode.BootPlayer); ok {
		p.openBCRefusal(boot)
		return
	}
	switch p.state {
	case Checksums:
		p.check(m)
	case Loading:
		p.load(m)
	case Joined, InGame, GameOver:
		p.play(m)
	}
}

// event tells the caller what has happened. Nothing happens after the end.
func (p *Player) event(e Event) {
	if p.end == nil {
		p.queue.add(e, false)
	}
}
