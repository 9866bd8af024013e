package game

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkScale prints the tables of the package's documentation:
//
//	go test -run '^$' -bench Scale -benchtime 1x ./examples/server
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

// Combat at most doubles the time that a server takes for a match of 16, which is 0.09 % of a processor
// without it. The two forms are measured alternately, because other programs run on the machine.
func TestCostOfCombat(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector changes the costs")
	}
	var matches [2]*measured
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for i := range matches {
		matches[i], _ = newMeasured(t, objectid.Slots, i == 0)
	}
	for round := 0; round < 20 || round < 60 && least[0] > 2*least[1]; round++ {
		for i, m := range matches {
			before := m.busy
			m.run(time.Second)
			least[i] = min(least[i], m.busy-before)
		}
	}
	t.Logf("%v a second with combat, %v without", least[0], least[1])
	require.Less(t, least[0], 2*least[1])
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
