package simulation

import (
	"log/slog"
	"slices"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// truth is what has happened since the start of the server.
type truth struct {
	told   []death          // the deaths in the round that the server has logged and told somebody who is observed
	kills  map[string]int32 // in the round, by name
	fallen map[string]int32 // deaths in the round, by name
	names  map[objectid.PeerID]string
	former map[objectid.PeerID]string // the names before a new name
	chat   []chat                     // lines that the server has accepted
	said   map[string]string          // the names of the players who have said each line, since the beginning
}

type death struct{ victim, killer string }

// nameOf returns the name in a value of the log that stands for a player.
func nameOf(v slog.Value) string {
	if v = v.Resolve(); v.Kind() == slog.KindGroup {
		for _, a := range v.Group() {
			if a.Key == "name" {
				return a.Value.String()
			}
		}
	}
	return ""
}

// died notes a death that the server logs, and counts the kill unless it is of a friend.
func (s *simulation) died(r slog.Record) {
	var d death
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "player":
			d.victim = nameOf(a.Value)
		case "killer":
			d.killer = nameOf(a.Value)
		}
		return true
	})
	s.truth.fallen[d.victim]++
	if s.observed() {
		s.truth.told = append(s.truth.told, d) // not if the last player dies while leaving, or only strangers are left
	}
	team := map[string]opcode.Team{}
	for _, m := range s.host.game.Members() {
		team[m.Name] = s.host.game.Side(m)
	}
	if t, ok := team[d.killer]; ok && (t == opcode.TeamNone || t != team[d.victim]) {
		s.truth.kills[d.killer]++
	}
}

// observed reports whether the server tells somebody who is observed.
func (s *simulation) observed() bool {
	return slices.ContainsFunc(s.host.game.Members(), func(m *join.Member) bool {
		_, ended := m.Session.Ended()
		return !ended && s.host.connectionOf(m.Session) != nil
	})
}

// rename gives a player with a new name the kills and deaths of the old one. A client without a name has a
// default name at first.
func (t *truth) rename(members []*join.Member) {
	names, former := map[objectid.PeerID]string{}, map[objectid.PeerID]string{}
	for _, m := range members {
		names[m.PeerID] = m.Name
		if old := t.former[m.PeerID]; old != "" && t.names[m.PeerID] != "" {
			former[m.PeerID] = old
		}
		if old := t.names[m.PeerID]; old != "" && old != m.Name {
			former[m.PeerID] = old
			for _, counts := range []map[string]int32{t.kills, t.fallen} {
				counts[m.Name] += counts[old]
				delete(counts, old)
			}
		}
	}
	t.names, t.former = names, former
}

type chat struct{ name, text string }

// keep adds the events that the checkers compare. A restart begins a new round of deaths.
func keep(all, more []match.Event) []match.Event {
	for _, e := range more {
		switch e.Kind {
		case match.Kill, match.Explode, match.Chat:
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
		if e.Kind != match.Chat {
			all = append(all, death{e.Victim, e.Killer})
		}
	}
	return all
}
