package report

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
)

// HTML returns the report as a part of a page, without scripts. A file gets links that need no script. The page of the
// program gets buttons, too, and its script finds what to do in their attributes:
//
//	data-player   index of the player whose colour the element has
//	data-show     show this time on the map
//	data-kill     show the death with this number
//	data-next     show the next kill of this player
//	data-table    save this table
func (r *Report) HTML(forPage bool) string {
	w := writer{r, forPage}
	summary := r.Line() + "."
	if r.Reason != "" {
		summary += " The match has ended: " + r.Reason + "."
	}
	if len(r.Omitted) > 0 {
		summary += " A report has only the first " + strings.Join(r.Omitted, " and ") + "."
	}
	var maps markup
	if len(r.Maps) > 0 {
		maps = section("Map", each(r.Maps, w.picture))
	}
	return string(h(`<p class="report-summary">%s</p>`, summary) + section("Scoreboard", w.scoreboard()) + section("Highlights", w.highlights()) +
		section("Kills", w.kills()) + section("Who hit whom", w.hits()) + maps + section("Players over time", w.overTime()) + section("Tables", h(`<p class="report-tables">%s</p>`, each(Tables[:], w.table))))
}

// Line describes a match in a line.
func (s *Summary) Line() string {
	return fmt.Sprintf("%s to %s, %s, %s", clockText(s.Start), clockText(s.End), plural(s.Players, "player"), plural(s.Deaths, "death"))
}

// Names returns the names of the players by their indices.
func (r *Report) Names() (all []string) {
	for i := range r.rows {
		all = append(all, r.rows[i].Name)
	}
	return all
}

// markup is HTML.
type markup string

// escaper escapes texts and quoted values of attributes. Package html does the same, but would bring the names of
// 2,000 characters into the worker, and html/template 900 kB.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// h formats HTML as [fmt.Sprintf] does. It escapes everything that is neither markup nor a number.
func h(format string, args ...any) markup {
	for i, a := range args {
		switch a.(type) {
		case markup, int, float64:
		default:
			args[i] = escaper.Replace(fmt.Sprint(a))
		}
	}
	return markup(fmt.Sprintf(format, args...))
}

// each returns the markup of all values.
func each[T any](all []T, f func(*T) markup) markup {
	var b strings.Builder
	for i := range all {
		b.WriteString(string(f(&all[i])))
	}
	return markup(b.String())
}

func section(title string, content markup) markup {
	return h("<section><h3>%s</h3>%s</section>\n", title, content)
}

// writer writes a report.
type writer struct {
	*Report
	forPage bool
}

// scroll returns a table in a region that scrolls. The heads are separated by bars.
func (w *writer) scroll(title, class, heads string, rows markup) markup {
	head := each(strings.Split(heads, "|"), func(text *string) markup { return h(`<th scope="col">%s</th>`, *text) })
	return h("<div class=\"report-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s of match %d\">\n<table class=\"%s\"><thead><tr>%s</tr></thead><tbody>\n%s</tbody></table></div>\n",
		title, w.Match+1, class, head, rows)
}

// of returns the attributes of an element in the colour of a player, who may be unknown.
func (w *writer) of(player int, class string) markup {
	if player < 0 {
		return h(` class="%s"`, class)
	}
	return h(` class="%s own-%d" data-player="%d"`, class, w.rows[player].Colour, player)
}

func (w *writer) name(player int, name string) markup {
	return h(`<bdi%s>%s</bdi>`, w.of(player, "report-name"), name)
}

func (w *writer) swatch(player int) markup {
	return h(`<span%s aria-hidden="true"></span>`, w.of(player, "swatch"))
}

// link returns the beginning of a link to a death.
func (w *writer) link(kill int, label string) markup {
	return h(`<a href="#match-%d-kill-%d" data-kill="%[2]d" aria-label="%[3]s">`, w.Match, kill, label)
}

