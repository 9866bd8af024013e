package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
)

// maxLines is the limit of the first four answers.
const maxLines = 10

// League returns the rows of the answers of examples/lab/cluster/league.md, by the heading.
func (r *Recordings) League() map[string][][]string {
	return map[string][][]string{
		"Ranking by wins":                 r.ranking(),
		"Use of weapons":                  r.weapons(),
		"Accuracy of players":             r.accuracy(),
		"Ping":                            r.ping(),
		"Speed above the class's":         r.fast(),
		"Rate of fire above the weapon's": r.rapid(),
	}
}

// digits returns a number with six digits.
func digits(v float64) string { return fmt.Sprintf("%.6g", v) }

func (h *happened) ranking() [][]string {
	kills := map[[2]string]map[string]int{} // of the players of a match
	for _, e := range h.events {
		if e.Kind != match.Kill || e.Killer == "" {
			continue
		}
		of := [2]string{e.source, fmt.Sprint(e.Match)}
		if kills[of] == nil {
			kills[of] = map[string]int{}
		}
		kills[of][e.Killer]++
	}
	all := map[[2]string][]int{}
	for _, players := range kills {
		most := 0
		for _, n := range players {
			most = max(most, n)
		}
		for player, n := range players {
			won := 0
			if n == most {
				won = 1
			}
			counted(all, [2]string{player}, won, n)
		}
	}
	list := lines(all, func(k [2]string) []string { return k[:1] }, func(a, b []string) int {
		return cmp.Or(descending(a[1], b[1]), descending(a[2], b[2]), cmp.Compare(a[0], b[0]))
	})
	return list[:min(maxLines, len(list))]
}

func (h *happened) weapons() [][]string {
	all := map[[2]string][]int{}
	for _, e := range h.events {
		if e.Kind == match.Fire {
			system, _, _ := strings.Cut(orNull(e.Weapon), " / ")
			counted(all, [2]string{system}, 1)
		}
	}
	list := lines(all, func(k [2]string) []string { return k[:1] }, func(a, b []string) int {
		return cmp.Or(descending(a[1], b[1]), nullsLast(a, b))
	})
	return list[:min(maxLines, len(list))]
}

func (h *happened) accuracy() (list [][]string) {
	type victim struct {
		source string
		match  int
		player string
	}
	damage := map[victim][]float64{}
	for _, e := range h.events {
		if e.Kind == match.Damage {
			v := victim{e.source, e.Match, e.Player}
			damage[v] = append(damage[v], e.Time.Seconds())
		}
	}
	shots, hits := map[string]float64{}, map[string]float64{}
	for _, e := range h.events {
		if e.Kind != match.Fire || e.Target == "" || e.Player == "" {
			continue
		}
		shots[e.Player]++
		at := e.Time.Seconds()
		if slices.ContainsFunc(damage[victim{e.source, e.Match, e.Target}], func(t float64) bool { return t >= at && t <= at+3 }) {
			hits[e.Player]++
		}
	}
	percent := func(player string) float64 { return math.Round(1000*hits[player]/shots[player]) / 10 }
	for player, n := range shots {
		if n >= 20 {
			list = append(list, []string{player, fmt.Sprint(n), digits(percent(player))})
		}
	}
	slices.SortFunc(list, func(a, b []string) int {
		return cmp.Or(cmp.Compare(percent(b[0]), percent(a[0])), cmp.Compare(a[0], b[0]))
	})
	return list[:min(maxLines, len(list))]
}

func (f *facts) ping() (list [][]string) {
	times := f.acks()
	// quantile interpolates between two times.
	quantile := func(player string, q float64) float64 {
		all := times[player]
		at, rest := math.Modf(q * float64(len(all)-1))
		lower := all[int(at)]
		upper := all[min(int(at)+1, len(all)-1)]
		return math.Round((lower+(upper-lower)*rest)*10) / 10
	}
	for player := range times {
		list = append(list, []string{player, digits(quantile(player, 0.5)), digits(quantile(player, 0.95))})
	}
	slices.SortFunc(list, func(a, b []string) int {
		return cmp.Or(cmp.Compare(quantile(b[0], 0.5), quantile(a[0], 0.5)), cmp.Compare(a[0], b[0]))
	})
	return list[:min(maxLines, len(list))]
}

// excess is a line of an answer, and its share of a limit.
type excess struct {
	line  []string
	share float64
}

// inOrder returns lines with the greatest shares first.
func inOrder(all []excess) (list [][]string) {
	slices.SortFunc(all, func(a, b excess) int {
		return cmp.Or(cmp.Compare(b.share, a.share), slices.Compare(a.line[:2], b.line[:2]), cmp.Compare(a.line[3], b.line[3]))
	})
	for _, x := range all {
		list = append(list, x.line)
	}
	return list
}

func (h *happened) fast() [][]string {
	type ship struct{ source, player, class string }
	updates, most := map[ship]int{}, map[ship]float64{}
	for _, u := range h.updates {
		class := stateupdate.Stock().Named(u.class)
		if class != nil && u.speed > 1.1*class.Physics().MaxSpeed {
			s := ship{u.source, orNull(u.player), u.class}
			updates[s]++
			most[s] = max(most[s], u.speed)
		}
	}
	var all []excess
	for s, n := range updates {
		if fastest := stateupdate.Stock().Named(s.class).Physics().MaxSpeed; n >= 20 {
			line := []string{s.source, s.player, s.class, fmt.Sprint(n), digits(math.Round(most[s]*100) / 100), digits(fastest)}
			all = append(all, excess{line, most[s] / fastest})
		}
	}
	return inOrder(all)
}

// loading returns the most shots of a weapon in a minute, if the class limits them.
func loading(class, weapon string) (most float64, ok bool) {
	c := stateupdate.Stock().Named(class)
	if c == nil {
		return 0, false
	}
	i := 0 // of Physics().Parts
	for _, system := range c.Subsystems {
		i++
		for _, child := range system.Children {
			w := c.Physics().Parts[i].Weapon
			i++
			switch {
			case weapon != system.Name+" / "+child.Name || w == nil:
			case w.ReloadDelay > 0:
				return float64(w.MaxReady) + math.Floor(60/w.ReloadDelay), true
			case w.Cooldown > 0:
				return 1 + math.Floor(60/w.Cooldown), true
			}
		}
	}
	return 0, false
}

func (h *happened) rapid() [][]string {
	type gun struct {
		source       string
		match        int
		ship, weapon string
	}
	times := map[gun][]float64{} // of shots, in ascending order
	type candidate struct{ source, player, class, weapon string }
	shots := map[candidate]int{}
	for _, e := range h.events {
		if e.Kind != match.Fire {
			continue
		}
		g, now := gun{e.source, e.Match, e.Ship.String(), orNull(e.Weapon)}, e.Time.Seconds()
		times[g] = append(times[g], now)
		within := 0
		for _, t := range times[g] {
			if t >= now-60 {
				within++
			}
		}
		if most, ok := loading(e.Class, e.Weapon); ok && float64(within) > most {
			c := candidate{e.source, orNull(e.Player), e.Class, e.Weapon}
			shots[c] = max(shots[c], within)
		}
	}
	var all []excess
	for c, n := range shots {
		most, _ := loading(c.class, c.weapon)
		all = append(all, excess{[]string{c.source, c.player, c.class, c.weapon, fmt.Sprint(n), digits(most)}, float64(n) / most})
	}
	return inOrder(all)
}
