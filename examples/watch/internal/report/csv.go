package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Table is a table of a report.
type Table struct{ Name, Title string }

// Tables are the tables of [Report.CSV].
var Tables = [...]Table{
	{"players", "Scoreboard"}, {"kills", "Kills"}, {"hits", "Who hit whom"}, {"losses", "Damage"}, {"highlights", "Highlights"}, {"samples", "Positions, hull, speed and score over time"},
}

// CSV returns the table with a name as a [Sheet], or "" if there is no such table.
func (r *Report) CSV(table string) string {
	var lines [][]any
	add := func(cells ...any) { lines = append(lines, cells) }
	place := func(at *Place) []any {
		if at == nil {
			return []any{"", "", "", ""}
		}
		return []any{r.Maps[at.Map].Set, float64(at.Position[0]), float64(at.Position[1]), float64(at.Position[2])}
	}
	switch table {
	case "players":
		add("name", "peer", "ships", "kills", "deaths", "announced kills", "announced deaths", "score", "shots", "torpedoes",
			"damage given", "shields lost", "hull lost", "seconds alive", "ping ms", "team", "connections")
		for _, p := range r.Scores {
			team := math.NaN()
			if p.Team >= 0 {
				team = float64(p.Team)
			}
			add(p.Name, int32(p.Peer), strings.Join(p.Ships, ", "), p.Kills, p.Deaths, p.Told.Kills, p.Told.Deaths, p.Told.Score,
				p.Shots, p.Torpedoes, p.Given, p.ShieldsLost, p.HullLost, p.Alive, p.Ping, team, strings.Join(p.Connections, ", "))
		}
	case "kills":
		add("time", "message", "killer", "victim", "weapon", "class", "killer hull", "reason", "seconds to kill", "system", "x", "y", "z")
		for _, k := range r.List {
			add(append([]any{k.Time, k.Message, k.By, k.Of, k.Weapon, k.Class, k.hull, k.Reason, k.After}, place(k.Place)...)...)
		}
	case "hits":
		add("player", "target", "weapon", "shots", "hits", "damage")
		for _, h := range r.Hits {
			add(r.named(h.By), r.named(h.Of), h.Weapon, h.Shots, h.Hits, h.Points)
		}
	case "losses":
		add("time", "player", "part", "from", "to", "damage", "by", "weapon", "source", "distance")
		for _, x := range r.Losses {
			add(x.Time, r.named(x.Of), x.Part, x.From, x.To, x.Points, r.named(x.By), x.Weapon, x.Source, x.Distance)
		}
	case "highlights":
		add("time", "kind", "player", "text", "kill")
		for _, h := range r.Highlights {
			add(h.Time, h.Kind, h.Name, h.Text, h.Kill)
		}
	case "samples":
		add("time", "player", "system", "x", "y", "z", "hull", "speed", "score")
		for i := range r.rows {
			for _, s := range r.rows[i].samples {
				add(slices.Concat([]any{s.at, r.rows[i].Name}, place(s.place), []any{s.hull, s.speed, s.score})...)
			}
		}
	default:
		return ""
	}
	return Sheet(lines)
}

// Sheet returns comma-separated values. It begins with a byte order mark, so that spreadsheets read UTF-8. An apostrophe
// keeps a text from being a formula.
func Sheet(lines [][]any) string {
	b := &strings.Builder{}
	b.WriteString("\uFEFF")
	w := csv.NewWriter(b)
	for _, cells := range lines {
		line := make([]string, len(cells))
		for i, c := range cells {
			line[i] = cell(c)
		}
		_ = w.Write(line) // a Builder takes everything
	}
	w.Flush()
	return b.String()
}

// named returns the name of a player, or "".
func (r *Report) named(player int) string {
	if player < 0 {
		return ""
	}
	return r.rows[player].Name
}

// text returns a text that is no formula, also in programs that separate cells with other characters.
func text(s string) string {
	var b strings.Builder
	begins := true
	for _, r := range s {
		if begins && strings.ContainsRune("=+-@＝＋－＠", r) {
			b.WriteByte('\'')
		}
		begins = strings.ContainsRune(";,|\t", r) || begins && unicode.IsSpace(r)
		b.WriteRune(r)
	}
	return b.String()
}

func cell(x any) string {
	switch x := x.(type) {
	case string:
		return text(x)
	case int, int32, bool:
		return fmt.Sprint(x)
	case float64:
		if !math.IsNaN(x) {
			return strconv.FormatFloat(math.Round(1000*x)/1000, 'f', -1, 64)
		}
	}
	return ""
}
