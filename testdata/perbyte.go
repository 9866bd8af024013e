package testdata

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"
)

// CheckPerByte fails if a work takes more than most times as long for each byte as the baseline. It
// alternates short runs of all works and uses the shortest of each, so that other work of the
// machine has little effect. It runs a work that exceeds the limit up to 80 times.
func CheckPerByte(t testing.TB, most float64, baseline Work, all []Work) {
	t.Helper()
	base, least := math.Inf(1), make([]float64, len(all))
	over := make([]int, len(all))
	for i := range all {
		least[i], over[i] = math.Inf(1), i
	}
	for round := 0; round < 80 && len(over) > 0; round++ {
		base = min(base, baseline.perByte())
		for _, i := range over {
			least[i] = min(least[i], all[i].perByte())
		}
		if round >= 4 {
			over = slices.DeleteFunc(over, func(i int) bool { return least[i] <= most*base })
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(least[j], least[i]) })
	for _, i := range order[:min(3, len(order))] {
		t.Logf("%s: %.1f times of the baseline per byte", all[i].Name, least[i]/base)
	}
	for _, i := range over {
		t.Errorf("%s: %.1f times of the baseline per byte, at most %g", all[i].Name, least[i]/base, most)
	}
}

// perByte returns the time of a run in nanoseconds per byte. The clock of Windows has steps of half a
// millisecond, so that a short run takes place several times.
func (w *Work) perByte() float64 {
	start := time.Now()
	for runs := 1; ; runs++ {
		w.Run()
		if spent := time.Since(start); spent >= 2*time.Millisecond {
			return float64(spent.Nanoseconds()) / float64(w.Bytes) / float64(runs)
		}
	}
}
