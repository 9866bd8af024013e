package limit_test

import (
	"fmt"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/internal/limit"
)

func of(s string) limit.Network { return limit.Of(netip.MustParseAddrPort(s)) }

func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1:2]:2", true},
		{"[2001:db8::1]:1", "[2001:db8::8000:0:0:1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		{"127.0.0.1:1", "127.0.0.1:2", false},
		{"127.0.0.1:1", "[::ffff:127.0.0.1]:1", true},
		{"[::1]:1", "[::1]:2", false},
	} {
		require.Equal(t, c.same, of(c.one) == of(c.other), "%v", c)
		require.Equal(t, c.same, of(c.one).Compare(of(c.other)) == 0, "%v", c)
	}
	require.Equal(t, "192.0.2.1:0 127.0.0.1:7 [2001:db8::]:0", fmt.Sprint(of("192.0.2.1:1").First(), of("127.0.0.1:7").First(), of("[2001:db8::1]:1").First()))
	require.False(t, limit.Network{}.IsValid())
	require.True(t, of("127.0.0.1:1").IsValid())
	require.Equal(t, limit.Network{}, limit.Of(netip.AddrPort{}))
}

// A bucket gives its burst at once, and then a token in each interval.
func TestBucket(t *testing.T) {
	rate := limit.Rate{Interval: time.Second, Burst: 3}
	var b limit.Bucket
	take := func(now time.Duration, want int) {
		t.Helper()
		n := 0
		for b.Take(now, rate, 1) {
			n++
		}
		require.Equal(t, want, n)
	}
	require.Zero(t, b.Spent(0, rate))
	take(0, 3)
	require.Equal(t, 3, b.Spent(0, rate))
	take(999*time.Millisecond, 0)
	require.Equal(t, 3, b.Spent(999*time.Millisecond, rate), "rounded up")
	take(time.Second, 1)
	take(time.Hour, 3)
	require.False(t, b.Take(2*time.Hour, rate, 4), "more than a full bucket")
	require.True(t, b.Take(2*time.Hour, rate, 3))
	b.Spend(2*time.Hour, rate, 5)
	require.Equal(t, 8, b.Spent(2*time.Hour, rate), "more than it has")
	take(2*time.Hour+5*time.Second, 0)
	take(2*time.Hour+6*time.Second, 1)

	year := limit.Rate{Interval: 365 * 24 * time.Hour, Burst: 10}
	for range 300 {
		b.Spend(0, year, 10)
	}
	require.False(t, b.Has(math.MaxInt64/2, year, 1), "no overflow")
}

// slow is a Table without a limit that forgets nothing.
type slow map[limit.Network]*[2]limit.Bucket

func (s slow) of(n limit.Network) *[2]limit.Bucket {
	if s[n] == nil {
		s[n] = &[2]limit.Bucket{}
	}
	return s[n]
}

// held returns the number of networks with a bucket that is not full.
func (s slow) held(now time.Duration, rates []limit.Rate) (n int) {
	for _, b := range s {
		if b[0].Spent(now, rates[0]) > 0 || b[1].Spent(now, rates[1]) > 0 {
			n++
		}
	}
	return n
}

// While there is room, a Table is the same as buckets of all networks, and holds only those that are not full.
func TestTable(t *testing.T) { rapid.Check(t, propertyTable) }

func FuzzTableProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyTable)) }

func propertyTable(t *rapid.T) {
	rates := []limit.Rate{{Interval: time.Second, Burst: 3}, {Interval: 5 * time.Second, Burst: 2}}
	table, all := limit.Table{Max: 20, Rates: rates}, slow{}
	now := time.Duration(0)
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		now += time.Duration(rapid.IntRange(0, 3000).Draw(t, "passed")) * time.Millisecond
		n := limit.Of(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 20).Draw(t, "network"))}), 1))
		bucket, tokens := rapid.IntRange(0, 1).Draw(t, "bucket"), rapid.IntRange(1, 3).Draw(t, "tokens")
		want := &all.of(n)[bucket]
		require.Equal(t, want.Has(now, rates[bucket], tokens), table.Has(now, n, bucket, tokens))
		require.Equal(t, want.Spent(now, rates[bucket]), table.Spent(now, n, bucket))
		if rapid.Bool().Draw(t, "anyway") {
			want.Spend(now, rates[bucket], tokens)
			table.Spend(now, n, bucket, tokens)
			require.Equal(t, all.held(now, rates), table.Len())
		} else {
			require.Equal(t, want.Take(now, rates[bucket], tokens), table.Take(now, n, bucket, tokens))
		}
	}
}

