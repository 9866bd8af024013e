package testdata

import (
	"testing"
	"time"
)

// Compare runs two sub-benchmarks, impl=ours and impl=baseline, of functions that do the same work
// on the given number of bytes. The command benchstat -col /impl shows them side by side.
func Compare(b *testing.B, bytes int, ours, baseline func()) {
	for _, impl := range []struct {
		name string
		run  func()
	}{{"ours", ours}, {"baseline", baseline}} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				impl.run()
			}
		})
	}
}

// Work is a function that processes a number of bytes.
type Work struct {
	Name  string
	Bytes int
	Run   func()
}

// Worst is a benchmark of all works. It reports the time of the slowest one for each byte, and logs its name.
func Worst(b *testing.B, all ...Work) {
	least := make([]time.Duration, len(all))
	for b.Loop() {
		for i := range all {
			began := time.Now()
			all[i].Run()
			if d := time.Since(began); least[i] == 0 || d < least[i] {
				least[i] = d
			}
		}
	}
	name, worst := "", 0.0
	for i := range all {
		if ns := float64(least[i].Nanoseconds()) / float64(all[i].Bytes); ns > worst {
			name, worst = all[i].Name, ns
		}
	}
	b.ReportMetric(worst, "ns/byte")
	b.Log(name)
}
