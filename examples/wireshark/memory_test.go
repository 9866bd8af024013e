//go:build tshark

package wireshark

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

var kilobytes = regexp.MustCompile(`(?m)^resident (\d+)$`)

// resident returns the most memory that TShark had while it dissected a capture in one pass, in
// bytes.
func resident(t *testing.T, file string, args ...string) int64 {
	args = append(args, "-X", "lua_script:testdata/resident.lua", "-r", file, "-T", "fields", "-e", "udp.length")
	cmd := command(t, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	require.NoError(t, cmd.Run())
	require.NotContains(t, complaints.String(), "Error")
	found := kilobytes.FindStringSubmatch(complaints.String())
	require.NotNil(t, found, complaints.String())
	n, err := strconv.ParseInt(found[1], 10, 64)
	require.NoError(t, err)
	return n * 1024
}

// growth returns the bytes that the dissector keeps for each datagram after the first n of 4n. What
// TShark keeps without it is left out.
func growth(t *testing.T, n int, datagram func(i int) (client netip.AddrPort, up bool, data []byte)) float64 {
	measure := func(n int) (with, without int64) {
		c, name := newCapture(t)
		for i := range n {
			client, up, data := datagram(i)
			if up {
				c.udp(t, client, server, data)
			} else {
				c.udp(t, server, client, data)
			}
		}
		c.close(t)
		return resident(t, name, "-X", "lua_script:bcwire.lua"), resident(t, name)
	}
	few, fewAlone := measure(n)
	many, manyAlone := measure(4 * n)
	perDatagram := float64(many-few-(manyAlone-fewAlone)) / float64(3*n)
	t.Logf("%d KiB for %d datagrams, %d KiB for %d: %.0f bytes a datagram, and %d of TShark",
		few>>10, n, many>>10, 4*n, perDatagram, (manyAlone-fewAlone)/int64(3*n))
	require.Greater(t, many, manyAlone, "the memory of the dissector")
	return perDatagram
}

// datagramOf returns a datagram with a message, as it is on the wire.
func datagramOf(t *testing.T, peer int8, m transport.Message) []byte {
	p := transport.Packet{PeerID: objectid.PeerID(peer), Messages: []transport.Message{m}}
	b, err := p.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(b)
	return b
}

// enough is the limit of the bytes that the dissector keeps for a datagram, for a second pass.
const enough = 1000

// TestMemoryOfConversations has few clients that play on and on.
func TestMemoryOfConversations(t *testing.T) {
	t.Parallel()
	var list []datagram
	for _, c := range everyClient(t) {
		list = append(list, c.datagrams...)
	}
	perDatagram := growth(t, 5000, func(i int) (netip.AddrPort, bool, []byte) {
		d := list[i%len(list)]
		return one, !d.toClient, onWire(d.data, false)
	})
	require.Less(t, perDatagram, float64(enough))
}

// TestMemoryOfHostileDatagrams has datagrams that each ask for memory: for a session, a connection, a
// payload of which most fragments are missing, or a message that nobody acknowledges.
func TestMemoryOfHostileDatagrams(t *testing.T) {
	if testing.Short() {
		t.Skip("a flood")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(4, *seed))
	fragment := func(seq uint16) transport.Message {
		all, err := transport.AppendFragments(nil, seq, make([]byte, 1200))
		require.NoError(t, err)
		return all[1]
	}
	connect := func() transport.Message {
		return transport.NewMessage(0, &transport.ConnectRequest{ConnID: r.Uint32()})
	}
	stranger := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}), 30000)
	}
	for name, datagram := range map[string]func(i int) (netip.AddrPort, bool, []byte){
		"unfinished fragments": func(i int) (netip.AddrPort, bool, []byte) {
			return one, true, datagramOf(t, 2, fragment(uint16(i)))
		},
		"unfinished fragments of strangers": func(i int) (netip.AddrPort, bool, []byte) {
			return stranger(i), true, datagramOf(t, 2, fragment(uint16(i)))
		},
		"ConnIDs": func(i int) (netip.AddrPort, bool, []byte) {
			return one, true, datagramOf(t, -1, connect())
		},
		"ConnIDs of strangers": func(i int) (netip.AddrPort, bool, []byte) {
			return stranger(i), true, datagramOf(t, -1, connect())
		},
		"peers": func(i int) (netip.AddrPort, bool, []byte) {
			return one, true, datagramOf(t, int8(1+i%90), transport.NewData(uint16(i), []byte{1}))
		},
		"names of strangers": func(i int) (netip.AddrPort, bool, []byte) {
			name, err := transport.NewUTF16Z(fmt.Sprintf("player %d", i))
			require.NoError(t, err)
			return stranger(i), true, datagramOf(t, 2, transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: name}))
		},
		"sequence numbers": func(i int) (netip.AddrPort, bool, []byte) {
			return one, true, datagramOf(t, 2, transport.NewData(uint16(i*33), []byte{1}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, growth(t, 5000, datagram), float64(enough))
		})
	}
}
