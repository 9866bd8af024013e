package simulation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// isOne reports whether a name in an observer is of one of some players, or of nobody: "peer 5" is a player whom the
// link has not named, and "Player" one without a name. A player who comes back beside the earlier session is "Ann (2)".
func isOne(seen string, names []string) bool {
	seen = one(seen)
	return seen == "" || strings.HasPrefix(seen, "peer ") || seen == "Player" || slices.ContainsFunc(names, func(name string) bool { return seen == one(name) })
}

func one(name string) string {
	name, _, _ = strings.Cut(name, " (")
	return name
}

// expectSpeaker notes that the server relays a payload of a player on a link.
func (c *connection) expectSpeaker(wire []byte, name string) {
	if c.speakers == nil {
		c.speakers = map[string][]string{}
	}
	c.speakers[string(wire)] = append(c.speakers[string(wire)], name)
}

// checkSender checks that the observer of a link gives a message that the server has relayed to the player who has
// sent it.
func (c *connection) checkSender(step *match.Step) {
	o := step.Message
	if !step.FromHost || step.Sender == nil || o == nil || !o.Reliable || o.Verdict != transport.VerdictComplete || len(o.Payload) == 0 || !c.s.relayed(o.Payload) || c.s.unsure() || c.tainted {
		return
	}
	names := c.speakers[string(o.Payload)]
	if len(names) > 0 && !slices.ContainsFunc(append([]string{step.Sender.Name}, step.Sender.Names...), func(name string) bool { return isOne(name, names) }) {
		c.s.fail("the observer of %s gives %v of %v to %s", c.peer.name, opcode.Code(o.Payload[0]), names, step.Sender.Name)
	}
}

// unsure reports whether observers may take one player for another, because datagrams are not what somebody has sent.
func (s *simulation) unsure() bool {
	return s.forged && s.on(Spoof) || s.attack != nil && s.on(Spoof) || s.damaged || s.reused || s.mixed
}

// keepDatagram keeps a datagram for checkLoss, in every third match.
func (s *simulation) keepDatagram(d match.Datagram) {
	if s.plan.Seed%3 == 1 && len(s.datagrams) < 1<<18 {
		s.datagrams = append(s.datagrams, d)
	}
}

// checkLoss leaves out datagrams of the match, but none of one link. Nobody is given what another one did, and the
// lines that the link shows are there. OpenBC's slots look like peer IDs if the announcements of players are lost.
func (s *simulation) checkLoss() {
	if s.unsure() || s.dialect == LikeOpenBC || len(s.datagrams) == 0 || len(s.peers) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(s.plan.Seed, forLoss))
	for _, loss := range []float64{0.01, 0.05, 0.2} {
		whole := s.peers[rng.IntN(len(s.peers))].connection
		m, lines := &match.Match{Events: true}, map[string]bool{}
		type creation struct {
			client string
			id     objectid.ID
		}
		claimed := map[creation]bool{} // what the server refuses is an event where the loss hides that
		check := func(events []match.Event) {
			for _, e := range events {
				is := func(seen, name string) bool { // the loss can hide that the server refuses a name
					own := s.asked[e.Client]
					return isOne(seen, []string{name}) || own != "" && strings.HasPrefix(name, own)
				}
				switch e.Kind {
				case match.Chat:
					lines[e.Text] = true
					if name := s.truth.said[e.Text]; name != "" && !is(e.Player, name) {
						s.fail("with a loss of %v, the line %q of %s is given to %s", loss, e.Text, name, e.Player)
					}
				case match.Kill, match.Explode:
					if !slices.ContainsFunc(s.truth.ever, func(d death) bool {
						return is(e.Victim, d.victim) && (e.Killer == "" || d.killer == "" || isOne(e.Killer, []string{d.killer}))
					}) {
						s.fail("with a loss of %v, %q has not happened", loss, e.String())
					}
				case match.Ship:
					if ship := s.truth.ships[e.Ship]; len(ship) > 0 && !slices.ContainsFunc(ship, func(name string) bool { return is(e.Player, name) }) && !claimed[creation{e.Client, e.Ship}] {
						s.fail("with a loss of %v, the ship %v of %v is given to %s", loss, e.Ship, ship, e.Player)
					}
				}
			}
		}
		for _, d := range s.datagrams {
			if d.Client == whole.label || rng.Float64() >= loss {
				for step := range m.Receive(d) {
					if g, ok := step.Game.(*opcode.ObjectCreateTeam); ok && !d.FromHost {
						claimed[creation{d.Client, g.ObjectID}] = true
					}
					check(step.Events)
				}
			}
		}
		check(m.Flush())
		for _, e := range whole.events {
			if e.Kind == match.Chat && s.truth.said[e.Text] != "" && !lines[e.Text] && e.Time < s.Now.Sub(siege.Epoch)-time.Minute {
				s.fail("with a loss of %v, and none on the link of %s, the line %q is missing", loss, whole.peer.name, e.Text)
			}
		}
	}
}