// moment returns a button that shows a time on the map, or a link to the page of a league, or the time.
func (w *writer) moment(t float64) markup {
	if w.forPage {
		return h(`<button type="button" class="small report-time" data-show="%v" aria-label="Show %s on the map">%[2]s</button>`, t, clockText(t))
	}
	if w.Watch != "" {
		return h(`<a class="report-time" href="%s#t=%.3f&amp;view=radar" aria-label="Watch %s">%[3]s</a>`, w.Watch, t, clockText(t))
	}
	return h(`<span class="report-time">%s</span>`, clockText(t))
}

// note returns what the figures of the scoreboard are.
func (w *writer) note() markup {
	cause := markup(`No message names its cause: it counts for the announced killer, for the other ship of a collision within a second, or for the last ` +
		`shot within 15 s from the side of the face, and else for nobody.`)
	if w.Logged {
		cause = `Damage given is that of the hits in the log of damage of the server.`
	}
	return h(`<p class="report-note">Kills and deaths are those in the recording, with the number of the host in brackets if it differs. `+
		`The host announces the score. Shots include torpedoes. Damage is in points of shields and hull. %s `+
		`Ping is measured where the match was recorded, for players whose link was recorded.</p>`, cause)
}

// joined tells which connections are of one player.
func (w *writer) joined() markup {
	return each(w.Scores, func(p *Player) markup {
		if p.Connections == nil {
			return ""
		}
		others := markup("")
		for _, name := range p.Connections {
			if name != p.Name {
				others += h(", as <bdi>%s</bdi>", name)
			}
		}
		return h("<p class=\"report-note\">%s has joined %d times%s.</p>\n", w.name(p.Index, p.Name), len(p.Connections), others)
	})
}

// hits returns the table of who has hit whom.
func (w *writer) hits() markup {
	if len(w.Hits) == 0 {
		return `<p class="report-none">No shot at a player, and no damage that has a known cause.</p>`
	}
	text := markup(`<p class="report-note">A shot has hit if it is the cause of damage, as above. A shot whose damage another one covers is a miss.</p>`)
	switch {
	case w.Logged:
		text = `<p class="report-note">From the log of damage of the server: the points of each hit that shields and ship have taken, also what the ship no longer had.</p>`
	case !w.Damage:
		text = `<p class="report-note">No link of this recording shows damage.</p>`
	}
	player := func(i int) markup {
		if i < 0 {
			return "nobody"
		}
		return w.swatch(i) + w.name(i, w.rows[i].Name)
	}
	return w.scroll("Who hit whom", "report-hits", "Player|Target|Weapon|Shots|Hits|Accuracy|Damage", each(w.Hits, func(x *Hit) markup {
		shots, hits, accuracy := "", "", ""
		if x.Shots > 0 {
			shots, hits, accuracy = fmt.Sprint(x.Shots), fmt.Sprint(x.Hits), percent(x.Hits, x.Shots)
		}
		return h("<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td>", player(x.By), player(x.Of), cmp.Or(x.Weapon, "unknown")) +
			h("<td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", shots, hits, accuracy, Whole(x.Points))
	})) + text
}

func percent(part, all int) string { return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all)) }

func (w *writer) scoreboard() markup {
	heads := "Player|Ships|Kills|Deaths|Score|Shots|Torpedoes|Damage given|Shields lost|Hull lost|Time alive|Ping"
	if w.forPage {
		heads += "|Jump"
	}
	return w.scroll("Scoreboard", "report-scores", heads, each(w.Scores, func(p *Player) markup {
		ping, jump := "–", markup("")
		if p.Ping > 0 {
			ping = Whole(p.Ping) + " ms"
		}
		if w.forPage && p.Kills > 0 {
			jump = h(`<td><button type="button" class="small" data-next="%d" aria-label="Next kill of %s">Next kill</button></td>`, p.Index, p.Name)
		} else if w.forPage {
			jump = "<td></td>"
		}
		return h(`<tr><th scope="row">%s%s</th><td>%s</td>`, w.swatch(p.Index), w.name(p.Index, p.Name), cmp.Or(strings.Join(p.Ships, ", "), "–")) +
			h("<td>%s</td><td>%s</td><td>%s</td><td>%d</td><td>%d</td>", counted(p.Kills, p.Told.Kills), counted(p.Deaths, p.Told.Deaths), Whole(float64(p.Told.Score)), p.Shots, p.Torpedoes) +
			h("<td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td>%s</tr>\n", Whole(p.Given), Whole(p.ShieldsLost), Whole(p.HullLost), clockText(p.Alive), ping, jump)
	})) + w.joined() + w.note()
}

