package hostport

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithPort(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.1":      "10.0.0.1:22101",
		"10.0.0.1:7":    "10.0.0.1:7",
		"example.org":   "example.org:22101",
		"example.org:7": "example.org:7",
		":7":            ":7",
		"::1":           "[::1]:22101",
		"[::1]:7":       "[::1]:7",
	} {
		require.Equal(t, want, WithPort(in, 22101), in)
	}
}

func TestResolve(t *testing.T) {
	addr, err := Resolve("udp", "127.0.0.1", 22101)
	require.NoError(t, err)
	require.Equal(t, netip.MustParseAddrPort("127.0.0.1:22101"), addr, "not an IPv4 address in IPv6")
	_, err = Resolve("udp4", "127.0.0.1:0", 22101)
	require.ErrorIs(t, err, errPort)
	_, err = Resolve("udp4", "[::1]:7", 22101)
	require.Error(t, err)
}