// A Table that is full forgets the network whose buckets would be full first. A network that spends more keeps
// its record however many others come.
func TestFullTable(t *testing.T) {
	table := limit.Table{Max: 3, Rates: []limit.Rate{{Interval: time.Second, Burst: 10}, {Interval: time.Minute, Burst: 10}}}
	table.Spend(0, of("10.0.0.1:1"), 0, 5)
	table.Spend(0, of("10.0.0.2:1"), 0, 1)
	table.Spend(0, of("10.0.0.2:1"), 1, 1) // its last bucket counts
	table.Spend(0, of("10.0.0.3:1"), 0, 4)
	table.Spend(0, of("10.0.0.4:1"), 0, 6)
	spent := func() (all []int) {
		for _, a := range []string{"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1", "10.0.0.4:1"} {
			all = append(all, table.Spent(0, of(a), 0))
		}
		return all
	}
	require.Equal(t, []int{5, 1, 0, 6}, spent())
	for i := range 1000 {
		table.Spend(0, limit.Of(netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, 0, byte(i >> 8), byte(i)}), 1)), 0, 1)
		require.Equal(t, 3, table.Len())
	}
	require.Equal(t, []int{0, 1, 0, 6}, spent())
	require.False(t, table.Take(0, of("10.0.0.4:1"), 0, 5))
	require.Equal(t, 3, table.Len(), "what is refused takes no record")
	table.Spend(time.Hour, of("10.0.0.1:1"), 0, 1)
	require.Equal(t, 1, table.Len(), "the others are full")
}

// The sessions of a network have accounts of full buckets, as many as there have been sessions at once, whatever the
// order in which sessions end and begin.
func TestAccounts(t *testing.T) { rapid.Check(t, propertyAccounts) }

func propertyAccounts(t *rapid.T) {
	rate := limit.Rate{Interval: time.Second, Burst: 4}
	accounts := limit.Accounts{Max: 100, Rates: []limit.Rate{rate, {Interval: time.Minute, Burst: 1}}}
	open, most, spent := map[limit.Network][]*limit.Account{}, map[limit.Network]int{}, map[limit.Network]int{}
	now := time.Duration(0)
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		now += time.Duration(rapid.IntRange(0, 300).Draw(t, "passed")) * time.Millisecond
		n := limit.Of(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 3).Draw(t, "network"))}), 1))
		switch mine := open[n]; rapid.IntRange(0, 2).Draw(t, "act") {
		case 0:
			open[n] = append(mine, accounts.Open(now, n))
			most[n] = max(most[n], len(open[n]))
		case 1:
			if len(mine) > 0 {
				i := rapid.IntRange(0, len(mine)-1).Draw(t, "session")
				accounts.Close(now, mine[i])
				open[n] = append(mine[:i:i], mine[i+1:]...)
			}
		default:
			if len(mine) > 0 && mine[rapid.IntRange(0, len(mine)-1).Draw(t, "session")].Take(now, 0, 1) {
				spent[n]++
			}
		}
		require.LessOrEqual(t, spent[n], most[n]*(rate.Burst+int(now/rate.Interval)))
	}
	for n := range open {
		for _, a := range open[n] {
			accounts.Close(now, a)
		}
	}
	now += time.Hour
	accounts.Close(now, accounts.Open(now, limit.Network{}))
	require.Zero(t, accounts.Len(), "all are full")
}

// A session takes the idle account of its network that was closed last, without those that are full.
func TestIdleAccounts(t *testing.T) {
	accounts := limit.Accounts{Max: 10, Rates: []limit.Rate{{Interval: time.Second, Burst: 10}}}
	n := of("10.0.0.1:1")
	var all []*limit.Account
	for _, tokens := range []int{9, 2, 8, 7, 1} {
		a := accounts.Open(0, n)
		require.True(t, a.Take(0, 0, tokens))
		all = append(all, a)
	}
	for _, a := range all {
		accounts.Close(0, a)
	}
	require.Equal(t, 5, accounts.Len())
	var left []int // tokens after 2 s
	for range 4 {
		a, tokens := accounts.Open(2*time.Second, n), 0
		for a.Take(2*time.Second, 0, 1) {
			tokens++
		}
		left = append(left, tokens)
	}
	require.Equal(t, []int{5, 4, 3, 10}, left)
	require.Zero(t, accounts.Len())
}

// Accounts forgets the idle account that would be full first. An account that a session has is never idle.
func TestFullAccounts(t *testing.T) {
	accounts := limit.Accounts{Max: 2, Rates: []limit.Rate{{Interval: time.Second, Burst: 10}}}
	spend := func(n limit.Network, tokens int) *limit.Account {
		a := accounts.Open(0, n)
		a.Spend(0, 0, tokens)
		return a
	}
	eve := of("10.0.0.1:1")
	a, b := spend(eve, 9), spend(eve, 8)
	for i := range 1000 {
		accounts.Close(0, spend(limit.Of(netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, 0, byte(i >> 8), byte(i)}), 1)), 1+i%5))
		require.LessOrEqual(t, accounts.Len(), 2)
	}
	accounts.Close(0, a)
	accounts.Close(0, b)
	require.Equal(t, 2, accounts.Len(), "those of others are forgotten")
	for range 2 {
		require.False(t, accounts.Open(0, eve).Has(0, 0, 3))
	}
	require.True(t, accounts.Open(0, eve).Has(0, 0, 10), "none is idle")
}
