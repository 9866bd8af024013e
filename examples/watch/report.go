package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
	"github.com/bcwire/bcwire/examples/watch/page"
)

// reportHTML is the template of a report. It has no scripts.
//
//go:embed report.html
var reportHTML string

// reportPage is what the template shows.
type reportPage struct {
	Title, Problem string
	Style          template.CSS
	Reports        []*report.Report
	Dropped        int
}

var errNoReport = errors.New("there is no match in the input")

// writeReport writes the report of all matches of the input to a file.
func (o *options) writeReport(ctx context.Context, stdin io.Reader, stderr io.Writer) error {
	out, err := os.Stat(o.report)
	if in, other := os.Stat(o.file); err == nil && other == nil && os.SameFile(in, out) {
		return fmt.Errorf("-report %s: this is the recording", o.report)
	}
	store := timeline.New(o.match())
	defer store.Close()
	in, err := o.openFile(ctx, stdin, store)
	if err != nil {
		return err
	}
	if !store.Load(ctx, in, nil) {
		return ctx.Err()
	}
	p := reportPage{Title: terminal.Line(o.title()), Problem: store.Info().Problem}
	if p.Problem != "" {
		terminal.Complain(stderr, "watch", errors.New(p.Problem))
	}
	all, dropped := store.Reports()
	for _, s := range all {
		r, err := store.Report(s.Match)
		if err != nil {
			return err
		}
		p.Reports = append(p.Reports, r)
	}
	if p.Dropped = dropped; len(all) == 0 {
		return errNoReport
	}
	b, err := p.render()
	if err == nil {
		err = os.WriteFile(o.report, b, 0o644)
	}
	return err
}

// render returns the page.
func (p *reportPage) render() ([]byte, error) {
	var err error
	if p.Style, err = reportStyle(); err != nil {
		return nil, err
	}
	t, err := template.New("report").Funcs(template.FuncMap{
		"bar":     func(length float64) float64 { return report.MapWidth - 20 - length },
		"clock":   clockText,
		"counted": counted,
		"csv":     tableURL,
		"float":   func(n int32) float64 { return float64(n) },
		"inc":     func(n int) int { return n + 1 },
		"link":    func(t float64) string { return fmt.Sprintf("#t=%.3f&view=radar", t) },
		"moving":  moving,
		"name":    playerName,
		"players": playersOf,
		"tables":  func() []string { return report.Tables[:] },
		"whole":   wholeNumber,
	}).Parse(reportHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// reportStyle returns the styles of the page for a file. The light theme is that of a system which prefers
// it, because there is no script to choose it.
func reportStyle() (template.CSS, error) {
	base, err := page.Files.ReadFile("base.css")
	if err != nil {
		return "", err
	}
	own, err := page.Files.ReadFile("report.css")
	_, light, _ := strings.Cut(string(base), `[data-theme="light"]`)
	light, _, _ = strings.Cut(light, "}")
	return template.CSS(string(base) + "@media (prefers-color-scheme: light) { :root" + light + "} }\n" + string(own)), err
}

// tableURL returns a table as a link, which needs no script.
func tableURL(r *report.Report, table string) template.URL {
	return template.URL("data:text/csv;charset=utf-8;base64," + base64.StdEncoding.EncodeToString([]byte(r.CSV(table))))
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

// wholeNumber groups digits as the page does: 52,297.
func wholeNumber(x float64) string {
	s := fmt.Sprintf("%.0f", x)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// playersOf returns the players of a report by their indices.
func playersOf(r *report.Report) []report.Player {
	all := make([]report.Player, len(r.Scores))
	for _, p := range r.Scores {
		all[p.Index] = p
	}
	return all
}

// moving returns the players with a plot.
func moving(r *report.Report) (all []report.Player) {
	for _, p := range r.Scores {
		if slices.ContainsFunc(p.Plots, func(plot report.Plot) bool { return plot.Path != "" }) {
			all = append(all, p)
		}
	}
	return all
}

// coloured is a name in the colour of a player.
type coloured struct{ Class, Text string }

func playerName(all []report.Player, index int, text string) coloured {
	if index < 0 {
		return coloured{Text: text}
	}
	return coloured{fmt.Sprintf("own-%d", all[index].Colour), text}
}
