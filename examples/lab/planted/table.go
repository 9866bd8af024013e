package main

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/examples/lab/internal/document"
)

// section is the name of the section of the document that has the table.
const section = "planted bugs"

// table is the table of the bugs in Markdown.
type table struct {
	write bool // into the document
	speed string
	bugs  []*bug
	rows  map[string]string // by the name of the bug
}

// begin reads the rows of earlier runs from the document.
func (t *table) begin(write bool) error {
	t.write, t.rows = write, map[string]string{}
	if !write {
		return nil
	}
	text, err := document.Section(document.File, section)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			t.rows[strings.TrimSpace(cells[1])] = strings.TrimSpace(line) + "\n"
		}
	}
	return nil
}

// summary says how many bugs are found.
func (t *table) summary() string {
	tried, found, slowest := 0, 0, 0.0
	for _, b := range t.bugs {
		row, ok := t.rows[b.name]
		if !ok {
			continue
		}
		tried++
		var seconds float64
		if _, err := fmt.Sscanf(strings.SplitN(row, "|", 4)[2], "%f s", &seconds); err == nil {
			found, slowest = found+1, max(slowest, seconds)
		}
	}
	text := fmt.Sprintf("%d of the %d bugs are found, the slowest in %.1f s of CPU time.", found, len(t.bugs), slowest)
	if tried < len(t.bugs) {
		text += fmt.Sprintf(" %d were tried.", tried)
	}
	return text
}

// save writes the table into the document. A row without a bug is left out.
func (t *table) save() error {
	if !t.write {
		return nil
	}
	var b strings.Builder
	b.WriteString(t.summary() + "\n\n" + t.speed + "\n\n| Bug | Found in | By |\n|---|---|---|\n")
	for _, bug := range t.bugs {
		b.WriteString(t.rows[bug.name])
	}
	return document.Replace(document.File, section, b.String())
}
