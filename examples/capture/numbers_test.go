package capture

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

func sender(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(i >> 16), 1}), uint16(i))
}

// A client that keeps sending keeps its number during a flood of addresses.
func TestNumbersAreBounded(t *testing.T) {
	var n numbers
	seen := map[int64]bool{}
	give := func(i int) int64 {
		number := n.of(sender(i))
		require.False(t, seen[number], "%d is given twice", number)
		seen[number] = true
		return number
	}
	first := give(1)
	constant := n.of(sender(0))
	seen[constant] = true
	for i := range 10 * maxRecent {
		give(i + 2)
		require.Equal(t, constant, n.of(sender(0)), "heard all the time")
		require.LessOrEqual(t, len(n.recent)+len(n.earlier), 2*maxRecent)
	}
	require.NotEqual(t, first, give(1), "silent for long")
}

// Durations are exact in recordings of days.
func TestTimesAreExact(t *testing.T) {
	start := time.Unix(1000, 0)
	random := rand.New(rand.NewPCG(1, 2))
	const month = int64(25 * 24 * time.Hour)
	for range 1000 {
		at := time.Duration(random.Int64N(2*month) - month)
		var b strings.Builder
		r := NewLines(&b, start)
		r.WriteAddrPort(start.Add(at), "", sender(1), nil)
		require.NoError(t, r.Flush())
		for d, err := range recording.Read(strings.NewReader(b.String())) {
			require.NoError(t, err)
			require.Equal(t, at, d.Time())
		}
	}
}
