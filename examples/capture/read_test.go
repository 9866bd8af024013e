package capture

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/transport/recording"
)

const recorded = "../../testdata/rejoins.jsonl"

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return b
}

func zipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// events returns the events of an input, without times and clients, and its errors.
func events(b []byte) (all []string, failed error) {
	for step, err := range Read(bytes.NewReader(b), &match.Match{Events: true}) {
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, e := range step.Events {
			all = append(all, fmt.Sprint(e.Match, e.Kind, &e))
		}
	}
	return all, failed
}

// packetWriter is implemented by the writers of both capture formats.
type packetWriter interface {
	WritePacket(ci gopacket.CaptureInfo, data []byte) error
}

// writePackets writes the recording as packets. The headers are those before UDP, from the client to the server.
func writePackets(t *testing.T, w packetWriter, headers func(fromHost bool) []gopacket.SerializableLayer) {
	t.Helper()
	for d, err := range recording.Read(bytes.NewReader(readFile(t, recorded))) {
		require.NoError(t, err)
		udp := &layers.UDP{SrcPort: layers.UDPPort(50000 + d.Client), DstPort: 22101}
		fromHost := d.Direction == recording.ToClient
		if fromHost {
			udp.SrcPort, udp.DstPort = udp.DstPort, udp.SrcPort
		}
		stack := headers(fromHost)
		require.NoError(t, udp.SetNetworkLayerForChecksum(stack[len(stack)-1].(gopacket.NetworkLayer)))
		b := gopacket.NewSerializeBuffer()
		stack = append(stack, udp, gopacket.Payload(d.Data))
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, stack...))
		ci := gopacket.CaptureInfo{Timestamp: time.Unix(1e9, 0).Add(d.Time()), Length: len(b.Bytes()), CaptureLength: len(b.Bytes())}
		require.NoError(t, w.WritePacket(ci, b.Bytes()))
	}
}

func ipv4(fromHost bool) []gopacket.SerializableLayer {
	ip := &layers.IPv4{Version: 4, IHL: 5, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{10, 0, 0, 2}, DstIP: net.IP{10, 0, 0, 1}}
	if fromHost {
		ip.SrcIP, ip.DstIP = ip.DstIP, ip.SrcIP
	}
	return []gopacket.SerializableLayer{ip}
}

func ipv6(fromHost bool) []gopacket.SerializableLayer {
	ip := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolUDP, SrcIP: net.ParseIP("fd00::2"), DstIP: net.ParseIP("fd00::1")}
	if fromHost {
		ip.SrcIP, ip.DstIP = ip.DstIP, ip.SrcIP
	}
	return []gopacket.SerializableLayer{ip}
}

func vlan(fromHost bool) []gopacket.SerializableLayer {
	return append([]gopacket.SerializableLayer{
		&layers.Ethernet{SrcMAC: make(net.HardwareAddr, 6), DstMAC: make(net.HardwareAddr, 6), EthernetType: layers.EthernetTypeDot1Q},
		&layers.Dot1Q{VLANIdentifier: 7, Type: layers.EthernetTypeIPv6},
	}, ipv6(fromHost)...)
}

func pcapOf(t *testing.T, link layers.LinkType, nano bool, headers func(bool) []gopacket.SerializableLayer) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if nano {
		w = pcapgo.NewWriterNanos(&b)
	}
	require.NoError(t, w.WriteFileHeader(65536, link))
	writePackets(t, w, headers)
	return b.Bytes()
}

func pcapngOf(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeRaw)
	require.NoError(t, err)
	writePackets(t, w, ipv4)
	require.NoError(t, w.Flush())
	return b.Bytes()
}

// All formats of a match have the same events, also gzipped.
func TestReadFormats(t *testing.T) {
	lines := readFile(t, recorded)
	want, err := events(lines)
	require.NoError(t, err)
	require.Len(t, want, 25)
	var direct []string
	for step, err := range match.Read(bytes.NewReader(lines), &match.Match{Events: true}) {
		require.NoError(t, err)
		for _, e := range step.Events {
			direct = append(direct, fmt.Sprint(e.Match, e.Kind, &e))
		}
	}
	require.Equal(t, direct, want)
	unpacked, err := gzip.NewReader(bytes.NewReader(readFile(t, "testdata/rejoins.pcapng.gz")))
	require.NoError(t, err)
	example, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	for name, b := range map[string][]byte{
		"JSON lines":            lines,
		"pcap, IPv4":            pcapOf(t, layers.LinkTypeRaw, false, ipv4),
		"pcap, ns, IPv6, VLAN":  pcapOf(t, layers.LinkTypeEthernet, true, vlan),
		"pcapng":                pcapngOf(t),
		"pcapng of the example": example,
	} {
		for suffix, b := range map[string][]byte{
			"": b, ", gzipped": zipped(t, b),
			", in two gzip members": slices.Concat(zipped(t, b[:len(b)/2]), zipped(t, b[len(b)/2:])),
		} {
			got, err := events(b)
			require.NoError(t, err, name+suffix)
			require.Equal(t, want, got, name+suffix)
		}
	}
}

