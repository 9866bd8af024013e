package gamespy

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ask asks until there is no answer, at most n times.
func ask(l *limiter, now time.Time, from netip.Addr, size, n int) (answers int) {
	for range n {
		if !l.allow(now, from) {
			return answers
		}
		l.spend(now, from, size)
		answers++
	}
	return answers
}

var start = time.Unix(1_000_000_000, 0)

func address(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(i))
	return netip.AddrFrom4(b)
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

func TestSources(t *testing.T) {
	a := netip.MustParseAddr
	for _, c := range []struct {
		one, other netip.Addr
		same       bool
	}{
		{a("192.0.2.1"), a("192.0.2.2"), false},
		{a("192.0.2.1"), a("::ffff:192.0.2.1"), true},
		{a("2001:db8::1"), a("2001:db8::ffff:1:2"), true},
		{a("2001:db8::1"), a("2001:db8::8000:0:0:1"), true},
		{a("2001:db8::1"), a("2001:db8:0:1::1"), false},
		{a("fe80::1%eth0"), a("fe80::1%eth1"), true},
		{netip.Addr{}, netip.Addr{}, true},
	} {
		var l limiter
		require.Equal(t, 10, ask(&l, start, c.one, 1, 100))
		require.Equal(t, !c.same, l.allow(start, c.other), "%v %v", c.one, c.other)
	}
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
	require.Equal(t, 1, ask(&l, start.Add(63*time.Second+1), address(1), 1, 1))
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

// full returns a limiter that remembers as many sources as it can. The debt of source i ends with its
// answers, half a second each. The limit of all sources is not reached.
func full(answers func(i int) int) *limiter {
	var l limiter
	for i := range maxSources {
		for range answers(i) {
			l.spend(start, address(i), 1)
		}
		l.total = time.Time{}
	}
	return &l
}

func TestSourcesAreLimited(t *testing.T) {
	l := full(func(i int) int { return 1 + i/(maxSources-1) }) // two for the last
	const last = maxSources - 1
	require.False(t, l.allow(start, address(maxSources)), "full")
	require.True(t, l.allow(start, address(last)), "known")
	now := start.Add(500 * time.Millisecond)
	require.True(t, l.allow(now, address(maxSources)), "all but one are forgotten")
	require.Len(t, l.sources, 1)
	require.Equal(t, 9, ask(l, now, address(last), 1, 100), "its debt is remembered")
}

// A full limiter looks for sources without debt once, not at each query.
func TestFullLimiterLooksOnce(t *testing.T) {
	l := full(func(int) int { return 1 })
	require.False(t, l.allow(start, address(maxSources)))
	l.sources[source(address(0))] = start // a look would find it
	require.False(t, l.allow(start.Add(answerInterval-1), address(maxSources)))
	require.True(t, l.allow(start.Add(answerInterval), address(maxSources)), "the first debt ends")
}

// A full limiter has room again as soon as a debt ends, in any order of debts.
func TestLimiterMakesRoom(t *testing.T) {
	l := full(func(i int) int { return []int{3, 2, 4}[min(i, 2)] })
	at := func(halves int) time.Time { return start.Add(time.Duration(halves) * answerInterval) }
	allow := func(now time.Time, i int) bool {
		l.total = time.Time{}
		return ask(l, now, address(i), 1, 1) == 1
	}
	require.False(t, allow(at(1), 2000))
	require.True(t, allow(at(2), 2000), "in place of address 1, until 3 halves")
	require.False(t, allow(at(2), 2001))
	require.True(t, allow(at(3), 2001))
	require.True(t, allow(at(3), 2002), "addresses 0 and 2000 are forgotten")
	require.False(t, allow(at(3), 2003))
}
