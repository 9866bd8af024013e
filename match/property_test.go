package match_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

// words returns the events in words, sorted, without times, clients and slots, which depend on what is
// known when an event is seen first.
func words(events []match.Event) (lines []string) {
	for _, e := range events {
		if e.Kind == match.Kill || e.Kind == match.Explode {
			e.Weapon, e.Reason = "", "" // the client's report of a collision may be late, too
		}
		lines = append(lines, e.String())
	}
	slices.Sort(lines)
	return lines
}

type recordingDatagram = recording.Datagram

// compare returns the difference between events.
func compare(want, got []string) string { return diff.Diff(want, got) }

// seeds returns the number of seeds for a recording.
func seeds() uint64 { return testdata.Either[uint64](200, 15) }

// The datagrams of the host reach the links in any order, up to a second apart. The events are the same.
func TestInterleaving(t *testing.T) {
	for name, r := range recordings {
		t.Run(name, func(t *testing.T) {
			datagrams := r.datagrams(t)
			m := match.Match{Events: true}
			want := words(follow(&m, datagrams))
			for seed := range seeds() {
				rng := rand.New(rand.NewPCG(seed, 1))
				m := match.Match{Events: true}
				require.Empty(t, compare(want, words(follow(&m, delayed(rng, datagrams, rng.Float64())))), "seed %d", seed)
			}
		})
	}
}

// delayed returns datagrams in another order: those of the host are observed at most some seconds late.
// The order on a link stays.
func delayed(rng *rand.Rand, datagrams []recording.Datagram, most float64) []recording.Datagram {
	all := slices.Clone(datagrams)
	last := map[int64]float64{}
	for i := range all {
		d := &all[i]
		if d.Direction == recording.ToClient {
			d.Seconds += rng.Float64() * most
		}
		d.Seconds = max(d.Seconds, last[d.Client])
		last[d.Client] = d.Seconds
	}
	slices.SortStableFunc(all, func(a, b recording.Datagram) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return all
}

// Datagrams that are observed again, at once or later, change no event.
func TestDuplicates(t *testing.T) {
	for name, r := range recordings {
		t.Run(name, func(t *testing.T) {
			datagrams := r.datagrams(t)
			m := match.Match{Events: true}
			want := words(follow(&m, datagrams))
			for seed := range seeds() {
				rng := rand.New(rand.NewPCG(seed, 2))
				var all []recording.Datagram
				for i, d := range datagrams {
					all = append(all, d)
					if rng.IntN(4) == 0 {
						again := datagrams[i-rng.IntN(min(i, 3)+1)]
						again.Seconds = d.Seconds
						all = append(all, again)
					}
				}
				m := match.Match{Events: true}
				require.Equal(t, want, words(follow(&m, all)), "seed %d", seed)
			}
		})
	}
}

// Times that jump change no event.
func TestTimesThatJump(t *testing.T) {
	datagrams := testdata.Battle(t)
	m := match.Match{Events: true}
	want := words(follow(&m, datagrams))
	for name, jump := range map[string]func(i int, seconds float64) float64{
		"backwards":  func(i int, s float64) float64 { return s - float64(i/1000)*1e6 },
		"forwards":   func(i int, s float64) float64 { return s + float64(i/1000)*1e9 },
		"zero":       func(int, float64) float64 { return 0 },
		"one":        func(i int, s float64) float64 { return map[bool]float64{true: 1e12, false: s}[i == 4000] },
		"not finite": func(i int, s float64) float64 { return map[bool]float64{true: 1e300, false: s}[i%500 == 499] },
	} {
		all := slices.Clone(datagrams)
		for i := range all {
			all[i].Seconds = jump(i, all[i].Seconds)
		}
		m := match.Match{Events: true}
		require.Equal(t, want, words(follow(&m, all)), name)
	}
}
