package simulation

import (
	"fmt"
	"slices"
	"time"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
)

// settleTime is the time in which everybody is in the game after the last fault. A client gives up a dead
// server after 45 s, and the server a dead client, too. Then a client joins within a few seconds, or waits up
// to 15 s for a round.
const settleTime = 150 * time.Second

// steady is the time for which all must stay as it is before the checks.
const steady = 14 * time.Second

// heal ends all faults, waits until all is well, and checks it.
func (s *simulation) heal() {
	s.calm = true
	if s.attack != nil {
		s.attack.Stop()
		s.attack, s.besieged = nil, s.Now.Add(afterwards)
		s.forged = true
	}
	if s.host.down() {
		s.startServer()
	}
	s.host.resumes = time.Time{}
	for _, p := range s.peers {
		p.heal()
	}
	s.quiet = true
	healed, since, why, until := s.Now, s.Now, "", s.Now
	if s.on(Late) || s.on(Lag) {
		until = s.Now.Add(siege.Lateness + steady) // as in the game, a late update changes conditions back for a while
	}
	for s.Now.Sub(since) < steady || s.Now.Before(until) {
		s.round()
		if problem := s.problem(); problem != "" {
			since, why = s.Now, problem
		}
		// A round that begins now interrupts what was well.
		if s.Now.Sub(healed) > settleTime+steady && s.Now.Sub(s.restarted) > 2*steady {
			s.fail("%v after the last fault, %s", settleTime, why)
		}
	}
	s.result.Slowest = max(s.result.Slowest, since.Sub(healed))
	s.checkState()
}

// heal ends the faults of a player.
func (p *peer) heal() {
	now := p.s.Now
	p.cut, p.resumes, p.weather, p.lag, p.lags = time.Time{}, time.Time{}, fine, 0, time.Time{}
	if p.process != nil && p.connection.tainted {
		p.stop()
	}
	if soon := now.Add(2 * time.Second); p.starts.After(soon) {
		p.starts = soon
	}
	p.set()
}

// problem returns why the match is not yet as it must be, or "".
func (s *simulation) problem() string {
	for _, p := range s.peers {
		if p.process != nil && p.server != nil && p.server.Flushed() && !p.server.Ended() { // what waited until now was replaced or lost
			p.down = slices.DeleteFunc(p.down, func(r relay) bool { return r.waits && s.Now.Sub(r.at) > drainTime && s.Now.Sub(p.full) > waitTime })
		}
		switch {
		case p.process == nil:
			return p.name + " has no process"
		case p.connection.tainted:
			p.heal()
			return p.name + " has taken an old datagram for a new one"
		case p.player == nil:
			return fmt.Sprintf("%s is %v", p.name, p.client.State().Stage)
		case p.connection.gone:
			return "the server does not know the address of " + p.name + ", who has not given up yet"
		case p.player.State() != bot.InGame:
			return fmt.Sprintf("%s has the state %d: %v", p.name, p.player.State(), p.player.Err())
		case p.upEmpty.longer(s, len(p.up) == 0):
			return fmt.Sprintf("the server has not received %d messages of %s, the first is %x", len(p.up), p.name, p.up[0])
		case p.downEmpty.longer(s, len(p.down) == 0):
			return fmt.Sprintf("%s has not received %d messages, the first is %x", p.name, len(p.down), p.down[0].wire)
		case p.flushed.longer(s, p.session.Flushed()):
			return "the queue of " + p.name + " does not drain"
		}
	}
	if n := len(s.host.game.Members()); n != len(s.peers) {
		return fmt.Sprintf("the server has %d players, not %d", n, len(s.peers))
	}
	if n := s.host.game.Hub().Len(); n != len(s.peers) {
		return fmt.Sprintf("the server has %d sessions, not %d", n, len(s.peers))
	}
	for _, m := range s.host.game.Members() {
		c := s.host.connectionOf(m.Session)
		switch {
		case c == nil:
			return "a stranger is in the game: " + m.Name
		case m.Ship != c.peer.Ship().ID:
			return fmt.Sprintf("%s flies %v, and the server knows %v", c.peer.name, c.peer.Ship().ID, m.Ship)
		case c.drained.longer(s, m.Session.Flushed()):
			return "the queue of the server for " + c.peer.name + " does not drain"
		}
	}
	return ""
}

// patience measures how long something has not been well.
type patience struct{ well time.Time }

// drainTime is the time in which a queue is empty once when all is calm.
const drainTime = 5 * time.Second

// longer reports whether it has not been well for drainTime.
func (p *patience) longer(s *simulation, well bool) bool {
	if well || p.well.IsZero() {
		p.well = s.Now
	}
	return s.Now.Sub(p.well) > drainTime
}
