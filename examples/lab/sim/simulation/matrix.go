package simulation

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
)

// trial is a case of the matrix of interoperability: two players on a server.
type trial struct {
	name string
	need Faults
	play func(s *simulation)
}

// trials are the cases. Each ends with the checks of a match.
var trials = []trial{
	{"join", 0, func(s *simulation) {}},
	{"refusal", Faults(0).With(Password), func(s *simulation) {
		p := s.peers[0]
		p.stop()
		s.password = "wrong"
		p.start()
		s.until(20*time.Second, "refused", func() bool { return errors.Is(p.client.State().Err, join.ErrPassword) })
		p.stop()
		s.password = "engage"
	}},
	{"chat", 0, func(s *simulation) { s.each((*peer).line, 1) }},
	{"long chat", 0, func(s *simulation) { s.each((*peer).longLine, 1) }},
	{"10,000 messages", 0, func(s *simulation) { s.each((*peer).ceaseFire, 10_000) }},
	{"loss", 0, func(s *simulation) {
		for _, p := range s.peers {
			p.weather.Loss = 0.2
			p.stop()
			p.set()
		}
		s.calm = false
		s.until(time.Minute, "in the game", func() bool { return s.peers[0].inGame() && s.peers[1].inGame() })
		s.each((*peer).line, 5)
	}},
	{"restart", 0, func(s *simulation) { s.host.game.Command("restart") }},
	{"leave", 0, func(s *simulation) {
		s.peers[0].player.Leave()
		s.peers[0].starts = s.Now.Add(5 * time.Second)
		s.until(2*time.Second, "one player", func() bool { return s.players() == 1 })
	}},
	{"crash", 0, func(s *simulation) {
		s.peers[0].stop()
		s.peers[0].starts = s.Now.Add(time.Hour)
		s.until(time.Minute, "one player", func() bool { return s.players() == 1 })
	}},
	{"rename", 0, func(s *simulation) {
		p := s.peers[1]
		p.stop()
		p.name = s.peers[0].name
		s.until(time.Minute, "the other name", func() bool { return p.inGame() && strings.HasSuffix(p.client.State().Self.Name, " (2)") })
	}},
	{"files", Faults(0).With(Files), func(s *simulation) {}},
}

// each lets each player do something so many times, 20 times a second at most, and chat twice in a second.
func (s *simulation) each(act func(*peer) bool, times int) {
	for n := 0; n < times; {
		for _, p := range s.peers {
			for i := 0; i < 2 && n+i < times; i++ {
				if !act(p) {
					s.fail("%s cannot send", p.name)
				}
			}
		}
		n += 2
		if times < 100 {
			s.wait(time.Second)
		}
		s.round()
	}
}

func (p *peer) line() bool     { p.say(false); return true }
func (p *peer) longLine() bool { p.say(true); return true }
func (p *peer) ceaseFire() bool {
	return p.player.Send(opcode.NewStopFiring(p.Ship().ID+1)) == nil
}

// players returns the number of players in the game of the server and of all clients in it.
func (s *simulation) players() int {
	n := len(s.host.game.Members())
	for _, p := range s.peers {
		if p.process != nil && p.inGame() && !p.ended {
			n = max(n, 1+len(p.client.State().Other))
		}
	}
	return n
}

func (s *simulation) wait(d time.Duration) {
	for end := s.Now.Add(d); s.Now.Before(end); {
		s.round()
	}
}

// until lets the match go on until something holds.
func (s *simulation) until(d time.Duration, what string, holds func() bool) {
	for end := s.Now.Add(d); !holds(); s.round() {
		if !s.Now.Before(end) {
			s.fail("not %s within %v", what, d)
		}
	}
}

// Matrix plays all trials with players and servers of all dialects. It returns a table in Markdown with a line
// for each trial and a column for each pair, and the problems.
func Matrix() (table string, err error) {
	var b strings.Builder
	b.WriteString("| players, server |")
	for client := range dialects {
		for host := range dialects {
			fmt.Fprintf(&b, " %v, %v |", client, host)
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", int(dialects*dialects)))
	for _, t := range trials {
		fmt.Fprintf(&b, "\n| %s |", t.name)
		for client := range dialects {
			for host := range dialects {
				result := "yes"
				if failed := t.try(client, host); failed != nil {
					result = "NO"
					err = errors.Join(err, fmt.Errorf("%s, player %v, server %v: %w", t.name, client, host, failed))
				}
				fmt.Fprintf(&b, " %s |", result)
			}
		}
	}
	return b.String(), err
}

// try plays a trial.
func (t *trial) try(client, host Dialect) (err error) {
	p := Plan{Seed: 1, Players: 2, Without: ^t.need}.complete()
	s := newSimulation(p, &Result{Plan: p})
	for f := range faults {
		s.faults[f].on = t.need.Has(f)
	}
	s.dialect = host
	defer func() {
		switch x := recover().(type) {
		case nil:
		case violation:
			err = errors.New(string(x))
		default:
			panic(x)
		}
	}()
	s.begin(nil)
	for _, p := range s.peers {
		p.dialect, p.starts = client, siege.Epoch
	}
	s.calm, s.quiet = true, true
	s.until(20*time.Second, "in the game", func() bool { return s.peers[0].inGame() && s.peers[1].inGame() })
	t.play(s)
	for _, p := range s.peers {
		p.disturb(time.Minute) // what the trial has caused
	}
	s.heal()
	return nil
}
