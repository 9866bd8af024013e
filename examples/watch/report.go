package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
	"github.com/bcwire/bcwire/examples/watch/page"
)

// reportHTML is the page around the reports. It has no scripts.
//
//go:embed report.html
var reportHTML string

// reportPage is what the template shows.
type reportPage struct {
	Title, Problem string
	Recording      string // beside the page of a league, or ""
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
		"inc":    func(n int) int { return n + 1 },
		"escape": url.PathEscape, // also of # and %
		"body":   func(r *report.Report) template.HTML { return template.HTML(r.HTML(false)) },
	}).Parse(reportHTML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

// reportStyle returns the styles of the page for a file. The light theme is that of a system which prefers
// it, because there is no script to choose it, and that of paper.
func reportStyle() (template.CSS, error) {
	base, err := page.Files.ReadFile("base.css")
	if err != nil {
		return "", err
	}
	own, err := page.Files.ReadFile("report/report.css")
	_, light, _ := strings.Cut(string(base), `[data-theme="light"]`)
	light, _, _ = strings.Cut(light, "}")
	return template.CSS(string(base) + "@media print, (prefers-color-scheme: light) { :root" + light + "} }\n" + string(own)), err
}
