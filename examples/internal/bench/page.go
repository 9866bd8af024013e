package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

const head = `# Benchmarks

Written by

` + "```" + `
go run -C examples ./internal/bench
` + "```" + `

The times are the fastest of several runs, the ratios the median. The times are from one
machine, %s with %s. A ratio is measured side by side with its baseline, in short
alternating rounds. Compare ratios between machines, not times.

`

const bars = `## Limits

Each ratio compares a function with a baseline, a hand-written function that does the same work. For
cipher and transport/recording, the ratio is a speed: higher is better, and the aim is a minimum. For
all others, it is a time: lower is better, and the aim is a maximum. A ratio that misses the aim is
only reported. A benchmark fails beyond the limit: 4/3 of the aim for a time, 3/4 for a speed. If a
known machine misses the aim, its ratio replaces the aim in this computation.

`

const rest = `## Everything

In these tables, the ratio is the time relative to a loop that only reads every byte. For Chain,
Pipeline, Session and dump, the section describes another baseline. The column Others has other units.

`

// notes explain the rows of a package.
var notes = map[string]string{
	"cipher": "Oracle is a direct translation of the game's algorithm. The rows of Chain have the time of Decrypt. Their ratio is to a " +
		"loop of only the steps that must follow each other for each byte: load, add, fold and combine.",
	"examples/dump": "The recorded battle (battle.jsonl) four times, 52,344 messages, decoded and written with -json and " +
		"-parquet. The values per million messages follow from it. The ratio compares -parquet with -json.",
	"match":  "Read reads the recorded battle (battle.jsonl), with events and without.",
	"opcode": "The first payload of every known message type.",
	"stateupdate": "Pipeline processes the datagrams of a recorded match of three players (match.jsonl). Each row adds a stage, and the " +
		"ratio is to the first stage. Track starts with an empty tracker, so it allocates the ships. Match is one " +
		"second of 16 ships: their updates are encoded for 16 peers and applied by 16 trackers. %core is the share of a CPU core.",
	"transport/recording": "The recorded match of three players (match.jsonl).",
	"transport": "Session: a datagram with three messages in each direction, and their Acks; its ratio is to writing and reading " +
		"such datagrams without a session. Hub: a datagram of each client, with payloads and an Ack, and a reply. " +
		"HubDrops: a datagram that the hub discards. Observer: a datagram of each side, with two payloads and an Ack.",
}

// page returns the content of testdata/benchmarks.md.
func (s *suite) page(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, s.cpu, version)
	if t := s.bars(); t != "" {
		b.WriteString(bars + t + "\n\n")
	}
	b.WriteString(rest)
	for _, pkg := range s.packages {
		if t := s.section(pkg); t != "" {
			fmt.Fprintf(&b, "### %s\n\n", pkg)
			if notes[pkg] != "" {
				b.WriteString(notes[pkg] + "\n\n")
			}
			b.WriteString(t + "\n\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s *suite) bars() string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"Package", "Benchmark", "Ratio", "Aim", "Limit"})
	for _, pkg := range s.packages {
		for _, r := range s.rows[pkg] {
			aim, ok := r.best("aim")
			limit, _ := r.best("limit")
			ratio, _ := r.median("ratio")
			if ok {
				t.AppendRow(table.Row{pkg, strings.TrimPrefix(r.name, "Bar/"), number(ratio), number(aim), number(limit)})
			}
		}
	}
	if t.Length() == 0 {
		return ""
	}
	return t.RenderMarkdown()
}

// standardUnits are the units that have a column, or need none.
var standardUnits = []string{"sec/op", "B/s", "B/op", "allocs/op", "ratio", "aim", "limit"}

func (s *suite) section(pkg string) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"Benchmark", "ns", "MB/s", "Allocations", "Ratio", "Others"})
	for _, r := range s.rows[pkg] {
		if _, limited := r.best("limit"); limited {
			continue
		}
		t.AppendRow(table.Row{r.name, r.cell("sec/op", 1e9), r.rate(), r.cell("allocs/op", 1), r.ratio(), r.others()})
	}
	if t.Length() == 0 {
		return ""
	}
	return t.RenderMarkdown()
}

func (r *row) cell(unit string, factor float64) string {
	v, ok := r.best(unit)
	if !ok || v == 0 && unit == "sec/op" {
		return ""
	}
	return number(v * factor)
}

// rate returns the bytes per second of the fastest run.
func (r *row) rate() string {
	if len(r.values["B/s"]) == 0 {
		return ""
	}
	return number(slices.Max(r.values["B/s"]) / 1e6)
}

func (r *row) ratio() string {
	v, ok := r.median("ratio")
	if !ok {
		return ""
	}
	return number(v)
}

// others returns the values with units that have no column.
func (r *row) others() string {
	var all []string
	for unit := range r.values {
		if v, _ := r.best(unit); !slices.Contains(standardUnits, unit) {
			// Nanoseconds are read as seconds.
			if rest, ok := strings.CutPrefix(unit, "sec/"); ok {
				unit, v = "ns/"+rest, v*1e9
			}
			// Megabytes are read as bytes.
			if rest, ok := strings.CutPrefix(unit, "B/"); ok {
				unit, v = "MB/"+rest, v/1e6
			}
			all = append(all, number(v)+" "+unit)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
