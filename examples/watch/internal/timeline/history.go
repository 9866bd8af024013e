package timeline

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// history is what happens on a server, as package match follows it: the events, and the players over
// time. All links of the server have the same history.
type history struct {
	events  []Event     // in the order in which they were reported
	dropped int         // events before the first of events
	changes []Change    // of kind "player", in the order of the messages
	players [128]person // the last one with each peer ID
}

// person is a player of package match, and the values of which the page was told.
type person struct {
	*match.Player
	name          string
	team          opcode.Team
	kills, deaths int32
	here          bool
}

// Limits of a history. At twice the number, the oldest events and changes are forgotten.
const (
	maxEvents  = 10_000
	maxChanges = 10_000

	maxHistories = 1024 // matches
)

// historyOf returns the history of the server of a link.
func (s *Store) historyOf(f flow) *history {
	for _, l := range s.links {
		if l.flow.server == f.server {
			return l.history
		}
	}
	return &history{}
}

// follow keeps what a message has caused, and returns the player whom the message is about.
func (s *Store) follow(l *link, step *match.Step, now Moment) *match.Player {
	h := l.history
	l.match = step.Link
	if step.Link.Player != nil {
		l.person = step.Link.Player
		l.played = l.played || l.person.InGame
	}
	_, motion := step.Game.(*opcode.StateUpdate)
	if !motion && step.Message.Type != transport.TypeAck || slices.ContainsFunc(step.Events, func(e match.Event) bool { return e.Kind != match.Damage }) {
		s.compare(h, step.Link.Server, now)
	}
	if n := step.Link.Match; n >= 0 && s.histories[n] != h {
		if len(s.histories) >= maxHistories {
			clear(s.histories)
		}
		s.histories[n] = h
	}
	s.logEvents(step.Events, step.Time, now)
	h.log(s.noticed(h, step), now)
	return h.subject(step)
}

// logEvents keeps events, which may be of other servers. Some have waited: for a name, for a reason, or for the host.
func (s *Store) logEvents(events []match.Event, reported time.Duration, now Moment) {
	for i := range events {
		e, at := &events[i], now
		if e.Time != reported {
			at.Time = e.Time.Seconds()
		}
		if h := s.histories[e.Match]; h != nil {
			h.log(eventOf(e), at)
		}
	}
}

// settle keeps the events that have waited until a time of the match.
func (s *Store) settle(events []match.Event, reported float64) {
	if len(events) == 0 {
		return
	}
	now := Moment{reported, max(0, s.messages-1)}
	servers := map[string]*history{}
	for _, l := range s.links {
		if l.match != nil {
			servers[l.match.Server] = l.history
		}
	}
	for name, h := range servers {
		s.compare(h, name, now)
	}
	s.logEvents(events, timeOf(reported), now)
	s.reports.Settle(events, now.Message)
}

// compare finds the players who have changed.
func (s *Store) compare(h *history, server string, now Moment) {
	var last [len(h.players)]*match.Player
	for p := range s.match.Players() {
		if p.Server == server {
			last[p.PeerID] = p
		}
	}
	for i, p := range last {
		if p == nil {
			continue
		}
		shown := person{p, p.Name, p.Team, p.Kills, p.Deaths, p.InGame}
		if h.players[i] == shown {
			continue
		}
		h.players[i] = shown
		c := Change{Moment: now, Kind: "player", Player: playerOf(p)}
		if h.changes = append(h.changes, c); len(h.changes) >= 2*maxChanges {
			h.forgetChanges(h.changes[maxChanges].Message)
		}
		s.news++
		for _, l := range s.links {
			if l.history == h {
				l.world.playerChanged(c)
			}
		}
	}
}

// playerOf returns a player as the page shows it.
func playerOf(p *match.Player) *Player {
	shown := &Player{
		Peer: p.PeerID, Name: text(p.Name), Kills: p.Kills, Deaths: p.Deaths,
		Here: p.InGame,
	}
	if p.Team != opcode.TeamNone {
		shown.Team = new(int(p.Team))
	}
	return shown
}

// forgetChanges forgets the changes before a message, except the last one of each player.
func (h *history) forgetChanges(message int) {
	last := h.playersBefore(message)
	h.changes = slices.DeleteFunc(h.changes, func(c Change) bool {
		return c.Message < message && last[c.Player.Peer] != c.Player
	})
}

// playersBefore returns the players before a message.
func (h *history) playersBefore(message int) map[objectid.PeerID]*Player {
	players := map[objectid.PeerID]*Player{}
	for _, c := range h.changes[:h.changesBefore(message)] {
		players[c.Player.Peer] = c.Player
	}
	return players
}

// changesBefore returns the number of changes before a message.
func (h *history) changesBefore(message int) int {
	return sort.Search(len(h.changes), func(i int) bool { return h.changes[i].Message >= message })
}

// log keeps an event if it has a kind.
func (h *history) log(e Event, at Moment) {
	if e.Kind == "" {
		return
	}
	if len(h.events) >= 2*maxEvents {
		h.dropEvents(maxEvents)
	}
	e.Number, e.Moment = h.next(), at
	h.events = append(h.events, e)
}

// next returns the number of the next event.
func (h *history) next() int { return h.dropped + len(h.events) }

