package player

import "time"

// run does what is due.
func (p *Player) run() {
	now := p.clock.now
	if p.state < Joined && now >= p.joinBy {
		p.finish(End{Reason: Stalled, Err: p.trouble})
	}
	if p.state == Joined && now >= p.pickAt {
		p.launch()
	}
	if p.state == InGame && now >= p.flight.due {
		p.tick()
	}
	if p.playing() {
		p.request()
	}
}

// due returns when run has something to do.
func (p *Player) due() time.Duration {
	due := never
	switch p.state {
	case Connecting, Checksums, Loading:
		due = p.joinBy
	case Joined:
		due = p.pickAt
	case InGame:
		due = p.flight.due
	}
	if p.playing() {
		due = min(due, p.others.due())
	}
	return due
}

func (p *Player) playing() bool { return p.state >= Joined && p.state != Closed }
