package relay

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The random numbers depend only on the seed, the stream and the number of the datagram.
func TestSeedRepeats(t *testing.T) {
	c := Conditions{Drop: 0.3, Duplicate: 0.2, Reorder: 0.2, Delay: time.Second, Jitter: time.Second, Hold: time.Second}
	out, outcomes := simulate(t, c, 5, 1000, time.Millisecond)
	again, _ := simulate(t, c, 5, 1000, time.Millisecond)
	require.Equal(t, out, again)

	_, slowly := simulate(t, c, 5, 1000, time.Minute)
	require.Equal(t, outcomes, slowly)
	_, other := simulate(t, c, 6, 1000, time.Millisecond)
	require.NotEqual(t, outcomes, other)

	_, alone := simulate(t, Conditions{Drop: 0.3}, 5, 1000, time.Millisecond)
	for n := range outcomes {
		require.Equal(t, outcomes[n].dropped, alone[n].dropped)
	}
	a, b := newLink(c, 5, 1), newLink(c, 5, 2)
	require.NotEqual(t, a.rand.Uint64(), b.rand.Uint64())
}

func TestQueueIsBounded(t *testing.T) {
	l := newLink(Conditions{Delay: time.Second, Duplicate: 1}, 1, 1)
	for range maxQueued / 2 {
		require.Equal(t, outcome{duplicated: true}, l.put(start, []byte{1}, nil))
	}
	require.Equal(t, outcome{queueFull: true}, l.put(start, nil, nil))
	require.Equal(t, "dropped: queue full", outcome{queueFull: true}.note())

	_, ok := l.next(start.Add(time.Second))
	require.True(t, ok)
	require.Equal(t, outcome{}, l.put(start, nil, nil), "the queue has room for the datagram, but not for its copy")

	l = newLink(Conditions{Delay: time.Second}, 1, 1)
	for range maxQueuedBytes / 65536 {
		require.Equal(t, outcome{}, l.put(start, make([]byte, 65536), nil))
	}
	require.Equal(t, outcome{queueFull: true}, l.put(start, []byte{1}, nil))
	require.Equal(t, outcome{}, l.put(start, nil, nil))
}

// With random conditions, each datagram is sent, dropped, or refused by a full queue.
func TestEveryDatagramIsAccountedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		c := Conditions{
			Drop: r.Float64() / 2, Duplicate: r.Float64(), Reorder: r.Float64(),
			Delay: time.Duration(r.Int64N(int64(MaxDelay))), Jitter: time.Duration(r.Int64N(int64(MaxDelay))),
			Hold: time.Duration(r.Int64N(int64(MaxDelay))),
		}
		out, outcomes := simulate(t, c, r.Uint64(), 300, time.Duration(r.Int64N(int64(time.Second))))
		want := map[int]int{}
		for n, f := range outcomes {
			switch {
			case f.dropped || f.queueFull:
			case f.duplicated:
				want[n] = 2
			default:
				want[n] = 1
			}
		}
		have := map[int]int{}
		for i, d := range out {
			have[d.n]++
			require.True(t, i == 0 || out[i-1].at <= d.at)
		}
		require.Equal(t, want, have)
	}
}

func TestDuplicate(t *testing.T) {
	out, outcomes := simulate(t, Conditions{Duplicate: 1, Delay: time.Second, Jitter: time.Second}, 1, 500, time.Millisecond)
	require.Len(t, out, 1000)
	times := map[int]int{}
	for _, d := range out {
		times[d.n]++
	}
	for n, f := range outcomes {
		require.Equal(t, "duplicated", f.note())
		require.Equal(t, 2, times[n])
	}
}
