package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// overlap is for how many seconds two connections of one person may both be in use: after a crash, a slow network still
// delivers what the first one has sent. Two players with one name play together for longer.
const overlap = 25.0

// persons joins the connections of each person, and returns for each connection the index of its person. A person has an
// alias, or else the name without the suffix of the host. Connections that are used at once are of two persons.
func (c *collector) persons(aliases map[string]string) (all []row, person []int) {
	person = make([]int, len(c.rows))
	var joined [][]*row // connections of persons
	for i, x := range c.rows {
		name := x.alias(aliases)
		at := slices.IndexFunc(joined, func(rows []*row) bool {
			return name != "" && rows[0].alias(aliases) == name && !slices.ContainsFunc(rows, x.overlaps)
		})
		if at < 0 {
			own := *x
			own.ends(c.end)
			own.samples, own.Ships, own.Index = slices.Clone(x.samples), slices.Clone(x.Ships), len(all)
			if name != "" && !slices.ContainsFunc(all, func(y row) bool { return y.Name == name }) {
				own.Name = name
			}
			own.Connections, own.accounts = []string{x.Name}, map[string]Told{x.fullName: x.Told}
			person[i], all, joined = len(all), append(all, own), append(joined, []*row{x})
			continue
		}
		person[i], joined[at] = at, append(joined[at], x)
		all[at].join(x, c.end)
	}
	for i := range all {
		x := &all[i]
		if x.Ping = x.ping(); len(x.Connections) == 1 {
			x.Connections = nil
		}
	}
	return all, person
}

// alias returns the name of the person, or "" if it is unknown.
func (r *row) alias(aliases map[string]string) string {
	for _, name := range []string{r.fullName, base(r.fullName)} {
		if alias, ok := aliases[name]; ok {
			return clip(alias)
		}
	}
	return clip(base(r.fullName))
}

// base returns a name without what a host adds to it while another player has it, such as " (2)". Package regexp would be
// a twentieth of the page in the browser.
func base(name string) string {
	i := strings.LastIndex(name, " (")
	if i < 1 {
		return name
	}
	digits, closed := strings.CutSuffix(name[i+2:], ")")
	if n, err := strconv.Atoi(digits); closed && err == nil && n >= 2 && digits == strconv.Itoa(n) {
		return name[:i]
	}
	return name
}

// overlaps reports whether two connections were in use at once.
func (r *row) overlaps(x *row) bool {
	sum := 0.0
	for _, a := range r.spans {
		for _, b := range x.spans {
			sum += max(0, min(a.end, b.end)-max(a.begin, b.begin))
		}
	}
	return sum > overlap
}

// join adds a later connection of the same person. The host has an account of scores for each name.
func (r *row) join(x *row, end float64) {
	own := *x
	own.ends(end)
	r.Peer, r.Colour, r.Team = own.Peer, own.Colour, own.Team
	r.accounts[own.fullName] = own.Told
	r.Told = Told{}
	for _, told := range r.accounts {
		r.Told = Told{r.Told.Kills + told.Kills, r.Told.Deaths + told.Deaths, r.Told.Score + told.Score}
	}
	r.Connections = append(r.Connections, own.Name)
	for _, ship := range own.Ships {
		if !slices.Contains(r.Ships, ship) && len(r.Ships) < maxSets {
			r.Ships = append(r.Ships, ship)
		}
	}
	r.Kills, r.Deaths, r.Shots, r.Torpedoes = r.Kills+own.Kills, r.Deaths+own.Deaths, r.Shots+own.Shots, r.Torpedoes+own.Torpedoes
	r.Given, r.ShieldsLost, r.HullLost, r.Alive = r.Given+own.Given, r.ShieldsLost+own.ShieldsLost, r.HullLost+own.HullLost, r.Alive+own.Alive
	if own.worst.points > r.worst.points {
		r.worst = own.worst
	}
	for i := range r.trips {
		r.trips[i].sum += own.trips[i].sum
		r.trips[i].count += own.trips[i].count
	}
	r.samples = append(r.samples, own.samples...)
	slices.SortStableFunc(r.samples, func(a, b sample) int { return cmp.Compare(a.at, b.at) })
}

// hits returns what players have done to each other.
func (c *collector) hits(person []int) (all []Hit) {
	type key struct {
		by, of int
		weapon string
	}
	sums := map[key]*Hit{}
	for p, t := range c.pairs {
		by := p.by
		if by >= 0 {
			by = person[by]
		}
		weapon, _, _ := strings.Cut(p.weapon, " / ")
		k := key{by, person[p.of], weapon}
		if sums[k] == nil {
			sums[k] = &Hit{By: k.by, Of: k.of, Weapon: weapon}
		}
		x := sums[k]
		x.Shots, x.Hits, x.Points = x.Shots+t.shots, x.Hits+t.hits, x.Points+t.points
	}
	for _, x := range slices.Collect(maps.Values(sums)) {
		if x.Shots > 0 || x.Points > 0 {
			x.Points = math.Round(1000*x.Points) / 1000
			all = append(all, *x)
		}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.By, b.By), cmp.Compare(b.Points, a.Points), cmp.Compare(b.Shots, a.Shots), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Weapon, b.Weapon))
	})
	return all
}
