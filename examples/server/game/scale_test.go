package game

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
)

// BenchmarkScale prints the tables of the package's documentation:
//
//	go test -run '^$' -bench Scale -benchtime 1x ./examples/server/game
func BenchmarkScale(b *testing.B) {
	fmt.Fprintf(os.Stdout, "\n%s/%s\n\n", runtime.GOOS, runtime.GOARCH)
	printSessions(b, os.Stdout, 1, 10, 100, 1000)
	fmt.Fprintln(os.Stdout)
	printMatches(b, os.Stdout, 1, 2, 4, 8, 16)
}

func printSessions(tb testing.TB, w io.Writer, counts ...int) {
	t := newTable(w, "sessions", "datagrams/s", "ns/datagram", "KiB each, idle", "busy")
	for _, n := range counts {
		s := scaleOfSessions(tb, n)
		t.row(n, s.datagrams, float64(s.busy.Nanoseconds())/s.datagrams, kib(s.idle)/float64(n), kib(s.heap)/float64(n))
	}
	t.Flush()
}

func printMatches(tb testing.TB, w io.Writer, counts ...int) {
	t := newTable(w, "players", "datagrams/s in", "out", "KiB/s out", "to each", "µs of CPU/s", "heap KiB")
	for _, n := range counts {
		s := scaleOfMatch(tb, n, 10)
		t.row(n, s.in, s.out, s.bytes/1024, s.bytes/1024/float64(n), float64(s.busy.Microseconds()), kib(s.heap))
	}
	t.Flush()
}

// What everybody is told grows with the square of the players: twice as many cost four times
// as much.
func TestGrowth(t *testing.T) {
	two, four := scaleOfMatch(t, 2, 3), scaleOfMatch(t, 4, 3)
	require.InDelta(t, 4, four.bytes/two.bytes, 1)
	require.InDelta(t, 2, four.in/two.in, 0.5)
}

// BenchmarkCombat measures the server of a match of 16 with and without combat.
func BenchmarkCombat(b *testing.B) {
	for _, combat := range []bool{true, false} {
		b.Run(fmt.Sprintf("combat=%v", combat), func(b *testing.B) {
			m, _ := newMeasured(b, objectid.Slots, combat)
			seconds := 0
			for b.Loop() {
				m.run(time.Second)
				seconds++
			}
			b.ReportMetric(float64(m.busy.Microseconds())/float64(seconds), "µs-server/s")
		})
	}
}

// table has columns of numbers.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, heads ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	for _, h := range heads {
		fmt.Fprint(t, h, "\t")
	}
	fmt.Fprintln(t)
	return t
}

func (t table) row(n int, numbers ...float64) {
	fmt.Fprint(t, n, "\t")
	for _, x := range numbers {
		digits := 0
		if x < 100 {
			digits = 1
		}
		fmt.Fprintf(t, "%.*f\t", digits, x)
	}
	fmt.Fprintln(t)
}

func kib(n int64) float64 { return float64(n) / 1024 }

// leastOf runs something a few times and returns the shortest of the times that it takes.
func leastOf(rounds int, run func() time.Duration) time.Duration {
	least := run()
	for range rounds - 1 {
		least = min(least, run())
	}
	return least
}
