package gamespy_test

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/testdata"
)

// ask asks until there is no answer, at most n times.
func ask(l *gamespy.Limiter, now time.Time, from netip.Addr, size, n int) (answers int) {
	for range n {
		if !l.Allow(now, from) {
			return answers
		}
		l.Spend(now, from, size)
		answers++
	}
	return answers
}

func address(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(i))
	return netip.AddrFrom4(b)
}

func TestBurstAndRate(t *testing.T) {
	var l gamespy.Limiter
	a := address(1)
	require.Equal(t, 10, ask(&l, start, a, 267, 100))
	require.Equal(t, 0, ask(&l, start.Add(499*time.Millisecond), a, 267, 100))
	require.Equal(t, 1, ask(&l, start.Add(500*time.Millisecond), a, 267, 100))
	require.Equal(t, 3, ask(&l, start.Add(2*time.Second), a, 267, 100))
	require.Equal(t, 10, ask(&l, start.Add(time.Hour), a, 267, 100), "at most a burst")
	require.Equal(t, 10, ask(&l, start.Add(time.Hour), address(2), 267, 100), "another source")

	l = gamespy.Limiter{PerSecond: 10, Burst: 1}
	require.Equal(t, 1, ask(&l, start, a, 267, 100))
	require.Equal(t, 1, ask(&l, start.Add(100*time.Millisecond), a, 267, 100))
}

func TestSources(t *testing.T) {
	a := netip.MustParseAddr
	for _, c := range []struct {
		one, other netip.Addr
		same       bool
	}{
		{a("192.0.2.1"), a("192.0.2.2"), false},
		{a("192.0.2.1"), a("::ffff:192.0.2.1"), true},
		{a("2001:db8::1"), a("2001:db8::ffff:1:2"), true},
		{a("2001:db8::1"), a("2001:db8:0:1::1"), false},
		{a("fe80::1%eth0"), a("fe80::1%eth1"), true},
		{netip.Addr{}, netip.Addr{}, true},
	} {
		var l gamespy.Limiter
		require.Equal(t, 10, ask(&l, start, c.one, 1, 100))
		require.Equal(t, !c.same, l.Allow(start, c.other), "%v %v", c.one, c.other)
	}
}

func TestBytesInTotal(t *testing.T) {
	var l gamespy.Limiter
	total := 0
	for i := range 1000 {
		total += ask(&l, start, address(i), 1024, 1)
	}
	require.Equal(t, 32, total, "the answers of one second")
	require.Equal(t, 0, ask(&l, start, address(2000), 1024, 1))
	require.Equal(t, 1, ask(&l, start.Add(31*time.Millisecond), address(2000), 1024, 10))

	// A large answer delays later answers.
	l = gamespy.Limiter{BytesPerSecond: 1000}
	require.Equal(t, 1, ask(&l, start, address(1), 64_000, 10))
	require.Equal(t, 0, ask(&l, start.Add(63*time.Second), address(1), 1, 10))
	require.Equal(t, 1, ask(&l, start.Add(63*time.Second+1), address(1), 1, 1))
}

// A flood from forged addresses for a minute stays within all limits, for each source and
// in total.
func TestFlood(t *testing.T) {
	var l gamespy.Limiter
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

func TestSourcesAreLimited(t *testing.T) {
	l := gamespy.Limiter{MaxSources: 4, BytesPerSecond: 1 << 30}
	for i := range 4 {
		require.Equal(t, 1, ask(&l, start, address(i), 1, 1))
	}
	require.False(t, l.Allow(start, address(4)), "full")
	require.True(t, l.Allow(start, address(3)), "known")
	l.Spend(start, address(3), 1)
	now := start.Add(500 * time.Millisecond)
	require.True(t, l.Allow(now, address(4)), "three sources are forgotten")
	require.Equal(t, 3, ask(&l, now, address(4), 1, 1)+ask(&l, now, address(5), 1, 1)+ask(&l, now, address(6), 1, 1))
	require.False(t, l.Allow(now, address(7)))
	require.Equal(t, 9, ask(&l, now, address(3), 1, 100), "its debt is remembered")
}

// A query from an unknown source takes the same time, however many sources have got answers.
func TestLimiterTime(t *testing.T) {
	refuse := func(sources int) func() {
		l := gamespy.Limiter{BytesPerSecond: 100 << 20, MaxSources: sources}
		for i := range sources {
			l.Spend(start, address(i), 256)
		}
		return func() {
			if l.Allow(start, address(sources)) {
				t.Fatal("allowed")
			}
		}
	}
	testdata.CheckRatio(t, 4, refuse(1024), refuse(1))
}

// A full Limiter has room again as soon as a debt ends, in any order of debts.
func TestLimiterMakesRoom(t *testing.T) {
	l := gamespy.Limiter{PerSecond: 1, Burst: 4, BytesPerSecond: 100 << 20, MaxSources: 3}
	for i, answers := range []int{3, 2, 4} {
		require.Equal(t, answers, ask(&l, start, address(i), 256, answers))
	}
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	require.False(t, l.Allow(at(1), address(7)))
	require.Equal(t, 1, ask(&l, at(2), address(7), 256, 1), "in place of address 1, until 3 s")
	require.False(t, l.Allow(at(2), address(8)))
	require.True(t, l.Allow(at(3), address(8)))
	require.Equal(t, 1, ask(&l, at(3), address(8), 256, 1))
	require.Equal(t, 1, ask(&l, at(3), address(9), 256, 1), "addresses 0 and 7 are forgotten")
	require.False(t, l.Allow(at(3), address(10)))
}
