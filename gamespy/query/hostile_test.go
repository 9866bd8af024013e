package query_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy/query"
)

// hostile describes the datagrams that arrive after the first query.
type hostile struct {
	name   string
	from   netip.AddrPort
	came   []string
	silent bool          // no answer
	pairs  int           // pairs of the answer
	whole  bool          // the answer is complete
	took   time.Duration // duration of the scan
}

func TestHostile(t *testing.T) {
	asked, neighbour := address(1), address(2)
	otherPort := netip.AddrPortFrom(asked.Addr(), asked.Port()+1)
	for _, row := range []hostile{
		{"another address answers", neighbour, []string{whole}, true, 0, false, 3 * time.Second},
		{"another port answers", otherPort, []string{whole}, true, 0, false, 3 * time.Second},
		{"a flood from another address", neighbour, times(20_000, func(int) string { return whole }), true, 0, false, 3 * time.Second},
		{"not GameSpy text", asked, []string{"", "\x01\xD7\x32", " " + whole}, true, 0, false, 3 * time.Second},
		{"never complete", asked, []string{`\x\y\queryid\2.1`, `\x\y\queryid\2.3`}, false, 2, false, 3 * time.Second},
		{"parts of a thousand answers", asked, times(1000, func(i int) string { return fmt.Sprintf(`\x\y\queryid\%d.1`, i) }), false, 1, false, 3 * time.Second},
		{"contradictory parts", asked, []string{`\x\y\queryid\2.1`, `\a\b\c\d\queryid\2.1`}, false, 1, false, 3 * time.Second},
		{"no queryid and no final", asked, []string{`\x\y`, `\a\b\c\d`}, false, 2, false, 3 * time.Second},
		{"600 pairs", asked, []string{strings.Repeat(`\k\v`, 600) + `\final\`}, false, 512, false, 3 * time.Second},
		{"a datagram of 64 KiB", asked, []string{`\k\` + strings.Repeat("v", 65_000) + `\final\`}, false, 1, true, time.Millisecond},
		{"only final", asked, []string{`\final\`}, false, 0, true, time.Millisecond},
		{"a thousand answers", asked, times(1000, func(int) string { return whole }), false, 2, true, time.Millisecond},
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
	var s query.Scanner
	results, err := s.Scan(t.Context(), conn, addresses(1))
	require.NoError(t, err)
	if h.silent {
		require.Empty(t, results)
		results = []query.Result{{}}
	}
	require.InDelta(t, h.took, time.Since(begin), float64(time.Millisecond))
	require.LessOrEqual(t, queries, 3)
	require.Len(t, results[0].Pairs, h.pairs)
	require.Equal(t, !h.silent && !h.whole, results[0].Incomplete)
}

// Servers that answer at length, with parts without end, or many times, do not hide the others, and
// the memory of answers stays limited.
func TestHostileServersHideNobody(t *testing.T) {
	const bad, good = 330, 20
	long := `\hostname\` + strings.Repeat("x", 60_000)
	for name, answer := range map[string]func(i int) []string{
		"long": func(int) []string { return []string{long + `\final\\queryid\1.1`} },
		"memory almost full": func(i int) []string {
			length := 60_000
			switch {
			case i > 320:
				length = 1
			case i > 304:
				length = 100
			case i > 279:
				length = 1000
			}
			return []string{`\hostname\` + strings.Repeat("x", length) + `\final\\queryid\1.1`}
		},
		"parts": func(int) []string {
			return times(4, func(n int) string { return fmt.Sprintf(`%s\queryid\%d.1`, long, n) })
		},
		"short": func(int) []string {
			return times(4, func(n int) string { return fmt.Sprintf(`\x\y\queryid\%d.2`, n) })
		},
		"repeated": func(int) []string { return times(4, func(int) string { return long + `\final\\queryid\1.1` }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
					if to.Port() <= bad {
						c.deliver(time.Millisecond, to, answer(int(to.Port()))...)
						return nil
					}
					c.deliver(30*time.Millisecond, to, `\hostname\A\queryid\1.1`)
					c.deliver(35*time.Millisecond, to, `\player_0\Host\final\\queryid\1.2`)
					return nil
				})
				var s query.Scanner
				results, err := s.Scan(t.Context(), conn, addresses(bad+good))
				require.NoError(t, err)
				size, whole := 0, 0
				for _, r := range results {
					for _, p := range r.Pairs {
						size += len(p.Key) + len(p.Value)
					}
					if r.From.Port() > bad && !r.Incomplete {
						require.Equal(t, "A", r.Pairs.ServerInfo().HostName)
						whole++
					}
				}
				require.Equal(t, good, whole)
				require.LessOrEqual(t, size, 16<<20)
			})
		})
	}
}

// An answer that stays incomplete is kept while the scan goes on, unless it is too long.
func TestIncompleteAnswerOfLongScan(t *testing.T) {
	for _, c := range []struct{ neighbours, pairs int }{{0, 1}, {300, 0}} {
		synctest.Test(t, func(t *testing.T) {
			conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
				c.deliver(time.Millisecond, to, `\hostname\`+strings.Repeat("x", 60_001)+`\queryid\1.1`)
				for i := range 3 {
					from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(9 + i)}), to.Port())
					c.deliver(time.Duration(1+i)*250*time.Millisecond, from, `\final\\queryid\1.1`)
				}
				return nil
			})
			for i := range c.neighbours {
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}), address(1).Port())
				conn.deliver(time.Millisecond, from, `\hostname\`+strings.Repeat("x", 60_000)+`\final\\queryid\1.1`)
			}
			s := query.Scanner{Broadcast: true, Wait: 300 * time.Millisecond}
			results, err := s.Scan(t.Context(), conn, addresses(1))
			require.NoError(t, err)
			require.True(t, results[0].Incomplete)
			require.Equal(t, c.pairs, len(results[0].Pairs))
		})
	}
}
