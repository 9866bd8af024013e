package relay

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Unix(1000, 0)

// numbered returns a datagram that contains its number.
func numbered(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// delivery is a datagram that a link has delivered.
type delivery struct {
	n  int
	at time.Duration // since start
}

// collect takes the datagrams out of a link at their deadlines, until a time.
func collect(t *testing.T, l *link, end time.Time) (all []delivery) {
	t.Helper()
	for {
		at, ok := l.deadline()
		if !ok || at.After(end) {
			return all
		}
		_, early := l.next(at.Add(-1))
		require.False(t, early, "before its deadline")
		d, ok := l.next(at)
		require.True(t, ok)
		all = append(all, delivery{int(binary.BigEndian.Uint32(d.datagram)), at.Sub(start)})
	}
}

// simulate puts count datagrams into a link, one each interval, and returns the deliveries.
func simulate(t *testing.T, c Conditions, seed uint64, count int, interval time.Duration) (out []delivery, outcomes []outcome) {
	t.Helper()
	l := newLink(c, seed, 1)
	now := start
	for n := range count {
		out = append(out, collect(t, l, now)...)
		outcomes = append(outcomes, l.put(now, numbered(n), nil))
		now = now.Add(interval)
	}
	out = append(out, collect(t, l, now.Add(time.Hour))...)
	require.Zero(t, l.bytes)
	return out, outcomes
}

func TestGoodNetwork(t *testing.T) {
	out, outcomes := simulate(t, Conditions{Hold: time.Second}, 1, 100, time.Millisecond)
	require.Len(t, out, 100)
	for n, d := range out {
		require.Equal(t, delivery{n, time.Duration(n) * time.Millisecond}, d)
		require.Empty(t, outcomes[n].note())
	}
}

func TestBurstKeepsItsOrder(t *testing.T) {
	l := newLink(Conditions{Delay: time.Second, Jitter: time.Second}, 1, 1)
	for n := range 100 {
		l.put(start, numbered(n), nil)
	}
	for n, d := range collect(t, l, start.Add(time.Hour)) {
		require.Equal(t, n, d.n)
	}
}

func TestDrop(t *testing.T) {
	for _, share := range []float64{0, 0.05, 0.5, 1} {
		out, outcomes := simulate(t, Conditions{Drop: share}, 7, 20000, time.Millisecond)
		require.InDelta(t, 20000*(1-share), len(out), 300)
		dropped := 0
		for _, f := range outcomes {
			if f.dropped {
				require.Equal(t, "dropped", f.note())
				dropped++
			}
		}
		require.Equal(t, 20000, len(out)+dropped)
	}
	out, _ := simulate(t, Conditions{Drop: 1}, 7, 20000, time.Millisecond)
	require.Empty(t, out)
	out, _ = simulate(t, Conditions{Drop: 0}, 7, 20000, time.Millisecond)
	require.Len(t, out, 20000)
}

// Delays are within their limits, and approach both.
func TestDelay(t *testing.T) {
	const interval = time.Second
	c := Conditions{Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond}
	out, _ := simulate(t, c, 1, 2000, interval)
	least, most := time.Hour, time.Duration(0)
	for n, d := range out {
		require.Equal(t, n, d.n)
		took := d.at - time.Duration(n)*interval
		least, most = min(least, took), max(most, took)
	}
	require.InDelta(t, 30*time.Millisecond, least, float64(time.Millisecond))
	require.InDelta(t, 70*time.Millisecond, most, float64(time.Millisecond))
	require.GreaterOrEqual(t, least, 30*time.Millisecond)
	require.LessOrEqual(t, most, 70*time.Millisecond)
}

// With more jitter than delay, no datagram is delivered before it was sent.
func TestJitterBeyondDelay(t *testing.T) {
	out, _ := simulate(t, Conditions{Jitter: time.Second}, 1, 200, 10*time.Second)
	for n, d := range out {
		require.GreaterOrEqual(t, d.at, time.Duration(n)*10*time.Second)
	}
}

// Datagrams that are held back are delivered later by exactly that time, after others that
// were sent later.
func TestReorder(t *testing.T) {
	const interval, hold = 10 * time.Millisecond, 35 * time.Millisecond
	out, outcomes := simulate(t, Conditions{Reorder: 0.1, Hold: hold}, 1, 1000, interval)
	require.Len(t, out, 1000)
	place, heldBack := map[int]int{}, 0
	for i, d := range out {
		place[d.n] = i
		sent := time.Duration(d.n) * interval
		if !outcomes[d.n].heldBack {
			require.Equal(t, sent, d.at)
			continue
		}
		heldBack++
		require.Equal(t, "held back", outcomes[d.n].note())
		require.Equal(t, sent+hold, d.at)
	}
	require.InDelta(t, 100, heldBack, 40)
	for n := range 996 {
		if outcomes[n].heldBack && !outcomes[n+1].heldBack {
			require.Greater(t, place[n], place[n+1])
		}
	}
}