func (w *writer) highlights() markup {
	if len(w.Highlights) == 0 {
		return `<p class="report-none">None.</p>`
	}
	return h("<ul class=\"report-moments\">\n%s</ul>", each(w.Highlights, func(x *Highlight) markup {
		kind := h("%s", x.Kind)
		if x.Kill >= 0 {
			kind = w.link(x.Kill, fmt.Sprintf("%s, no. %d", x.Kind, x.Kill+1)) + kind + "</a>"
		}
		return h("<li>%s<span class=\"report-kind\">%s</span><span class=\"report-text\">%s %s</span></li>\n", w.moment(x.Time), kind, w.name(x.Player, x.Name), x.Text)
	}))
}

func (w *writer) kills() markup {
	if len(w.List) == 0 {
		return `<p class="report-none">Nobody has died.</p>`
	}
	return w.scroll("Kills", "report-kills", "No.|Time|Kill|Weapon|Time to kill|Last 15 s|Next kill", each(w.List, func(k *Kill) markup {
		what, class, next, after := h("%s explodes", w.name(k.Victim, k.Of)), "", markup("–"), ""
		unknown := "unknown"
		if k.Reason != "" {
			unknown = ""
			what += h(": <bdi>%s</bdi>", k.Reason)
		}
		if !math.IsNaN(k.After) {
			after = fmt.Sprintf("%.1f s", k.After)
		}
		if k.By != "" {
			what = h("%s destroys %s", w.name(k.Killer, k.By), w.name(k.Victim, k.Of))
		}
		if k.Class != "" && k.Class != k.Of {
			class = " (" + k.Class + ")"
		}
		if k.Next >= 0 {
			next = w.link(k.Next, fmt.Sprintf("Next kill of %s, no. %d", k.By, k.Next+1)) + h("no. %d</a>", k.Next+1)
		}
		return h(`<tr id="match-%d-kill-%d" tabindex="-1" data-t="%v" data-killer="%d">`, w.Match, k.Number, k.Time, k.Killer) +
			h("<td>%d</td><td>%s</td><td>%s%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", k.Number+1, w.moment(k.Time), what, class, cmp.Or(k.Weapon, unknown), after, w.end(k), next)
	}))
}

// end tells what a ship has lost in its last seconds.
func (w *writer) end(k *Kill) markup {
	if len(k.Last) == 0 {
		return ""
	}
	return h("<details><summary>%s</summary><ul>%s</ul></details>", plural(len(k.Last), "loss", "losses"), each(k.Last, func(x *Loss) markup {
		text := h("%.1f s before: %s %d %% to %d %%", k.Time-x.Time, x.Part, x.From, x.To)
		if x.By >= 0 {
			text += h(", %s", w.name(x.By, w.rows[x.By].Name))
		}
		if x.Weapon != "" {
			text += h(", %s", x.Weapon)
		}
		if !math.IsNaN(x.Distance) {
			text += h(", from %s units", Whole(x.Distance))
		}
		return h("<li>%s</li>", text)
	}))
}

