package capture

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// readGame returns what a Reader passes on of datagrams, which a capture has at the addresses that they have.
func readGame(t *testing.T, all ...Datagram) input {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for i := range all {
		require.NoError(t, w.Write(&all[i]))
	}
	require.NoError(t, w.Flush())
	return readFrom(NewReader(&b))
}

// between returns a datagram with other addresses.
func between(d Datagram, client, host string) Datagram {
	d.Src, d.Dst = netip.MustParseAddrPort(client), netip.MustParseAddrPort(host)
	if d.Dir == recording.ToClient {
		d.Src, d.Dst = d.Dst, d.Src
	}
	return d
}

// The host sends two clients the same: both datagrams are read.
func TestEqualDatagramsToTwoClients(t *testing.T) {
	var all []Datagram
	for _, d := range recordedMatch(t) {
		if d.Dir == recording.ToClient && d.Client == "1" {
			all = append(all, between(d, "192.0.2.1:50000", "192.0.2.9:22101"), between(d, "192.0.2.2:50000", "192.0.2.9:22101"))
		}
	}
	in := readGame(t, all...)
	require.NoError(t, in.err)
	require.Len(t, in.datagrams, len(all))
	require.Empty(t, in.notes)
}

// The first datagrams of a flow are read when a later one shows that it is of the game, and are no others.
func TestFlowThatBeginsMalformed(t *testing.T) {
	game := recordedMatch(t)[0]
	bad := game
	bad.Data = []byte{game.Data[0], 7, 7, 7}
	own, other := between(bad, "192.0.2.1:50000", "192.0.2.9:22101"), between(bad, "192.0.2.1:50001", "192.0.2.9:53")
	in := readGame(t, own, other, own, between(game, "192.0.2.1:50000", "192.0.2.9:22101"))
	require.NoError(t, in.err)
	require.Len(t, in.datagrams, 3)
	require.Equal(t, []int{1, 3, 4}, []int{in.datagrams[0].Number, in.datagrams[1].Number, in.datagrams[2].Number})
	require.Equal(t, []string{"1 datagram on 1 port is not the game's: 53"}, in.notes)
}

// GameSpy text is passed on by itself. A datagram of another program may begin with its first byte.
func TestGameSpyInCaptures(t *testing.T) {
	text := func(data string) Datagram {
		return between(Datagram{Dir: recording.ToServer, Data: []byte(data)}, "192.0.2.1:6500", "192.0.2.9:6501")
	}
	in := readGame(t, text(`\status\`), text(`\basic\\info\`), text("\\\x07\x01\x00\x00\x01"), text(`\?`))
	require.NoError(t, in.err)
	require.Len(t, in.datagrams, 2)
	require.Equal(t, []string{"2 datagrams on 1 port are not the game's: 6500"}, in.notes)
}