// since returns the events from a number on.
func (h *history) since(number int) []Event {
	return h.events[min(max(0, number-h.dropped), len(h.events)):]
}

func (h *history) dropEvents(n int) {
	h.dropped += n
	h.events = slices.Delete(h.events, 0, n)
}

// forget forgets what was before a message.
func (h *history) forget(message int) {
	h.forgetChanges(message)
	h.dropEvents(sort.Search(len(h.events), func(i int) bool { return h.events[i].Message >= message }))
}

// eventOf returns an event as the page shows it, without a kind if it does not.
func eventOf(e *match.Event) Event {
	x := Event{Kind: string(e.Kind), Peer: valid(e.Peer), Player: text(cmp.Or(e.Player, e.Class)), Text: text(e.Text)}
	switch e.Kind {
	case match.Join, match.Rename, match.Chat, match.TeamChat:
	case match.Leave:
		x.Text = e.Reason
	case match.Kill:
		x.Other, x.OtherPlayer = x.Peer, x.Player
		x.Peer, x.Player, x.Weapon = valid(e.Other), text(e.Killer), text(e.Weapon)
	case match.Explode:
		x.Kind, x.Text = "death", text(e.Reason)
	case match.Collide:
		x.Kind, x.Other, x.OtherPlayer = "collision", valid(e.Other), text(e.Target)
	case match.Score, match.End:
		x.Text = text(e.String())
	case match.Restart:
		x.Kind, x.Text = "end", text(e.String())
	default:
		x.Kind = ""
	}
	return x
}

// noticed returns the event of a message about a subsystem or a cloak, without a kind for other messages
// and for links that only repeat it.
func (s *Store) noticed(h *history, step *match.Step) (e Event) {
	ship := step.Ship
	if ship == nil || step.Err != nil || step.Message.Verdict == transport.VerdictDuplicate {
		return e
	}
	switch {
	case step.Change.Created:
	case step.Change.Motion&opcode.StateCloak != 0 && ship.Cloaked:
		e.Kind, e.Text = "cloak", "cloaks"
	case step.Change.Motion&opcode.StateCloak != 0:
		e.Kind, e.Text = "cloak", "decloaks"
	default:
		if state := stateOfPart(step); state != "" {
			e.Kind, e.Text = "system", step.Part.String()+" is "+state
		}
	}
	if e.Kind == "" || !s.counts(h, step) {
		return Event{}
	}
	e.Peer, e.Player = valid(ship.PeerID), text(ship.PlayerName)
	if p := h.player(ship.PeerID); p != nil && p.Name != "" {
		e.Player = text(p.Name)
	}
	return e
}

// stateOfPart returns the state of a part of a ship that a message tells, or "".
func stateOfPart(step *match.Step) string {
	switch g := step.Game.(type) {
	case *opcode.PythonEvent:
		if _, _, ok := g.Damaged(); ok {
			return "damaged"
		} else if _, _, _, ok := g.Repaired(); ok {
			return "repaired"
		} else if _, _, _, ok := g.RepairFailed(); ok {
			return "beyond repair"
		}
	case *opcode.SubsystemStatus:
		switch {
		case step.Part.Subsystem == nil || g.Code != opcode.ETSubsystemStateChangedNotify || g.Class != opcode.ClassBoolEvent:
		case g.Value == 0:
			return "switched off"
		default:
			return "switched on"
		}
	}
	return ""
}

// counts reports whether a message about a ship is on the link that counts: that of the ship's player, or
// else the first one with the ship. Other links repeat it.
func (s *Store) counts(h *history, step *match.Step) bool {
	if p := h.player(step.Ship.PeerID); p != nil && p.Link != nil {
		return p.Link == step.Link
	}
	for l := range s.match.Links() {
		if l.Server == step.Link.Server && l.Ships.Ship(step.Ship.ID) != nil {
			return l == step.Link
		}
	}
	return false
}

// player returns the player with a peer ID, or nil.
func (h *history) player(peer objectid.PeerID) *match.Player {
	if !peer.Valid() {
		return nil
	}
	return h.players[peer].Player
}

// subject returns the player whom a message is about: the sender, or the player whose ship or name is in a
// message of the host. It returns nil if there is none.
func (h *history) subject(step *match.Step) *match.Player {
	if !step.FromHost {
		return cmp.Or(step.Sender, step.Link.Player)
	}
	peer := objectid.NoPeer
	switch b := step.Message.Decoded.(type) {
	case *transport.ConnectReply:
		return step.Link.Player
	case *transport.Disconnect:
		peer = b.PeerID
	case *transport.Boot:
		peer = b.PeerID
	}
	switch g := step.Game.(type) {
	case *opcode.Score:
		peer = g.PlayerID
	case *opcode.ScoreInit:
		peer = g.PlayerID
	case *opcode.ScoreChange:
		peer = g.VictimID
	case *opcode.DeletePlayerUI:
		peer = g.PlayerID
	default:
		if step.Sender != nil && step.Sender.PeerID != objectid.Host {
			return step.Sender
		}
		if step.Ship != nil {
			peer = step.Ship.PeerID
		}
	}
	return cmp.Or(h.player(peer), step.Sender)
}
