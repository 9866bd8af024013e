package testdata

import (
	"math"
	"testing"
	"time"
)

// Ratio returns the time of slow divided by the time of fast. It alternates short rounds of
// both and uses the minimum of each, so that other work of the machine has little effect.
func Ratio(slow, fast func()) float64 {
	const rounds = 40
	calls := 1
	for timed(slow, calls) < 200*time.Microsecond {
		calls *= 2
	}
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for range rounds {
		for i, f := range [2]func(){slow, fast} {
			least[i] = min(least[i], float64(timed(f, calls)))
		}
	}
	return least[0] / least[1]
}

// CheckRatio fails if slow takes more than most times as long as fast. It tries up to ten times,
// because the machine may be busy.
func CheckRatio(t testing.TB, most float64, slow, fast func()) {
	t.Helper()
	least := Ratio(slow, fast)
	for tries := 1; tries < 10 && least > most; tries++ {
		least = min(least, Ratio(slow, fast))
	}
	t.Logf("%.1f times", least)
	if least > most {
		t.Errorf("%.1f times as long, at most %g", least, most)
	}
}

func timed(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// Limit is the required speed of a function as a ratio to a baseline.
type Limit struct {
	// Aim is the ratio to reach. It is reported but not enforced, because another CPU may
	// miss it.
	Aim float64
	// Slowest is the worst ratio known on any machine, if it misses the aim.
	Slowest float64
}

// guard is the ratio at which a benchmark fails: a third beyond the slowest known ratio.
func (l Limit) guard() float64 {
	if l.Slowest != 0 {
		return l.Slowest * 4 / 3
	}
	return l.Aim * 4 / 3
}

// AtLeast is a benchmark of subject. It reports how many times as fast as baseline subject
// is, and fails below three quarters of the aim.
func AtLeast(b *testing.B, l Limit, baseline, subject func()) {
	b.Helper()
	inverse := Limit{Aim: 1 / l.Aim}
	if l.Slowest != 0 {
		inverse.Slowest = 1 / l.Slowest
	}
	guard := 1 / inverse.guard()
	measure(b, l.Aim, guard, func() float64 { return Ratio(baseline, subject) }, func(r, limit float64) bool { return r >= limit })
}

// AtMost is a benchmark of subject. It reports how many times as long as baseline subject
// takes, and fails if that exceeds the aim by more than a third.
func AtMost(b *testing.B, l Limit, baseline, subject func()) {
	b.Helper()
	measure(b, l.Aim, l.guard(), func() float64 { return Ratio(subject, baseline) }, func(r, limit float64) bool { return r <= limit })
}

// measure tries up to ten times to reach the aim, and up to forty times to reach the guard,
// because the machine may be busy.
func measure(b *testing.B, aim, guard float64, ratio func() float64, ok func(r, limit float64) bool) {
	b.Helper()
	r := ratio()
	for tries := 1; tries < 10 && !ok(r, aim) || tries < 40 && !ok(r, guard); tries++ {
		if next := ratio(); ok(next, r) {
			r = next
		}
	}
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op") // the loop above is empty, so its time has no meaning
	b.ReportMetric(r, "ratio")
	b.ReportMetric(aim, "aim")
	b.ReportMetric(guard, "limit")
	if !ok(r, guard) {
		b.Errorf("ratio %.2f, limit %.2f", r, guard)
	}
}

// Compare is a benchmark of subject, which processes size bytes. It also reports how many
// times as long as baseline subject takes.
func Compare(b *testing.B, size int, baseline, subject func()) {
	b.Helper()
	r := Ratio(subject, baseline)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		subject()
	}
	b.ReportMetric(r, "ratio")
}

// Bytewise is a benchmark of subject, which processes data. Its baseline is a loop over all
// bytes.
func Bytewise(b *testing.B, data []byte, subject func()) {
	b.Helper()
	var sum uint32
	Compare(b, len(data), func() { sum += look(data) }, subject)
	if sum == 1 {
		b.Log(sum) // use the sum
	}
}

//go:noinline
func look(data []byte) (sum uint32) {
	for _, c := range data {
		sum = sum<<1 ^ uint32(c)
	}
	return sum
}
