package simulation

import (
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/objectid"
)

// fine is the weather without faults.
var fine = siege.Weather{Delay: 20 * time.Millisecond}

// draw draws the faults of the link of a player. Half of the links have each of them.
func (p *peer) draw() {
	s := p.s
	p.weather = fine
	for _, f := range []Fault{Loss, Duplicate, Delay, Reorder, Late, Damage} {
		d := &s.faults[f]
		if !d.on || d.IntN(2) == 0 || f == Late && p.counts256() {
			continue
		}
		x := d.strength * d.Float64()
		switch f {
		case Loss:
			p.weather.Loss = 0.35 * x
		case Duplicate:
			p.weather.Repeat = 0.5 * x
		case Delay:
			p.weather.Delay += time.Duration(400 * x * float64(time.Millisecond))
		case Reorder:
			p.weather.Jitter = time.Duration(800 * x * float64(time.Millisecond))
		case Late:
			p.weather.Late = 0.02 * x
		case Damage:
			p.weather.Damage = 0.01 * x
		}
	}
	p.set()
}

// set gives the network the faults of the link of a player.
func (p *peer) set() {
	if p.process != nil {
		p.s.Paths[p.addr] = p.path()
	}
	if w := p.weather; !p.s.calm && (w.Loss > 0.1 || w.Jitter+w.Delay > 250*time.Millisecond || w.Late > 0 || w.Damage > 0) {
		p.disturb(2 * time.Minute)
	}
}

// disturb notes that the connection of a player may end for a while.
func (p *peer) disturb(d time.Duration) {
	if at := p.s.Now.Add(d); at.After(p.trouble) {
		p.trouble = at
	}
}

// path returns the weather of the link of the player now.
func (p *peer) path() siege.Weather {
	switch {
	case p.s.calm:
		return fine
	case p.s.Now.Before(p.cut):
		return siege.Weather{Loss: 1}
	}
	w := p.weather
	w.Delay += p.lag
	return w
}

// damage notes that a datagram was changed on its way.
func (s *simulation) damage(from, to netip.AddrPort) {
	s.damaged = true
	for _, a := range [2]netip.AddrPort{from, to} {
		if c := s.byAddr[a]; c != nil {
			c.tainted = true
		}
	}
}

// inject lets faults happen. Call it every round.
func (s *simulation) inject() {
	for _, p := range s.peers {
		if s.Now.Before(p.trouble) && p.weather != fine {
			p.set() // still
		}
		if !p.cut.IsZero() && !s.Now.Before(p.cut) {
			p.cut = time.Time{}
			p.set()
		}
		if s.due(Partition, 2*time.Minute) {
			d := s.length(Partition, 80*time.Second)
			p.cut = s.Now.Add(d)
			p.disturb(d + afterwards)
			p.set()
		}
		if p.process == nil {
			continue
		}
		if s.due(Lag, 3*time.Minute) && !slices.ContainsFunc(s.peers, func(q *peer) bool { return s.Now.Before(q.lags) }) && p.inGame() && !p.counts256() {
			p.lag = time.Duration(s.faults[Lag].IntN(22000)) * time.Millisecond // in each direction
			p.lags = s.Now.Add(time.Minute + s.length(Lag, time.Minute))
			p.disturb(p.lags.Sub(s.Now) + joinTime)
			p.set()
		} else if !p.lags.IsZero() && !s.Now.Before(p.lags) {
			p.lag, p.lags = 0, time.Time{}
			p.set()
		}
		switch {
		case s.due(Pause, 2*time.Minute):
			d := s.length(Pause, 60*time.Second)
			p.resumes = s.Now.Add(d)
			p.disturb(d + afterwards)
		case s.due(Crash, 3*time.Minute):
			if s.on(Reuse) && s.faults[Reuse].IntN(2) == 0 && !p.counts256() && !s.on(Late) && !s.on(Lag) && !s.on(Clock) {
				p.port--
				s.reused = true
				p.disturb(joinTime) // the server keeps the earlier session until it has been silent
			}
			p.stop()
			p.starts = s.Now.Add(s.length(Crash, 20*time.Second))
			p.disturb(afterwards)
		case s.due(Rebind, 4*time.Minute):
			p.rebind()
		case s.due(Leave, 3*time.Minute) && p.player != nil:
			p.player.Leave()
			p.starts = s.Now.Add(s.length(Leave, time.Minute))
		case s.due(Clock, 2*time.Minute):
			d := s.length(Clock, 20*time.Second)
			if s.faults[Clock].IntN(2) == 0 {
				d = -60 * d
			}
			p.skew += d
			p.disturb(afterwards)
		}
	}
	s.injectServer()
}

