//go:build tshark

package wireshark

import (
	"flag"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
)

var throughput = flag.Int("throughput", 10_000, "datagrams of the measurement")

// TestThroughput measures TShark with the dissector on the recorded match, repeated with other
// ports. The limit leaves room for a slow or busy machine.
func TestThroughput(t *testing.T) {
	const least = 1000 // datagrams a second of processor time
	c, name := newCapture(t)
	match := recordings(t)["match.jsonl"]
	for round := 0; c.n < *throughput; round++ {
		for _, player := range slices.Sorted(maps.Keys(match)) {
			client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(round >> 8), byte(round), 1}), uint16(30000+c.n%30000))
			for _, d := range match[player] {
				if c.n == *throughput {
					break
				}
				src, dst := client, server
				if d.toClient {
					src, dst = dst, src
				}
				c.write(t, capture.Datagram{Time: float64(round)*20 + d.at, Src: src, Dst: dst, Data: onWire(d.data, false)})
			}
		}
	}
	c.close(t)
	cmd := command(t, "-X", "lua_script:bcwire.lua", "-r", name, "-Y", "bcwire.torpedofire",
		"-T", "fields", "-e", "frame.time_relative", "-e", "bcwire.torpedofire.tubeid")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NotEmpty(t, out)
	spent := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	rate := float64(*throughput) / spent.Seconds()
	t.Logf("%d datagrams in %v: %.0f a second", *throughput, spent.Round(time.Millisecond), rate)
	require.Greater(t, rate, float64(least))
}
