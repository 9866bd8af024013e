package relay

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func address(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 16), 1}), uint16(n))
}

func newTable(max int, idle time.Duration) *clients {
	return &clients{options: &Options{Clients: max, Idle: idle}, byAddr: map[netip.AddrPort]*client{}}
}

// sweep does what the proxy does once a second.
func (t *clients) sweep(now time.Time) {
	for _, c := range t.idle(now) {
		t.remove(c)
	}
}

// TestMillionSourcePorts floods the table with addresses while a client is active.
func TestMillionSourcePorts(t *testing.T) {
	const flood = 1_000_000
	table := newTable(64, time.Minute)
	player, _ := table.at(start, address(flood))
	player.answered = true
	now, swept, most := start, start, 0
	for n := range flood {
		now = now.Add(100 * time.Microsecond)
		table.at(now, address(n))
		if n%1000 == 0 {
			c, isNew := table.at(now, player.addr)
			require.Same(t, player, c)
			require.False(t, isNew)
		}
		if now.Sub(swept) >= tickInterval {
			swept = now
			table.sweep(now)
		}
		most = max(most, len(table.byAddr))
	}
	require.Equal(t, 64, most)
	require.False(t, player.removed)
	require.Greater(t, table.refused, flood*9/10)
	require.EqualValues(t, flood+1, table.refused+int(table.count))

	now = now.Add(unansweredTimeout)
	table.sweep(now)
	c, isNew := table.at(now, address(flood+1))
	require.NotNil(t, c, "after the flood, the table has room")
	require.True(t, isNew)
}

func TestIdle(t *testing.T) {
	table := newTable(4, time.Minute)
	unanswered, _ := table.at(start, address(1))
	player, _ := table.at(start, address(2))
	player.answered = true
	require.Equal(t, []int64{1, 2}, []int64{unanswered.number, player.number})

	require.Empty(t, table.idle(start.Add(unansweredTimeout-1)))
	require.Equal(t, []*client{unanswered}, table.idle(start.Add(unansweredTimeout)))
	table.at(start.Add(time.Minute), player.addr)
	require.Equal(t, []*client{unanswered}, table.idle(start.Add(2*time.Minute-1)))
	require.Len(t, table.idle(start.Add(2*time.Minute)), 2)

	table.remove(player)
	again, isNew := table.at(start, player.addr)
	require.True(t, isNew)
	require.EqualValues(t, 3, again.number, "a client that returns is a new client")
	require.True(t, player.removed)

	short := newTable(1, time.Second)
	c, _ := short.at(start, address(1))
	require.Equal(t, []*client{c}, short.idle(start.Add(time.Second)), "the shorter timeout applies")
}

// Each direction of each client has its own stream of random numbers.
func TestStreamsDiffer(t *testing.T) {
	table := newTable(10, time.Minute)
	seen := map[uint64]bool{}
	for n := range 10 {
		c, _ := table.at(start, address(n))
		for _, l := range c.links {
			x := l.rand.Uint64()
			require.False(t, seen[x])
			seen[x] = true
		}
	}
}