// length draws the time that a fault takes.
func (s *simulation) length(f Fault, most time.Duration) time.Duration {
	x := &s.faults[f]
	return time.Duration(x.Float64() * x.Float64() * float64(most)).Truncate(siege.Step)
}

// afterwards is the time after a fault in which a connection may end: both sides give up after 45 s of
// silence, and a message that was sent just before has 45 s more.
const afterwards = 100 * time.Second

// joinTime is the longest time of a join that fails, after a time in which the server does not answer.
const joinTime = afterwards + time.Minute

// rebind gives a player another address, as a router with NAT does. The server knows the player by the
// address, so the connection is lost. A client without a peer ID sends its next Connect from the new address.
func (p *peer) rebind() {
	p.s.unplace(p)
	p.connection.gone = true
	p.addr = netip.AddrPortFrom(p.addr.Addr(), p.addr.Port()+1000)
	if p.session.PeerID() == objectid.NoPeer {
		p.connection = p.s.connect(p, p.process)
	}
	p.s.place(p, p.addr)
	p.disturb(afterwards)
}

// injectServer lets faults of the server happen.
func (s *simulation) injectServer() {
	h := s.host
	if h.down() {
		if !s.Now.Before(h.starts) {
			s.startServer()
		}
		return
	}
	switch {
	case s.due(Server, 5*time.Minute):
		if s.faults[Server].IntN(2) == 0 {
			h.resumes = s.Now.Add(s.length(Server, 30*time.Second))
		} else {
			h.starts = s.Now.Add(siege.Step + s.length(Server, 40*time.Second))
		}
		s.disturbAll(afterwards + 40*time.Second)
	case s.due(Clock, 5*time.Minute):
		d := s.length(Clock, 20*time.Second)
		if s.faults[Clock].IntN(2) == 0 {
			d = -60 * d
		}
		s.Skew += d
		s.disturbAll(afterwards)
	case s.due(Rounds, 4*time.Minute):
		s.commanded = s.Now
		h.game.Command([]string{"end", "restart"}[s.faults[Rounds].IntN(2)])
		s.disturbAll(afterwards) // a Connect between two rounds waits
	case s.due(Kick, 2*time.Minute):
		if all := h.game.Members(); len(all) > 0 {
			m := all[s.faults[Kick].IntN(len(all))]
			if c := h.connectionOf(m.Session); c != nil {
				c.kicked = true // and may not learn it before it has heard nothing for a while
			}
			h.game.Command("kick #" + m.PeerID.String())
		}
	}
	if s.due(Attack, 30*time.Second) && s.attack == nil {
		s.attack = siege.NewAttack(s.World, s.faults[Attack].Rand, s.on(Spoof))
		s.disturbAll(afterwards)
	}
	if s.attack != nil && s.on(Spoof) { // a forged Disconnect can end a session, and a forged Connect makes the server send
		s.disturbAll(afterwards)
	}
}

func (s *simulation) disturbAll(d time.Duration) {
	for _, p := range s.peers {
		p.disturb(d)
	}
}

// victims are the players whom strangers attack.
func (s *simulation) victims() (all []siege.Victim) {
	for _, p := range s.peers {
		if p.inGame() {
			all = append(all, p)
		}
	}
	return all
}
