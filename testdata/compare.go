package testdata

import "testing"

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
