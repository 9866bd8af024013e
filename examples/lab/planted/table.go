package main

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/bcwire/bcwire/examples/lab/internal/document"
)

// section is the name of the section of the document that has the table.
const section = "planted bugs"

// table is the table of the bugs in Markdown.
type table struct {
	write bool // into the document
	speed string
	rows  map[string]string // by the name of the bug
}

// newTable measures the speed of sim, and reads the rows of earlier runs from the document.
func newTable(sound string, write bool) (*table, error) {
	t := &table{write: write, rows: map[string]string{}}
	if !write {
		return t, nil
	}
	text, err := document.Section(document.File, section)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			t.rows[strings.TrimSpace(cells[1])] = strings.TrimSpace(line) + "\n"
		}
	}
	t.speed, err = speed(sound)
	return t, err
}

// speed measures how much the program plays in CPU time.
func speed(sound string) (string, error) {
	cmd := exec.Command(sound, "-seed", "10", "-seeds", "10", "-players", "8")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	seconds := 0.0
	for line := range strings.Lines(string(out)) {
		var seed uint64
		var s float64
		if _, err := fmt.Sscanf(line, "seed %d: ok %f s", &seed, &s); err != nil {
			return "", fmt.Errorf("%w: %s", err, line)
		}
		seconds += s
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return fmt.Sprintf("`%s` plays %.2f hours in %.1f s of CPU time: %.0f hours in an hour.",
		strings.Join(append([]string{"sim"}, cmd.Args[1:]...), " "), seconds/3600, cpu.Seconds(), seconds/cpu.Seconds()), nil
}

// summary says how many bugs are found.
func (t *table) summary() string {
	tried, found, slowest := 0, 0, 0.0
	for _, b := range bugs {
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
	text := fmt.Sprintf("%d of the %d bugs are found, the slowest in %.1f s of CPU time.", found, len(bugs), slowest)
	if tried < len(bugs) {
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
	for _, bug := range bugs {
		b.WriteString(t.rows[bug.name])
	}
	return document.Replace(document.File, section, b.String())
}
