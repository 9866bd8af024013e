package simulation

import (
	"log/slog"
	"slices"
	"time"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// truth is what has happened since the start of the server.
type truth struct {
	told     []told                     // the deaths in the round that the server has logged
	kills    map[string]int32           // in the round, by name
	fallen   map[string]int32           // deaths in the round, by name
	names    map[objectid.PeerID]string // of the players in the game
	former   map[objectid.PeerID]string // their names before
	joined   map[string]time.Time       // when the players have joined
	chat     []chat                     // lines that the server has accepted
	said     map[string]string          // the names of the players who have said each line, since the beginning
	accepted map[string]bool            // lines that the server has accepted, since the beginning
	refused  map[string]time.Time       // when the server has refused lines, since the beginning
	ever     []death                    // deaths since the start
	ships    map[objectid.ID][]string   // the names of the players who have had each ship
}

type death struct{ victim, killer string }

// told is a death, and the observed clients whom the server tells.
type told struct {
	death
	at       time.Time
	audience []listener
	passing  bool // the victim leaves within a minute: a client that was not heard in that time need not be told
}

type listener struct {
	c       *connection
	session *transport.Session // of the server
}

// certain reports whether the server has sent the death on an observed link. It may wait in the queue of a session
// that ends.
func (d *told) certain() bool {
	return !d.passing && slices.ContainsFunc(d.audience, func(l listener) bool {
		return !l.session.Ended() || !l.c.flushed.Before(d.at)
	})
}

// shown reports whether the deaths that an observer of all links has seen are those that the server has sent. Those of
// different ships may have another order: a link does not show what was before its client has joined.
func (t *truth) shown(seen []death) bool {
	least, most := map[death]int{}, map[death]int{}
	for _, d := range t.told {
		if len(d.audience) > 0 {
			most[d.death]++
		}
		if d.certain() {
			least[d.death]++
		}
	}
	for _, d := range seen {
		least[d]--
		most[d]--
	}
	return !slices.ContainsFunc(seen, func(d death) bool { return most[d] < 0 }) &&
		!slices.ContainsFunc(t.told, func(d told) bool { return least[d.death] > 0 })
}

// shownLast reports whether the deaths that an observer of a link has seen are the last ones that the server has sent,
// in their order.
func (t *truth) shownLast(seen []death) bool {
	fits := make([]bool, len(seen)+1) // whether so many of them are the deaths so far
	fits[0] = true
	for _, d := range t.told {
		if len(d.audience) == 0 {
			continue
		}
		for n := len(seen); n > 0; n-- {
			fits[n] = fits[n] && d.passing || fits[n-1] && d.is(seen[n-1])
		}
	}
	return fits[len(seen)]
}

// is reports whether a death is one that an observer has seen. A player whose name comes late is "Player" to the server,
// and has a name on its own link.
func (d death) is(seen death) bool {
	return (d.victim == seen.victim || d.victim == "Player") && (d.killer == seen.killer || d.killer == "Player")
}

// left notes that a player has left.
func (t *truth) left(name string, now time.Time) {
	for i := range t.told {
		if d := &t.told[i]; d.victim == name && now.Sub(d.at) <= time.Minute && now.Sub(t.joined[name]) <= time.Minute {
			d.passing = true
		}
	}
}

// deaths returns the deaths that observed clients are told.
func (t *truth) deaths() (all []death) {
	for _, d := range t.told {
		if len(d.audience) > 0 {
			all = append(all, d.death)
		}
	}
	return all
}

// whoIs returns the peer ID and the name in a value of the log that stands for a player.
func whoIs(v slog.Value) (peer objectid.PeerID, name string) {
	if v = v.Resolve(); v.Kind() != slog.KindGroup {
		return 0, ""
	}
	for _, a := range v.Group() {
		switch a.Key {
		case "peer":
			peer = objectid.PeerID(a.Value.Int64())
		case "name":
			name = a.Value.String()
		}
	}
	return peer, name
}

// died notes a death that the server logs, and counts the kill unless it is of a friend.
func (s *simulation) died(r slog.Record) {
	var d death
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "player":
			_, d.victim = whoIs(a.Value)
		case "killer":
			_, d.killer = whoIs(a.Value)
		}
		return true
	})
	s.truth.fallen[d.victim]++
	s.truth.ever = append(s.truth.ever, d)
	team := map[string]opcode.Team{}
	for _, m := range s.host.game.Members() {
		team[m.Name] = s.host.game.Side(m)
	}
	_, stays := team[d.victim]
	s.truth.told = append(s.truth.told, told{
		death: d, at: s.Now, audience: s.audience(),
		passing: !stays && s.Now.Sub(s.truth.joined[d.victim]) <= time.Minute,
	})
	if t, ok := team[d.killer]; ok && (t == opcode.TeamNone || t != team[d.victim]) {
		s.truth.kills[d.killer]++
	}
}

// audience returns the observed clients whom the server tells. There are none if the last player dies while
// leaving, or if only strangers are left.
func (s *simulation) audience() (all []listener) {
	for _, m := range s.host.game.Members() {
		if m.Session.Ended() {
			continue
		}
		if c := s.host.connectionOf(m.Session); c != nil {
			all = append(all, listener{c, m.Session})
		}
	}
	return all
}

// rename notes a name that the server gives a player, and adds the kills and deaths of the player's name before to those
// of a player who had the new name and has left.
func (t *truth) rename(peer objectid.PeerID, name string) {
	old := t.names[peer]
	if t.names[peer] = name; old == "" || old == name {
		return
	}
	t.former[peer] = old
	for _, counts := range []map[string]int32{t.kills, t.fallen} {
		counts[name] += counts[old]
		delete(counts, old)
	}
}

type chat struct{ name, text string }

// keep adds the events that the checkers compare. A restart begins a new round of deaths.
func keep(all, more []match.Event) []match.Event {
	for _, e := range more {
		switch e.Kind {
		case match.Kill, match.Explode, match.Chat, match.Fire, match.Ship, match.Join, match.Rename:
			all = append(all, e)
		case match.Restart:
			all = slices.DeleteFunc(all, func(e match.Event) bool { return e.Kind != match.Chat })
		}
	}
	return all
}

// deathsOf returns the deaths among events.
func deathsOf(events []match.Event) (all []death) {
	for _, e := range events {
		if e.Kind == match.Kill || e.Kind == match.Explode {
			all = append(all, death{e.Victim, e.Killer})
		}
	}
	return all
}
