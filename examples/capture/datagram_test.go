package capture

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// The servers that a Locator remembers are limited, as in a capture of a scan.
func TestServersAreBounded(t *testing.T) {
	var l Locator
	for i := range 2 * maxServers {
		l.Locate(&Datagram{Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1), Data: []byte{1, 0}})
	}
	require.LessOrEqual(t, len(l.servers), maxServers)
}

// GameSpy text has no peer ID. The addresses give its direction.
func TestGameSpyDirectionOfCaptures(t *testing.T) {
	server := netip.MustParseAddrPort("10.0.0.1:30000")
	player := netip.MustParseAddrPort("10.0.0.2:50000")
	stock := netip.MustParseAddrPort("10.0.0.3:22101")
	var l Locator
	l.Locate(&Datagram{Src: server, Dst: player, Data: []byte{1, 0}})
	for _, c := range []struct {
		src, dst netip.AddrPort
		want     recording.Direction
	}{{server, player, recording.ToClient}, {player, server, recording.ToServer}, {stock, player, recording.ToClient}, {player, stock, recording.ToServer}} {
		d := &Datagram{Src: c.src, Dst: c.dst, Data: []byte(`\x\`)}
		clone := l.Clone()
		clone.Locate(d)
		require.Equal(t, c.want, d.Dir)
		require.Equal(t, player.String(), d.Client)
	}
}