// Hex text without directions and clients has the events of the shared link.
func TestReadHex(t *testing.T) {
	var text strings.Builder
	n := 0
	for d, err := range recording.Read(bytes.NewReader(readFile(t, recorded))) {
		require.NoError(t, err)
		fmt.Fprintf(&text, "%x\n", d.Data)
		n++
	}
	plain, err := events([]byte(text.String()))
	require.NoError(t, err)
	require.Contains(t, strings.Join(plain, "\n"), "Ann destroys Cady2")
	packed, err := events(zipped(t, []byte(text.String())))
	require.NoError(t, err)
	require.Equal(t, plain, packed)
}

// Wherever a gzip file is cut, the datagrams before the cut are read.
func TestReadTruncatedGzip(t *testing.T) {
	for name, b := range map[string][]byte{"JSON lines": readFile(t, recorded), "pcapng": pcapngOf(t)} {
		whole := zipped(t, b)
		before := 0
		for n := 2; n < len(whole); n += 1 + n/40 {
			got, err := events(whole[:n])
			require.ErrorContains(t, err, "truncated", "%s at %d", name, n)
			require.GreaterOrEqual(t, len(got), before, "%s at %d", name, n)
			before = min(len(got), 10) // the end reports what waits
		}
		require.Equal(t, 10, before)
	}
}

// Errors say what is wrong with an input.
func TestReadErrors(t *testing.T) {
	lines := readFile(t, recorded)
	packed := zipped(t, lines)
	damaged := slices.Clone(packed)
	damaged[len(damaged)-5] ^= 1 // of the checksum
	raw := pcapOf(t, layers.LinkTypeRaw, false, ipv4)
	magic := slices.Clone(raw)
	magic[0] ^= 1
	for name, c := range map[string]struct {
		input []byte
		want  string
		is    error
	}{
		"nothing":              {nil, "capture: no datagrams", ErrEmpty},
		"gzipped nothing":      {zipped(t, nil), "capture: no datagrams", ErrEmpty},
		"wrong magic":          {magic, "capture: unknown format", ErrFormat},
		"gzipped wrong magic":  {zipped(t, magic), "capture: unknown format", ErrFormat},
		"packed too often":     {zipped(t, zipped(t, zipped(t, packed))), "capture: unknown format", ErrFormat},
		"wrong checksum":       {damaged, "gzip: invalid checksum", gzip.ErrChecksum},
		"garbage after gzip":   {append(slices.Clone(packed), "garbage!!!"...), "gzip: invalid header", gzip.ErrHeader},
		"two bytes of gzip":    {packed[:2], "capture: the gzip file is truncated", io.ErrUnexpectedEOF},
		"gzip, then no gzip":   {[]byte("\x1F\x8B\x07\x00 some other text"), "capture: gzip: invalid header", gzip.ErrHeader},
		"truncated pcap":       {raw[:len(raw)-3], "the capture is truncated", io.ErrUnexpectedEOF},
		"truncated header":     {raw[:20], "capture: capture header: the capture is truncated", io.ErrUnexpectedEOF},
		"malformed line":       {[]byte("02d"), "recording: line 1: column 3: odd number of hex digits", nil},
		"zeros in a gzip file": {zipped(t, bytes.Repeat([]byte{' '}, 4<<20)), "recording: line 1: line too long", recording.ErrTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := events(c.input)
			require.ErrorContains(t, err, c.want)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
}

// Errors do not end the loop over malformed lines, and a loop can end early.
func TestReadContinues(t *testing.T) {
	text := "zz\n" + string(readFile(t, recorded))
	got, err := events([]byte(text))
	require.ErrorContains(t, err, "recording: line 1: ")
	require.Len(t, got, 25)
	n := 0
	for step, err := range Read(strings.NewReader(text), nil) {
		require.Equal(t, err == nil, step != nil)
		if n++; n == 3 {
			break
		}
	}
	for range Read(strings.NewReader(text), nil) {
		break
	}
}
