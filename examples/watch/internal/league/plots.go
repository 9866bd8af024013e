package league

import (
	"fmt"
	"math"
	"time"
)

// Sizes of plots in their own units, as in package report: the page stretches them.
const plotWidth, plotHeight = 600, 160

// maxLines is the number of players in the plot of the list, the best ones.
const maxLines = 8

// maxBars is the largest number of bars of the activity.
const maxBars = 62

// rated is the rating of a player after a match.
type rated struct {
	at    time.Time
	value float64
}

// Plot is the ratings of some players over time.
type Plot struct {
	Lines     []Line
	Low, High float64
	From, To  time.Time
}

// Line is the line of a player. It begins with the rating before the first match.
type Line struct {
	*Person
	Colour int // of a class of the report
	Path   string
}

// plotOf returns the plot of the first players.
func plotOf(people []*Person) (p Plot) {
	people = people[:min(len(people), maxLines)]
	p.Low, p.High, p.From, p.To = firstRating, firstRating, people[0].ratings[0].at, people[0].ratings[0].at
	for _, x := range people {
		for _, r := range x.ratings {
			p.Low, p.High = min(p.Low, r.value), max(p.High, r.value)
			if r.at.Before(p.From) {
				p.From = r.at
			}
			if r.at.After(p.To) {
				p.To = r.at
			}
		}
	}
	span := max(1, p.To.Sub(p.From).Seconds())
	for i, x := range people {
		last, path := "", ""
		to := func(r rated) {
			at := fmt.Sprintf("%.0f %.0f", plotWidth*r.at.Sub(p.From).Seconds()/span, 5+(plotHeight-10)*(p.High-r.value)/max(1, p.High-p.Low))
			if at != last {
				path += "L" + at
			}
			last = at
		}
		to(rated{x.ratings[0].at, firstRating})
		for _, r := range x.ratings {
			to(r)
		}
		p.Lines = append(p.Lines, Line{x, i, "M" + path[1:]})
	}
	return p
}

// Activity is the number of matches over time.
type Activity struct {
	Unit     string // day, week, month or year
	Bars     []Bar
	Most     int
	From, To time.Time
}

// Bar is the number of matches in a unit.
type Bar struct {
	X, Y, Width, Height float64
	Begin               time.Time
	Count               int
}

// units are the lengths of a bar. Weeks begin on Monday.
var units = []struct {
	name        string
	begin, next func(t time.Time) time.Time
}{
	{"day", func(t time.Time) time.Time { return date(t, t.Month(), t.Day()) }, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	{"week", func(t time.Time) time.Time { return date(t, t.Month(), t.Day()-int(t.Weekday()+6)%7) }, func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }},
	{"month", func(t time.Time) time.Time { return date(t, t.Month(), 1) }, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
	{"year", func(t time.Time) time.Time { return date(t, 1, 1) }, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
}

func date(t time.Time, month time.Month, day int) time.Time {
	return time.Date(t.Year(), month, day, 0, 0, 0, 0, time.UTC)
}

// activityOf returns the matches over time, in the shortest unit with at most maxBars bars. Years before the last
// ones are left out. The matches are in the order of time.
func activityOf(all []*Match) (a Activity) {
	first, last := all[0].Date, all[len(all)-1].Date
	for _, unit := range units {
		counts := map[time.Time]int{}
		a = Activity{Unit: unit.name, From: unit.begin(first), To: unit.begin(last)}
		if oldest := a.To.AddDate(1-maxBars, 0, 0); unit.name == "year" && a.From.Before(oldest) {
			a.From = oldest
		}
		for _, m := range all {
			begin := unit.begin(m.Date)
			counts[begin]++
			a.Most = max(a.Most, counts[begin])
		}
		for t := a.From; !t.After(a.To) && len(a.Bars) <= maxBars; t = unit.next(t) {
			a.Bars = append(a.Bars, Bar{Begin: t, Count: counts[t]})
		}
		if len(a.Bars) <= maxBars {
			break // as the years do
		}
	}
	width := float64(plotWidth) / float64(len(a.Bars))
	for i := range a.Bars {
		b := &a.Bars[i]
		b.Height = math.Round((plotHeight - 5) * float64(b.Count) / float64(a.Most))
		b.X, b.Y, b.Width = math.Round(10*width*(float64(i)+0.1))/10, plotHeight-b.Height, math.Round(8*width)/10
	}
	return a
}
