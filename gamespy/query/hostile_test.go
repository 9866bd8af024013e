package query_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// hostile describes the datagrams that arrive after the first query.
type hostile struct {
	name  string
	from  netip.AddrPort
	came  []string
	want  error         // error of Server
	pairs int           // pairs of the answer
	whole bool          // the answer is complete
	took  time.Duration // duration of Server
}

func TestHostile(t *testing.T) {
	asked, neighbour := address(1), address(2)
	otherPort := netip.AddrPortFrom(asked.Addr(), asked.Port()+1)
	for _, row := range []hostile{
		{"another address answers", neighbour, []string{whole}, query.ErrNoAnswer, 0, false, 3 * time.Second},
		{"another port answers", otherPort, []string{whole}, query.ErrNoAnswer, 0, false, 3 * time.Second},
		{"a flood from another address", neighbour, times(20_000, func(int) string { return whole }), query.ErrNoAnswer, 0, false, 3 * time.Second},
		{"not GameSpy text", asked, []string{"", "\x01\xD7\x32", " " + whole}, query.ErrNoAnswer, 0, false, 3 * time.Second},
		{"never complete", asked, []string{`\x\y\queryid\2.1`, `\x\y\queryid\2.3`}, nil, 2, false, 3 * time.Second},
		{"parts of a thousand answers", asked, times(1000, func(i int) string { return fmt.Sprintf(`\x\y\queryid\%d.1`, i) }), nil, 1, false, 3 * time.Second},
		{"contradictory parts", asked, []string{`\x\y\queryid\2.1`, `\a\b\c\d\queryid\2.1`}, nil, 1, false, 3 * time.Second},
		{"no queryid and no final", asked, []string{`\x\y`, `\a\b\c\d`}, nil, 2, false, 3 * time.Second},
		{"600 pairs", asked, []string{strings.Repeat(`\k\v`, 600) + `\final\`}, nil, gamespy.MaxPairs, false, 3 * time.Second},
		{"a datagram of 64 KiB", asked, []string{`\k\` + strings.Repeat("v", 65_000) + `\final\`}, nil, 1, true, time.Millisecond},
		{"only final", asked, []string{`\final\`}, nil, 0, true, time.Millisecond},
		{"a thousand answers", asked, times(1000, func(int) string { return whole }), nil, 2, true, time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) { synctest.Test(t, row.try) })
	}
}

func times(n int, datagram func(i int) string) (all []string) {
	for i := range n {
		all = append(all, datagram(i))
	}
	return all
}

func (h *hostile) try(t *testing.T) {
	begin, queries := time.Now(), 0
	conn := newFakeConn(func(c *fakeConn, _ netip.AddrPort, _ string) error {
		if queries++; queries == 1 {
			c.deliver(time.Millisecond, h.from, h.came...)
		}
		return nil
	})
	r, err := query.Server(t.Context(), conn, address(1))
	require.ErrorIs(t, err, h.want)
	require.InDelta(t, h.took, time.Since(begin), float64(time.Millisecond))
	require.LessOrEqual(t, queries, 3)
	require.Len(t, r.Pairs, h.pairs)
	require.Equal(t, h.want == nil && !h.whole, r.Incomplete)
}
