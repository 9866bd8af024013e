package simulation

import (
	"fmt"
	"io"
	"slices"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
)

// meaning counts what a match has seen: messages by direction, events, refusals, lies, faults and drills.
type meaning struct {
	messages [2][256]int // of clients, of the host
	others   map[string]int
}

func (m *meaning) note(what string) { m.others[what]++ }

// step notes a message and its events.
func (m *meaning) step(step *match.Step) {
	if step.Game != nil && step.Err == nil {
		from := 0
		if step.FromHost {
			from = 1
		}
		m.messages[from][step.Game.Opcode()]++
	}
	for i := range step.Events {
		what := "event " + string(step.Events[i].Kind)
		if r := step.Events[i].Reason; r != "" {
			what += ", " + r
		}
		m.note(what)
	}
}

// Meaning counts the matches that have seen something.
type Meaning map[string]int

// Add adds a match.
func (all Meaning) Add(r *Result) {
	for from, counts := range r.meaning.messages {
		for op, n := range counts {
			if n > 0 {
				all[messageKey(from, opcode.Code(op))]++
			}
		}
	}
	for what := range r.meaning.others {
		all[what]++
	}
	for f := range faults {
		if r.Plan.Faults().Has(f) {
			all["fault "+f.String()]++
		}
	}
}

func messageKey(from int, op opcode.Code) string {
	return [...]string{"client ", "host "}[from] + op.String()
}

// Write writes what matches have seen, the rarest first, and then what none has seen.
func (all Meaning) Write(w io.Writer) {
	if all == nil {
		return
	}
	var seen []string
	for what := range all {
		seen = append(seen, what)
	}
	slices.SortFunc(seen, func(a, b string) int {
		if all[a] != all[b] {
			return all[a] - all[b]
		}
		return slices.Compare([]byte(a), []byte(b))
	})
	for _, what := range seen {
		fmt.Fprintf(w, "%6d  %s\n", all[what], what)
	}
	for _, what := range possible() {
		if all[what] == 0 {
			fmt.Fprintf(w, " never  %s\n", what)
		}
	}
}

// possible returns what matches can see: the messages of the game, the events, and the reasons for which a server drops
// messages.
func possible() (all []string) {
	for op := range opcode.Code(255) {
		d := op.Info().Direction
		if d == opcode.DirUp || d == opcode.DirBoth {
			all = append(all, messageKey(0, op))
		}
		if d == opcode.DirDown || d == opcode.DirBoth {
			all = append(all, messageKey(1, op))
		}
	}
	for _, kind := range []match.EventKind{
		match.Join, match.Rename, match.Ship, match.System, match.Fire, match.Damage, match.Kill, match.Explode, match.Collide, match.Chat,
		match.TeamChat, match.Score, match.End, match.Restart,
	} {
		all = append(all, "event "+string(kind))
	}
	for _, reason := range []string{"left", "kicked", "timed out"} {
		all = append(all, "event leave, "+reason)
	}
	for _, reason := range []string{
		"collision", "direction", "early", "ended", "forged", "improbable", "invalid", "malformed", "no ship", "not a ship", "oversize", "rate",
		"refused", "repeated ship", "state", "trailing", "unknown",
	} {
		all = append(all, "refused "+reason)
	}
	return all
}
