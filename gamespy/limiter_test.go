package gamespy

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ask asks until there is no answer, at most n times.
func ask(l *limiter, now time.Time, from netip.AddrPort, size, n int) (got int) {
	l.set(now)
	for range n {
		if !l.allow(from) {
			return got
		}
		l.spend(from, size)
		got++
	}
	return got
}

var start = time.Unix(1_000_000_000, 0)

func address(i int) netip.AddrPort {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(i))
	return netip.AddrPortFrom(netip.AddrFrom4(b), 22101)
}

func TestBurstAndRate(t *testing.T) {
	var l limiter
	a := address(1)
	require.Equal(t, 10, ask(&l, start, a, 267, 100))
	require.Equal(t, 0, ask(&l, start.Add(499*time.Millisecond), a, 267, 100))
	require.Equal(t, 1, ask(&l, start.Add(500*time.Millisecond), a, 267, 100))
	require.Equal(t, 3, ask(&l, start.Add(2*time.Second), a, 267, 100))
	require.Equal(t, 10, ask(&l, start.Add(time.Hour), a, 267, 100), "at most a burst")
	require.Equal(t, 10, ask(&l, start.Add(time.Hour), address(2), 267, 100), "another source")
}

// The ports of an address share its limit.
func TestSources(t *testing.T) {
	var l limiter
	require.Equal(t, 10, ask(&l, start, address(1), 1, 100))
	require.Equal(t, 0, ask(&l, start, netip.AddrPortFrom(address(1).Addr(), 5), 1, 100))
	require.Equal(t, 10, ask(&l, start, address(2), 1, 100))
}

func TestBytesInTotal(t *testing.T) {
	var l limiter
	total := 0
	for i := range 1000 {
		total += ask(&l, start, address(i), 1024, 1)
	}
	require.Equal(t, 32, total, "the answers of one second")
	require.Equal(t, 0, ask(&l, start, address(2000), 1024, 1))
	require.Equal(t, 1, ask(&l, start.Add(31*time.Millisecond), address(2000), 1024, 10))

	// A large answer delays later answers.
	l = limiter{}
	require.Equal(t, 1, ask(&l, start, address(1), 64*bytesPerSecond, 10))
	require.Equal(t, 0, ask(&l, start.Add(63*time.Second), address(1), 1, 10))
	require.Equal(t, 1, ask(&l, start.Add(63*time.Second+2*time.Millisecond), address(1), 1, 1))
}

// A flood from forged addresses for a minute stays within all limits, for each source and
// in total.
func TestFlood(t *testing.T) {
	var l limiter
	const size, seconds = 267, 60
	victim := address(0)
	victims, total := 0, 0
	for tick := range seconds * 1000 {
		now := start.Add(time.Duration(tick) * time.Millisecond)
		victims += ask(&l, now, victim, size, 5)
		total += ask(&l, now, address(1+tick), 1, 1) // the smallest answer
	}
	require.LessOrEqual(t, victims, 10+2*seconds)
	require.LessOrEqual(t, (victims+total)*256, (seconds+1)*32<<10+512)
	require.Greater(t, total, 1000, "others are answered")
}

// As many sources as all sources together may have are remembered: none gets more than its burst.
func TestSourcesAreRemembered(t *testing.T) {
	var l limiter
	victim := address(0)
	require.Equal(t, 10, ask(&l, start, victim, 1, 100))
	victims := 0
	for i := range 10_000 { // in 5 s
		now := start.Add(time.Duration(i) * time.Second / 2000)
		ask(&l, now, address(1+i), 1, 1)
		victims += ask(&l, now, victim, 1, 10)
		require.Less(t, l.sources.Len(), maxSources)
	}
	require.LessOrEqual(t, victims, 10)
}
