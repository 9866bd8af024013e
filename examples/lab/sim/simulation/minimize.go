package simulation

import (
	"fmt"
	"time"
)

// Flags returns the flags of the program that play the plan.
func (p Plan) Flags() string {
	flags := fmt.Sprintf("-seed %d -players %d -minutes %v", p.Seed, p.Players, p.Length.Minutes())
	if p.Without != 0 {
		flags += " -without " + p.Without.String()
	}
	return flags
}

// Minimize returns a match with fewer players, less time and fewer faults that still has a violation.
func Minimize(r Result) Result {
	try := func(p Plan) bool {
		if next := Run(p, nil); next.Violation != nil {
			next.Plan.Without = p.Without
			r = next
			return true
		}
		return false
	}
	for again := true; again; {
		again = false
		shorter := r.Plan
		if end := time.Duration(r.Violation.Seconds * float64(time.Second)); end+round < shorter.Length {
			shorter.Length = end + round
			again = try(shorter)
		}
		for f := range faults {
			if p := r.Plan; p.Faults().Has(f) {
				p.Without = p.Without.With(f)
				again = try(p) || again
			}
		}
		for n := 1; n < r.Plan.Players; n++ {
			p := r.Plan
			p.Players = n
			if try(p) {
				again = true
				break
			}
		}
	}
	return r
}
