package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Report is the report of one match. Times are seconds.
type Report struct {
	Summary
	Reason     string   // why the host has ended the match, or ""
	Omitted    []string // what is left out after a limit: "1,000 deaths"
	Damage     bool     // a link shows damage
	Logged     bool     // the host's log of damage tells who has hit whom
	Watch      string   // address of the page with the recording, or ""
	Scores     []Player // by score, kills, deaths and the order of joins
	List       []Kill
	Losses     []Loss
	Hits       []Hit // by players, and the most damage first
	Highlights []Highlight
	Maps       []Map
	rows       []row
}

// Summary is the beginning of a report.
type Summary struct {
	Match   int     `json:"match"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Players int     `json:"players"`
	Deaths  int     `json:"deaths"`
}

// Player is a line of the scoreboard. The package describes the figures.
type Player struct {
	Index       int // as in Kill, Highlight and Track
	Peer        objectid.PeerID
	Colour      int // in the file, or -1
	Name        string
	Connections []string // their names, if the player has had several, one after another
	Team        int      // -1 if unknown
	Ships       []string
	Kills       int
	Deaths      int
	Told        Told
	Shots       int
	Torpedoes   int // of the shots
	Given       float64
	ShieldsLost float64
	HullLost    float64
	Alive       float64
	Ping        float64 // 0 if unknown
	Plots       []Plot  // of the hull, the speed and the score
}

// Told is what the host has announced about a player.
type Told struct {
	Kills  int32
	Deaths int32
	Score  int32
}

// Kill is a death. The players are indices, or -1 if they are unknown; By and Of are their names.
type Kill struct {
	Number  int
	Time    float64
	Message int
	Killer  int
	By      string // "" without a killer
	Victim  int
	Of      string
	Weapon  string
	Reason  string  // of a death without a killer, "rammed by Ann"
	After   float64 // seconds since the first shot of the killer at the ship, or NaN
	Class   string  // of the ship that has died
	Place   *Place  // nil if unknown
	Next    int     // number of the next kill of the killer, or -1
	Last    []Loss  // of the ship in the last 15 seconds

	hull float64 // of the killer, from 0 to 1, or NaN
}

// Loss is damage that a link shows.
type Loss struct {
	Time     float64
	Of       int // the player
	By       int // the player who has caused it, or -1
	Part     string
	From, To int // per cent
	Points   float64
	Weapon   string
	Source   string  // how the cause is known: kill, collision or shot; "" if it is unknown
	Distance float64 // of both ships, or NaN
}

// Hit is what a player has done to another one with a weapon. The player is -1 for collisions with objects.
type Hit struct {
	By, Of      int
	Weapon      string // without the tube
	Shots, Hits int
	Points      float64
}

// Place is a place in a star system.
type Place struct {
	Map      int // index of the star system
	Position [3]float32
}

// Highlight is a moment of a match. The sentence begins with the player.
type Highlight struct {
	Time   float64
	Kind   string
	Player int
	Name   string
	Text   string
	Kill   int // its number, or -1
}

// diedBetween reports whether a player died between two times.
func (r *Report) diedBetween(player int, from, to float64) bool {
	return slices.ContainsFunc(r.List, func(k Kill) bool { return k.Victim == player && k.Time > from && k.Time < to })
}

// Summaries returns the beginnings of all reports in the order of the matches.
func (b *Builder) Summaries() []Summary {
	all := []Summary{}
	for _, c := range b.matches {
		x := c.summary()
		rows, _ := c.persons(b.Aliases)
		x.Players = len(rows)
		all = append(all, x)
	}
	return all
}

func (c *collector) summary() Summary {
	return Summary{c.number, c.start, c.end, len(c.rows), len(c.kills)}
}

// Report returns the report of a match, or nil if there is none.
func (b *Builder) Report(number int) *Report {
	for _, c := range b.matches {
		if c.number == number {
			return c.report(b.Aliases)
		}
	}
	return nil
}

// report returns a copy that later steps do not change.
func (c *collector) report(aliases map[string]string) *Report {
	r := &Report{Summary: c.summary(), Reason: c.reason, Omitted: slices.Clone(c.omitted), Damage: c.damage, Logged: c.logged, List: slices.Clone(c.kills), Losses: slices.Clone(c.losses)}
	var person []int
	r.rows, person = c.persons(aliases)
	r.Players = len(r.rows)
	of := func(row *int) {
		if *row >= 0 {
			*row = person[*row]
		}
	}
	for i := range r.Losses {
		of(&r.Losses[i].By)
		of(&r.Losses[i].Of)
	}
	for i := range r.List {
		k := &r.List[i]
		of(&k.Killer)
		of(&k.Victim)
		if k.Killer >= 0 {
			k.By = r.rows[k.Killer].Name
		}
		if k.Victim >= 0 {
			k.Of = r.rows[k.Victim].Name
			for _, x := range r.Losses {
				if x.Of == k.Victim && x.Time >= k.Time-lastTime && x.Time <= k.Time && (i == 0 || !r.diedBetween(k.Victim, x.Time, k.Time)) {
					k.Last = append(k.Last, x)
				}
			}
		}
	}
	r.Hits = c.hits(person)
	scales := r.scales()
	for i := range r.rows {
		r.rows[i].Plots = r.plots(&r.rows[i], scales)
		r.Scores = append(r.Scores, r.rows[i].Player)
	}
	slices.SortStableFunc(r.Scores, func(a, b Player) int {
		return cmp.Or(cmp.Compare(b.Told.Score, a.Told.Score), cmp.Compare(b.Kills, a.Kills), cmp.Compare(a.Deaths, b.Deaths))
	})
	next := make([]int, len(r.rows))
	for i := range next {
		next[i] = -1
	}
	for i := range slices.Backward(r.List) {
		k := &r.List[i]
		if k.Next = -1; k.Killer >= 0 {
			k.Next, next[k.Killer] = next[k.Killer], i
		}
	}
	r.Highlights = r.highlights()
	r.Maps = r.maps(c.sets)
	return r
}

// ping returns the sum of the means of both sides of the link, or 0.
func (r *row) ping() (sum float64) {
	for _, side := range r.trips {
		if side.count == 0 {
			return 0
		}
		sum += side.sum / side.count
	}
	return sum
}

// Rules of highlights.
const (
	severalTime = 30.0 // seconds between two kills
	closeHull   = 0.25
	revengeTime = 60.0 // seconds after dying
)

func (r *Report) highlights() []Highlight {
	var list []Highlight
	add := func(at float64, kind string, player, kill int, format string, args ...any) {
		if len(list) < maxHighlights {
			list = append(list, Highlight{at, kind, player, r.rows[player].Name, fmt.Sprintf(format, args...), kill})
		}
	}
	type tally struct {
		series, several int // kills without a death, and in short time
		first, last     int // of them in short time, numbers of kills
		avenge          int // 1 + the killer of the player, or 0
		died            float64
	}
	players := make([]tally, len(r.rows))
	first := true
	for i, k := range r.List {
		if k.Victim >= 0 {
			v := &players[k.Victim]
			v.series, v.avenge, v.died = 0, k.Killer+1, k.Time
		}
		if k.Killer < 0 {
			continue
		}
		p := &players[k.Killer]
		if first {
			first = false
			add(k.Time, "first kill", k.Killer, i, "makes the first kill")
		}
		if p.several > 0 && k.Time-r.List[p.last].Time > severalTime {
			p.several = 0
		}
		if p.several++; p.several == 1 {
			p.first = i
		}
		p.last = i
		more := k.Next >= 0 && r.List[k.Next].Time-k.Time <= severalTime
		if p.several > 1 && !more {
			add(r.List[p.first].Time, "several kills", k.Killer, p.first, "makes %d kills in %.0f s", p.several, math.Ceil(k.Time-r.List[p.first].Time))
		}
		if k.hull <= closeHull {
			add(k.Time, "close fight", k.Killer, i, "wins with a hull of %.0f %%", 100*k.hull)
		}
		if k.Victim >= 0 && p.avenge == k.Victim+1 && k.Time-p.died <= revengeTime {
			add(k.Time, "revenge", k.Killer, i, "takes revenge %.0f s after dying", k.Time-p.died)
			p.avenge = 0
		}
		if p.series++; p.series == 3 || p.series%5 == 0 {
			add(k.Time, "series", k.Killer, i, "has %d kills without a death", p.series)
		}
	}
	if worst := slices.MaxFunc(append(r.rows, row{}), func(a, b row) int { return cmp.Compare(a.worst.points, b.worst.points) }); worst.worst.points > 0 {
		list = list[:min(len(list), maxHighlights-1)]
		add(worst.worst.at, "heaviest damage", worst.Index, -1, "loses %s points of shields and hull in %.0f s", Whole(worst.worst.points), burstTime)
	}
	slices.SortStableFunc(list, func(a, b Highlight) int { return cmp.Compare(a.Time, b.Time) })
	return list
}

// clip returns a text in one line, with at most maxText bytes.
func clip(s string) string { return terminal.Clip(terminal.Line(s), maxText) }

// teamOf returns the team of a player, or -1.
func teamOf(p *match.Player) int {
	if p.Team == opcode.TeamNone {
		return -1
	}
	return int(p.Team)
}

// colours is the number of colours of players.
const colours = 16

// colourOf returns the colour of a player in the file: a team has one colour.
func colourOf(p *match.Player) int {
	switch {
	case p.Team < colours:
		return int(p.Team)
	case p.Slot.Valid():
		return int(p.Slot)
	case p.PeerID > objectid.Host:
		return int(p.PeerID-2) % colours
	}
	return -1
}
