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

Each ratio compares a function with a baseline, a plain function that does the same work. For the
cipher, the ratio is the speed relative to the baseline, and the aim is a minimum. For all others,
it is the time relative to the baseline, and the aim is a maximum. A benchmark fails at the limit:
a third beyond the aim, or beyond the slowest known machine.

`

const rest = `## Everything

The ratio compares the time with a loop that reads every byte and does nothing else. For Chain,
Pipeline, Session and dump the section names another baseline. "Others" are values in other units.

`

// notes explain the rows of a package.
var notes = map[string]string{
	"cipher": "Oracle is the straight port. Chain compares Decrypt with the shortest chain of dependent steps that " +
		"deciphering needs for each byte: load, add, fold and combine.",
	"examples/dump": "The recorded battle (battle.jsonl) four times, 52,344 messages, decoded and written with -json and " +
		"-parquet. The values per million messages follow from it. The ratio compares -parquet with -json.",
	"opcode": "The first payload of every known message type.",
	"stateupdate": "Pipeline decodes the datagrams of a recorded match of three players (match.jsonl) with one more stage each " +
		"time; its ratio is to deciphering only. Track restarts the match each time, with memory for its ships. " +
		"Match is one second of 16 ships, sent to 16 peers.",
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
