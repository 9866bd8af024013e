package simulation

import (
	"fmt"
	"io"
	"maps"
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

// Meaning counts the matches that have seen something, in all and by fault.
type Meaning struct {
	all     map[string]int
	with    [faults]map[string]int
	matches [faults]int
}

// NewMeaning returns a Meaning without a match.
func NewMeaning() *Meaning {
	m := &Meaning{all: map[string]int{}}
	for f := range m.with {
		m.with[f] = map[string]int{}
	}
	return m
}

// Add adds a match.
func (m *Meaning) Add(r *Result) {
	var seen []string
	for from, counts := range r.meaning.messages {
		for op, n := range counts {
			if n > 0 {
				seen = append(seen, messageKey(from, opcode.Code(op)))
			}
		}
	}
	seen = slices.AppendSeq(seen, maps.Keys(r.meaning.others))
	for f := range faults {
		if !r.Plan.Faults().Has(f) {
			continue
		}
		m.all["fault "+f.String()]++
		m.matches[f]++
		for _, what := range seen {
			m.with[f][what]++
		}
	}
	for _, what := range seen {
		m.all[what]++
	}
}

// Rarest returns the seed, of a plan and the next ones, whose faults have led to what few matches have seen. A fault
// that no match had comes first.
func (m *Meaning) Rarest(p Plan, n uint64) (seed uint64) {
	var rarity [faults]float64
	for f := range faults {
		rarity[f] = 1e6
		if m.matches[f] > 0 {
			rarity[f] = 0
			for _, what := range slices.Sorted(maps.Keys(m.with[f])) {
				rarity[f] += float64(m.with[f][what]) / float64(m.all[what]) / float64(m.matches[f])
			}
		}
	}
	most := -1.0
	for first := p.Seed; p.Seed < first+n; p.Seed++ {
		sum := 0.0
		for f := range faults {
			if p.Faults().Has(f) {
				sum += rarity[f]
			}
		}
		if sum > most {
			seed, most = p.Seed, sum
		}
	}
	return seed
}

func messageKey(from int, op opcode.Code) string {
	return [...]string{"client ", "host "}[from] + op.String()
}

// Write writes what matches have seen, the rarest first, and then what none has seen.
func (m *Meaning) Write(w io.Writer) {
	all := m.all
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
