package league

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/watch/internal/report"
)

//go:embed site.html
var siteHTML string

//go:embed sort.js
var sortJS []byte

//go:embed league.css
var leagueCSS string

// pageSize is the number of matches on a page, and on the page of a player.
const pageSize = 300

// Person is a player over all matches.
type Person struct {
	Name, File              string
	Matches, Wins           int
	Kills, Deaths           int
	Shots, Aimed, Hits      int // Aimed: shots at a player
	Given, Lost             float64
	Rating                  Rating
	Names                   []string // of connections
	Ships, Weapons          []Share
	Killed, KilledBy        []Share
	Games                   []Game // the last ones, the latest first
	ratings                 []rated
	ships, weapons, victims map[string]int
	killers, names          map[string]int
}

// Share is a number of something.
type Share struct {
	Name  string
	Count int
}

// Game is a match of a person.
type Game struct {
	*Match
	Own *Player
}

// Accuracy returns the share of the shots at players that have hit, in per cent.
func (p *Person) Accuracy() string {
	if p.Aimed == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", 100*float64(p.Hits)/float64(p.Aimed))
}

// persons returns all players, the best first.
func persons(all []*Match) []*Person {
	byName := map[string]*Person{}
	of := func(name string) *Person {
		if byName[name] == nil {
			byName[name] = &Person{
				Name: name, File: fileOf(name), Rating: Rating{firstRating, most},
				ships: map[string]int{}, weapons: map[string]int{}, victims: map[string]int{}, killers: map[string]int{}, names: map[string]int{},
			}
		}
		return byName[name]
	}
	for _, m := range all {
		for i := range m.Players {
			x := &m.Players[i]
			if x.Nameless {
				continue
			}
			p := of(x.Name)
			p.Matches++
			if x.Won {
				p.Wins++
			}
			p.Kills, p.Deaths, p.Shots = p.Kills+int(x.Kills), p.Deaths+int(x.Deaths), p.Shots+int(x.Shots)
			p.Given, p.Lost = p.Given+x.Given, p.Lost+x.ShieldsLost+x.HullLost
			p.Rating = Rating{x.Rating, x.Deviation}
			p.ratings = append(p.ratings, rated{m.Date, x.Rating})
			p.Games = append(p.Games, Game{m, x})
			for ship := range strings.SplitSeq(x.Ships, ", ") {
				p.ships[ship]++
			}
			for name := range strings.SplitSeq(x.Connections, ", ") {
				p.names[name]++
			}
		}
		for _, k := range m.Kills {
			if k.Killer != "" {
				of(k.Killer).victims[k.Victim]++
				of(k.Victim).killers[k.Killer]++
			}
		}
		for _, h := range m.Hits {
			if h.Player != "" && h.Shots > 0 {
				p := of(h.Player)
				p.Aimed, p.Hits = p.Aimed+int(h.Shots), p.Hits+int(h.Hits)
				p.weapons[cmp.Or(h.Weapon, "unknown")] += int(h.Shots)
			}
		}
	}
	sorted := slices.SortedFunc(maps.Values(byName), func(a, b *Person) int {
		return cmp.Or(cmp.Compare(b.Rating.Value, a.Rating.Value), cmp.Compare(a.Name, b.Name))
	})
	sorted = slices.DeleteFunc(sorted, func(p *Person) bool { return p.Matches == 0 })
	for _, p := range sorted {
		slices.Reverse(p.Games)
		p.Games = p.Games[:min(len(p.Games), pageSize)]
		p.Ships, p.Weapons, p.Killed, p.KilledBy = shares(p.ships), shares(p.weapons), shares(p.victims), shares(p.killers)
		delete(p.names, p.Name)
		for _, s := range shares(p.names) {
			p.Names = append(p.Names, s.Name)
		}
	}
	return sorted
}

// shares returns the numbers of something, the largest first.
func shares(counts map[string]int) (all []Share) {
	for name, n := range counts {
		if name != "" {
			all = append(all, Share{name, n})
		}
	}
	slices.SortFunc(all, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	return all
}

// fileOf returns the name of the page of a player. Names differ that only a file system finds equal.
func fileOf(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return r
		}
		return '-'
	}, name)
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), 40)] + "-" + hex.EncodeToString(sum[:4]) + ".html"
}

// listPage is a page of the list of matches.
type listPage struct {
	Matches      []*Match
	People       []*Person // on the first page
	Activity     Activity  // on the first page
	Number, Last int       // of the page
	Total        int
	Tables       []string
}

// Pages returns the numbers of all pages.
func (p *listPage) Pages() (all []int) {
	for i := range p.Last {
		all = append(all, i+1)
	}
	return all
}

// writePages writes all pages but the reports.
func (o *Options) writePages(all []*Match, people []*Person) error {
	files := map[string]string{}
	for _, p := range people {
		files[p.Name] = p.File
	}
	t, err := template.New("site").Funcs(template.FuncMap{
		"points":   report.Whole,
		"score":    func(n int32) string { return report.Whole(float64(n)) },
		"whole":    func(x float64) string { return fmt.Sprintf("%.0f", x) },
		"day":      func(t time.Time) string { return t.Format("2006-01-02 15:04") },
		"date":     func(t time.Time) string { return t.Format("2006-01-02") },
		"plot":     plotOf,
		"only":     func(p *Person) []*Person { return []*Person{p} },
		"duration": func(s float64) string { return fmt.Sprintf("%d:%02d", int(s)/60, int(s)%60) },
		"recorded": published,
		"escape":   url.PathEscape, // also of # and %
		"inc":      func(n int32) int32 { return n + 1 },
		"page":     func(name string) string { return files[name] },
		"list": func(n int) string {
			if n == 1 {
				return "index.html"
			}
			return fmt.Sprintf("matches-%d.html", n)
		},
		"css": func() template.CSS { return template.CSS(o.Style + leagueCSS) },
	}).Parse(siteHTML)
	if err != nil {
		return err
	}
	write := func(name, part string, data any) error {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, part, data); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(o.Site, name), b.Bytes(), 0o644)
	}
	latest := slices.Clone(all)
	slices.Reverse(latest)
	last := (len(latest) + pageSize - 1) / pageSize
	for n := 1; n <= last && err == nil; n++ {
		p := &listPage{Matches: latest[(n-1)*pageSize : min(n*pageSize, len(latest))], Number: n, Last: last, Total: len(all), Tables: tables}
		name := fmt.Sprintf("matches-%d.html", n)
		if n == 1 {
			name, p.People, p.Activity = "index.html", people, activityOf(all)
		}
		err = write(name, "list", p)
	}
	for n := last + 1; os.Remove(filepath.Join(o.Site, fmt.Sprintf("matches-%d.html", n))) == nil; n++ { // of earlier runs
	}
	for _, p := range people {
		if err == nil {
			err = write(filepath.Join("players", p.File), "player", p)
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(o.Site, "sort.js"), sortJS, 0o644)
	}
	return err
}
