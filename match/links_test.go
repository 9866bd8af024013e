package match_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/testdata"
)

// sideBySide returns the first datagrams of battles on servers of their own, in turns. Each battle has four links.
func sideBySide(tb testing.TB, servers, datagrams int) (all []match.Datagram) {
	for _, d := range testdata.Battle(tb)[:datagrams] {
		x := deciphered(d)
		for i := range servers {
			x.Server = fmt.Sprint("server ", i)
			all = append(all, x)
		}
	}
	return all
}

// Battles side by side have the events that each of them has alone.
func TestManyLinks(t *testing.T) {
	const servers = 80
	all := sideBySide(t, servers, testdata.Either(5705, 1500))
	once := match.Match{Events: true}
	want := words(follow(&once, testdata.Battle(t)[:len(all)/servers]))
	m := match.Match{Events: true}
	events := map[int][]match.Event{}
	for _, d := range all {
		for step := range m.Receive(d) {
			for _, e := range step.Events {
				events[e.Match] = append(events[e.Match], e)
			}
		}
	}
	for _, e := range m.Flush() {
		events[e.Match] = append(events[e.Match], e)
	}
	require.Len(t, events, servers)
	for _, e := range events {
		require.Empty(t, compare(want, words(e)))
	}
	requireBounded(t, &m)
}

// BenchmarkLinks follows the same datagrams on 64, 320 and 1,000 links in turns, with events. It reports the memory of a
// link.
func BenchmarkLinks(b *testing.B) {
	for _, servers := range []int{16, 80, 250} {
		all := sideBySide(b, servers, 1600)
		b.Run(fmt.Sprint(4*servers), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&before)
				b.StartTimer()
				m := match.Match{Events: true}
				for _, d := range all {
					m.Receive(d)
				}
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.StartTimer()
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(slices.Collect(m.Links()))), "B/link")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/datagram")
		})
	}
}