// checkMiddle reads the datagrams from some time on, of all links and of one. What is in it more than 90 seconds later has
// happened in the match, once, and to the same player, who may be unknown. If a player has left shortly before, a link that
// is late tells the leave, and nobody knows that it is not of the one who has the peer ID or the name now.
func (s *simulation) checkMiddle() {
	if s.unsure() || s.dialect == LikeOpenBC || len(s.datagrams) == 0 || len(s.peers) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(s.plan.Seed, forMiddle))
	begin, one := s.datagrams[rng.IntN(len(s.datagrams))].Time, s.peers[rng.IntN(len(s.peers))].connection.label
	whole := s.deeds(0, "")
	if slices.ContainsFunc(whole, func(e match.Event) bool {
		return e.Kind == match.Leave && e.Time <= begin && begin-e.Time < 90*time.Second
	}) {
		return
	}
	for _, client := range []string{"", one} {
		middle := slices.DeleteFunc(s.deeds(begin, client), func(e match.Event) bool { // what only the client says is a claim
			return e.Kind == match.Leave || e.Time < begin+90*time.Second || client != "" && e.Client == client
		})
		for _, e := range unmatched(middle, whole) {
			s.fail("from %v on, on the link %q, %q has not happened at %v", begin, client, e.String(), e.Time)
		}
	}
}

// unmatched returns the events for which no event of all is left, if each is of one.
func unmatched(events, all []match.Event) (none []match.Event) {
	fits := func(e, x *match.Event) bool {
		return x.Kind == e.Kind && x.Text == e.Text && (e.Peer == 0 || x.Peer == e.Peer) &&
			((x.Time-e.Time).Abs() <= 2*time.Minute || e.Kind == match.Ship && x.Time < e.Time) // newcomers are told of the ships
	}
	of := make([]*match.Event, len(all)) // the event that each of all is taken by
	seen := make([]int, len(all))        // for which attempt
	var take func(e *match.Event, attempt int) bool
	take = func(e *match.Event, attempt int) bool {
		for i := range all {
			if of[i] == nil && fits(e, &all[i]) {
				of[i] = e
				return true
			}
		}
		for i := range all {
			if seen[i] == attempt || !fits(e, &all[i]) {
				continue
			}
			if seen[i] = attempt; take(of[i], attempt) {
				of[i] = e
				return true
			}
		}
		return false
	}
	for i := range events {
		if !take(&events[i], i+1) {
			none = append(none, events[i])
		}
	}
	return none
}

// deeds returns what players have done, as the datagrams of a link, or of all, show it from some time on.
func (s *simulation) deeds(begin time.Duration, client string) (all []match.Event) {
	m := match.Match{Events: true}
	for _, d := range s.datagrams {
		if d.Time >= begin && (client == "" || d.Client == client) {
			for step := range m.Receive(d) {
				all = append(all, step.Events...)
			}
		}
	}
	return slices.DeleteFunc(append(all, m.Flush()...), func(e match.Event) bool {
		return !slices.Contains([]match.EventKind{match.Chat, match.TeamChat, match.Fire, match.Kill, match.Explode, match.Ship, match.Collide, match.Restart, match.Leave}, e.Kind)
	})
}
