package testdata

import (
	"math"
	"testing"
	"time"
)

// Ratio times two functions and returns by how much slower the first is. It interleaves
// short rounds of both and takes the minimum of each, so that what else the machine
// does weighs on neither.
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

func timed(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// AtLeast is a benchmark that fails when fast is not bar times as fast as slow.
func AtLeast(b *testing.B, bar float64, slow, fast func()) {
	b.Helper()
	measure(b, bar, func() float64 { return Ratio(slow, fast) }, func(r float64) bool { return r >= bar })
}

// AtMost is a benchmark that fails when subject takes more than bar times as long as
// yardstick.
func AtMost(b *testing.B, bar float64, yardstick, subject func()) {
	b.Helper()
	measure(b, bar, func() float64 { return Ratio(subject, yardstick) }, func(r float64) bool { return r <= bar })
}

// measure tries forty times before it says that a bar is missed, for the sake of machines
// that are busy with something else.
func measure(b *testing.B, bar float64, ratio func() float64, ok func(float64) bool) {
	b.Helper()
	r := ratio()
	for tries := 1; tries < 40 && !ok(r); tries++ {
		r = ratio()
	}
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op") // the loop above is empty: not a figure
	b.ReportMetric(r, "ratio")
	b.ReportMetric(bar, "bar")
	if !ok(r) {
		b.Errorf("ratio %.2f misses the bar of %.2f", r, bar)
	}
}

// Compare is a benchmark of subject, which handles so many bytes, that tells besides how
// many times as long as yardstick it takes.
func Compare(b *testing.B, size int, yardstick, subject func()) {
	b.Helper()
	r := Ratio(subject, yardstick)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		subject()
	}
	b.ReportMetric(r, "ratio")
}

// Bytewise is a benchmark of subject, which handles data; its yardstick is a plain loop that
// looks at each byte.
func Bytewise(b *testing.B, data []byte, subject func()) {
	b.Helper()
	var sum uint32
	Compare(b, len(data), func() { sum += look(data) }, subject)
	if sum == 1 {
		b.Log(sum) // so that the sum is used
	}
}

//go:noinline
func look(data []byte) (sum uint32) {
	for _, c := range data {
		sum = sum<<1 ^ uint32(c)
	}
	return sum
}