// picture returns a map.
func (w *writer) picture(m *Map) markup {
	class := "report-map"
	if m.many() {
		class += " many"
	}
	return h("<figure><figcaption><bdi>%s</bdi>, from above. A cross is a death, with its number in the list of kills if there is room.</figcaption>\n", cmp.Or(m.Set, "Star system")) +
		h("<svg class=\"%s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Map of %s: where ships were, and where they died\">\n", class, MapWidth, MapHeight, cmp.Or(m.Set, "the star system")) +
		each(m.Tracks, func(t *Track) markup { return h("<path%s d=\"%s\"/>\n", w.of(t.Player, "report-track"), t.Path) }) +
		each(m.Deaths, func(d *Death) markup {
			number := markup("")
			switch d.Side {
			case 1:
				number = h(`<text x="11" y="5">%d</text>`, d.Kill+1)
			case -1:
				number = h(`<text x="-11" y="5" text-anchor="end">%d</text>`, d.Kill+1)
			}
			return h(`<g%s transform="translate(%v %v)" data-kill="%d">`, w.of(w.List[d.Kill].Victim, "report-death"), d.X, d.Y, d.Kill) +
				h("<title>no. %d</title><path d=\"M-7 -7L7 7M7 -7L-7 7\"/>%s</g>\n", d.Kill+1, number)
		}) +
		h(`<path class="report-bar" d="M%v 540v8h%vv-8"/>`, MapWidth-20-m.Bar, m.Bar) +
		h("<text class=\"report-bar-text\" x=\"880\" y=\"534\" text-anchor=\"end\">%s units</text></svg>\n", Whole(m.Length)) +
		h("<ul class=\"report-legend\">%s</ul></figure>\n", each(m.Tracks, func(t *Track) markup {
			return h("<li>%s<bdi>%s</bdi></li>", w.swatch(t.Player), w.rows[t.Player].Name)
		}))
}

// overTime returns the plots of the players who have any.
func (w *writer) overTime() markup {
	figures := each(w.Scores, func(p *Player) markup {
		if !slices.ContainsFunc(p.Plots, func(plot Plot) bool { return plot.Path != "" }) {
			return ""
		}
		return h("<figure%s><figcaption>%s%s</figcaption>\n", w.of(p.Index, "report-player"), w.swatch(p.Index), w.name(p.Index, p.Name)) +
			each(p.Plots, func(plot *Plot) markup {
				line := markup(`<span class="report-none">unknown</span>`)
				if plot.Path != "" {
					line = h(`<svg viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s of %s over time">`, PlotWidth, PlotHeight, plot.Title, p.Name) +
						h(`<path class="report-line" d="%s"/><path class="report-now" d="M0 0V%d"/></svg>`, plot.Path, PlotHeight)
				}
				return h("<div class=\"report-plot\"><span>%s, %s to %s %s</span>%s</div>\n", plot.Title, Whole(plot.Low), Whole(plot.Top), plot.Unit, line)
			}) +
			h("<div class=\"report-axis\"><span>%s</span><span>%s</span></div></figure>\n", clockText(w.Start), clockText(w.End))
	})
	if figures == "" {
		return `<p class="report-none">No ship has moved.</p>`
	}
	return h(`<div class="report-plots">%s</div>`, figures)
}

// table returns a button that saves a table, or a link that has it.
func (w *writer) table(t *Table) markup {
	if w.forPage {
		return h("<button type=\"button\" class=\"small\" data-table=\"%s\">%s (CSV)</button>\n", t.Name, t.Title)
	}
	return h("<a download=\"match-%d-%s.csv\" href=\"data:text/csv;charset=utf-8;base64,%s\">%s (CSV)</a>\n", w.Match+1, t.Name, base64.StdEncoding.EncodeToString([]byte(w.CSV(t.Name))), t.Title)
}

// clockText returns a time as the page does: 1:02.5, or 1:02:03.5 from an hour on.
func clockText(seconds float64) string {
	sign, ticks := "", int64(math.Round(math.Abs(seconds)*10))
	if seconds < 0 && ticks > 0 {
		sign = "−"
	}
	if s := ticks / 10; s >= 3600 {
		return fmt.Sprintf("%s%d:%02d:%02d.%d", sign, s/3600, s/60%60, s%60, ticks%10)
	}
	return fmt.Sprintf("%s%d:%02d.%d", sign, ticks/600, ticks/10%60, ticks%10)
}

// counted returns a number of the recording, and what the host has announced if that differs.
func counted(n int, told int32) string {
	if n == int(told) {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%d)", n, told)
}

// Whole returns a whole number as the page shows it: 52,297.
func Whole(x float64) string {
	s := fmt.Sprintf("%.0f", x)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return strings.Replace(s, "-", "−", 1)
}

func plural(n int, word string, more ...string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %s", n, append(more, word+"s")[0])
}
