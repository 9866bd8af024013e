package simulation

import (
	"maps"
	"slices"

	"github.com/bcwire/bcwire/match"
)

// meaning counts what a match has seen: messages by opcode and direction, events, refusals, faults and drills. A report
// over many matches shows what no match has done; see the flag -meaning.
type meaning map[string]int

func (m meaning) note(what string) { m[what]++ }

func (m meaning) events(events []match.Event) {
	for i := range events {
		what := "event " + string(events[i].Kind)
		if r := events[i].Reason; r != "" {
			what += ", " + r
		}
		m[what]++
	}
}

// Keys returns what a match has seen, sorted.
func (r *Result) Keys() []string { return slices.Sorted(maps.Keys(r.Meaning)) }
