package query_test

import (
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy/query"
)

// A master can list all ports of one host, and each port can send the longest possible
// answer. The memory of stored answers is limited.
func TestScanMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := `\hostname\` + strings.Repeat("x", 60_000) + `\final\\queryid\1.1`
		conn := newFakeConn(func(c *fakeConn, to netip.AddrPort, _ string) error {
			c.deliver(0, to, long)
			return nil
		})
		var s query.Scanner
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		results, err := s.Scan(t.Context(), conn, addresses(500))
		require.NoError(t, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, after.HeapAlloc, before.HeapAlloc+24<<20)
		require.Greater(t, len(results), 200)
		require.Len(t, results[0].Pairs.ServerInfo().HostName, 60_000)
	})
}
