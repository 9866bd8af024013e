package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// conversation returns two enciphered datagrams of each direction.
func conversation(t *testing.T) [][]byte {
	return [][]byte{
		encrypted(pack(t, 2, transport.NewData(0, chat("one")))),
		encrypted(pack(t, 1, transport.NewData(0, chat("two")))),
		encrypted(pack(t, 2, transport.NewData(1, chat("three")))),
		encrypted(pack(t, 1, transport.NewData(1, chat("four")))),
	}
}

// requireConversation checks the decoded datagrams of [conversation].
func requireConversation(t *testing.T, records []jsonRecord) {
	t.Helper()
	require.Len(t, records, 4)
	for i, text := range []string{"one", "two", "three", "four"} {
		require.Equal(t, text, records[i].Fields["Text"])
		require.Equal(t, []string{"c2s", "s2c"}[i%2], records[i].Dir)
		require.Empty(t, records[i].Note)
		require.Empty(t, records[i].Error)
	}
}

func TestHexText(t *testing.T) {
	d := conversation(t)
	text := fmt.Sprintf("# a comment\n\n c2s %x # to the server\r\n0x%X\n\tc2s  % x\ns2c 0x%x", d[0], d[1], d[2], d[3])
	records, res := runJSON(t, text, "-")
	require.Equal(t, 0, res.status, res.stderr)
	requireConversation(t, records)
	require.Equal(t, 4, records[3].Packet)

	// Each byte has a prefix, and the text has a byte order mark.
	spaced := strings.TrimSpace(strings.ReplaceAll(fmt.Sprintf(" % x", d[0]), " ", " 0x"))
	records, res = runJSON(t, "\xEF\xBB\xBF"+spaced, "-")
	require.Equal(t, 0, res.status, res.stderr)
	require.Equal(t, "one", records[0].Fields["Text"])
}

// The peer ID overrides a direction, and a note says so.
func TestPeerIDOverridesDirection(t *testing.T) {
	d := conversation(t)
	records, res := runJSON(t, fmt.Sprintf("s2c %x\nc2s %x\ns2c %x\ns2c %x", d[0], d[1], d[2], d[3]), "-")
	requireConversation(t, records)
	require.Zero(t, res.status)
	require.Equal(t, "dump: stdin: 3 directions (c2s, s2c) of the input corrected: the peer ID of the sender shows the opposite; the first is number 1\n", res.stderr)
}

func TestJSONLines(t *testing.T) {
	var b strings.Builder
	for i, d := range conversation(t) {
		fmt.Fprintf(&b, `{"t":%d.25,"hex":"%x","client":7,"comment":"ignored","note":7}`+"\n\n", i, d)
	}
	records, res := runJSON(t, b.String(), "-")
	require.Equal(t, 0, res.status, res.stderr)
	requireConversation(t, records)
	require.Equal(t, 3.25, records[3].Time)
}

// TestRecording reads a recording, as the proxy and the server write it.
func TestRecording(t *testing.T) {
	began := time.Unix(1000, 0)
	var b strings.Builder
	w := capture.NewLines(&b, began)
	player := netip.MustParseAddrPort("10.0.0.2:50000")
	for i, d := range conversation(t) {
		dir := []recording.Direction{recording.ToServer, recording.ToClient}[i%2]
		w.WriteAddrPort(began.Add(time.Duration(i)*time.Second), dir, player, d)
	}
	w.Write(recording.Datagram{Seconds: 4, Direction: recording.ToServer, Client: 2, Note: "dropped"})
	require.NoError(t, w.Flush())
	records, res := runJSON(t, b.String(), "-")
	require.Equal(t, 0, res.status, res.stderr)
	requireConversation(t, records[:4])
	require.Equal(t, 3.0, records[3].Time)
	require.Len(t, records, 5, "an empty datagram counts")
}

func TestBadLines(t *testing.T) {
	d := conversation(t)
	good := func(i int) string { return fmt.Sprintf("%x", d[i]) }
	for name, c := range map[string]struct{ bad, want string }{
		"odd digits":        {"c2s 02d", "stdin:2: column 7: odd number of hex digits"},
		"odd digits inside": {"02 d 03", "stdin:2: column 4: odd number of hex digits"},
		"no digit":          {"02dg", `stdin:2: column 4: "g" is not a hex digit`},
		"direction alone":   {"s2c", "stdin:2: no hex"},
		"prefix alone":      {"0x", "stdin:2: column 2: no hex"},
		"long line":         {strings.Repeat("00 ", 512<<10), "stdin:2: line too long: more than 512 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			text := good(0) + "\n" + c.bad + "\n" + good(1) + "\n" + good(2) + "\n" + good(3)
			records, res := runJSON(t, text, "-")
			require.Equal(t, exitFailed, res.status)
			require.Equal(t, "dump: "+c.want+"\n", res.stderr)
			requireConversation(t, records)
		})
	}
}

func TestBadJSONLines(t *testing.T) {
	d := conversation(t)
	good := func(i int) string { return fmt.Sprintf(`{"hex":"%x"}`, d[i]) }
	for name, c := range map[string]struct{ bad, want string }{
		"syntax":     {`{"hex":`, "stdin:2: column 7: "},
		"no hex":     {`{"t":1}`, "stdin:2: no hex"},
		"odd digits": {`{"hex":"02d"}`, "stdin:2: hex: column 3: odd number of hex digits"},
		"direction":  {`{"dir":"up","hex":"02d7"}`, `stdin:2: direction "up" is neither c2s nor s2c`},
		"client":     {`{"client":"x","hex":"02d7"}`, "stdin:2: "},
	} {
		t.Run(name, func(t *testing.T) {
			text := good(0) + "\n" + c.bad + "\n" + good(1) + "\n" + good(2) + "\n" + good(3)
			records, res := runJSON(t, text, "-")
			require.Equal(t, exitFailed, res.status)
			require.Contains(t, res.stderr, "dump: "+c.want)
			requireConversation(t, records)
		})
	}
}

// Times are printed unchanged, even if they exceed the range of a clock.
func TestExtremeTimes(t *testing.T) {
	for text, want := range map[string]float64{"-1.5": -1.5, "1012564800123.5": 1012564800123.5, "1e300": 1e300, "1e-10": 1e-10} {
		records, res := runJSON(t, fmt.Sprintf(`{"t":%s,"hex":"%x"}`, text, conversation(t)[0]), "-")
		require.Zero(t, res.status, res.stderr)
		require.Equal(t, want, records[0].Time)
	}
}

func TestEmptyInput(t *testing.T) {
	var header bytes.Buffer
	require.NoError(t, pcapgo.NewWriter(&header).WriteFileHeader(65536, layers.LinkTypeEthernet))
	for name, content := range map[string]string{"nothing": "", "comments": "\n# nothing\n", "capture": header.String()} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "in", []byte(content))
			res := runDump(t, "", path)
			require.Equal(t, exitFailed, res.status)
			require.Equal(t, "dump: "+path+": no datagrams\n", res.stderr)
		})
	}
	require.Equal(t, "dump: stdin: no datagrams\n", runDump(t, "", "-").stderr)
}

func TestUnknownFormat(t *testing.T) {
	res := runDump(t, "\x1F\x9D\x90\x00\x00", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "unknown format: neither pcap, pcapng, JSON lines nor hex text")
}

// frame is a packet of a test capture.
type frame struct {
	src, dst string // IP addresses
	from, to int    // ports
	payload  []byte
	tcp      bool
}

// bytes returns the encoded frame, from the link layer on.
func (f frame) bytes(t *testing.T, link layers.LinkType) []byte {
	t.Helper()
	src, dst := net.ParseIP(f.src), net.ParseIP(f.dst)
	var network gopacket.NetworkLayer
	ethernet := &layers.Ethernet{SrcMAC: make(net.HardwareAddr, 6), DstMAC: make(net.HardwareAddr, 6)}
	protocol := layers.IPProtocolUDP
	if f.tcp {
		protocol = layers.IPProtocolTCP
	}
	if src.To4() != nil {
		ethernet.EthernetType = layers.EthernetTypeIPv4
		network = &layers.IPv4{Version: 4, IHL: 5, TTL: 64, Protocol: protocol, SrcIP: src.To4(), DstIP: dst.To4()}
	} else {
		ethernet.EthernetType = layers.EthernetTypeIPv6
		network = &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: protocol, SrcIP: src, DstIP: dst}
	}
	stack := []gopacket.SerializableLayer{network.(gopacket.SerializableLayer)}
	if link == layers.LinkTypeEthernet {
		stack = append([]gopacket.SerializableLayer{ethernet}, stack...)
	}
	if f.tcp {
		tcp := &layers.TCP{SrcPort: layers.TCPPort(f.from), DstPort: layers.TCPPort(f.to)}
		require.NoError(t, tcp.SetNetworkLayerForChecksum(network))
		stack = append(stack, tcp)
	} else {
		udp := &layers.UDP{SrcPort: layers.UDPPort(f.from), DstPort: layers.UDPPort(f.to)}
		require.NoError(t, udp.SetNetworkLayerForChecksum(network))
		stack = append(stack, udp)
	}
	buf := gopacket.NewSerializeBuffer()
	stack = append(stack, gopacket.Payload(f.payload))
	require.NoError(t, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, stack...))
	return buf.Bytes()
}

// captureInfo returns the metadata of a frame. Frames are a tenth of a second apart.
func captureInfo(i, length int) gopacket.CaptureInfo {
	at := time.Date(2002, 2, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(i) * 100 * time.Millisecond)
	return gopacket.CaptureInfo{Timestamp: at, Length: length, CaptureLength: length}
}

func pcapOf(t *testing.T, link layers.LinkType, frames []frame) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	require.NoError(t, w.WriteFileHeader(65536, link))
	for i, f := range frames {
		data := f.bytes(t, link)
		require.NoError(t, w.WritePacket(captureInfo(i, len(data)), data))
	}
	return b.Bytes()
}

func pcapngOf(t *testing.T, link layers.LinkType, frames []frame) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, link)
	require.NoError(t, err)
	for i, f := range frames {
		data := f.bytes(t, link)
		require.NoError(t, w.WritePacket(captureInfo(i, len(data)), data))
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

// frames returns [conversation] as frames between a player and a server, and a TCP segment.
func frames(t *testing.T, player, server string) []frame {
	d := conversation(t)
	return []frame{
		{player, server, 50000, 22101, d[0], false},
		{server, player, 22101, 50000, d[1], false},
		{player, server, 50000, 80, []byte("GET /"), true},
		{player, server, 50000, 22101, d[2], false},
		{server, player, 22101, 50000, d[3], false},
	}
}

func TestCaptures(t *testing.T) {
	writers := map[string]func(*testing.T, layers.LinkType, []frame) []byte{"pcap": pcapOf, "pcapng": pcapngOf}
	links := map[string]layers.LinkType{"ethernet": layers.LinkTypeEthernet, "raw": layers.LinkTypeRaw}
	hosts := map[string][2]string{"IPv4": {"10.0.0.2", "10.0.0.1"}, "IPv6": {"fd00::2", "fd00::1"}}
	for format, write := range writers {
		for linkName, link := range links {
			for version, ends := range hosts {
				t.Run(format+"/"+linkName+"/"+version, func(t *testing.T) {
					capture := write(t, link, frames(t, ends[0], ends[1]))
					records, res := runJSON(t, "", writeFile(t, "capture", capture))
					require.Equal(t, 0, res.status, res.stderr)
					requireConversation(t, records)
					require.Equal(t, 5, records[3].Packet, "captures count every packet")
					require.InDelta(t, 0.4, records[3].Time, 1e-9)
				})
			}
		}
	}
}

func TestCaptureTruncatedAnywhere(t *testing.T) {
	whole := pcapOf(t, layers.LinkTypeRaw, frames(t, "10.0.0.2", "10.0.0.1"))
	for n := 24; n < len(whole); n++ {
		records, res := runJSON(t, string(whole[:n]), "-")
		before := wholePackets(whole[:n])
		require.Len(t, records, min(before, 2)+max(0, before-3), "cut at %d", n)
		if boundary(whole, n) {
			continue // a complete capture
		}
		require.Equal(t, exitFailed, res.status, "cut at %d", n)
		want := fmt.Sprintf("stdin: packet %d: the capture is truncated: unexpected EOF", before+1)
		require.Contains(t, res.stderr, want, "cut at %d", n)
	}
	res := runDump(t, string(whole[:20]), "-")
	require.Contains(t, res.stderr, "stdin: capture header: the capture is truncated")
}

// wholePackets counts the packets of a pcap file.
func wholePackets(b []byte) (n int) {
	for b = b[24:]; len(b) >= 16; n++ {
		size := 16 + int(b[8]) + int(b[9])<<8
		if size > len(b) {
			break
		}
		b = b[size:]
	}
	return n
}

// boundary reports whether a packet ends at offset n.
func boundary(b []byte, n int) bool {
	at := 24
	for at < n {
		at += 16 + int(b[at+8]) + int(b[at+9])<<8
	}
	return at == n
}

// -port skips the datagrams of other programs in a capture.
func TestPort(t *testing.T) {
	mixed := append(frames(t, "10.0.0.2", "10.0.0.1"), frame{"10.0.0.2", "10.0.0.9", 50001, 53, []byte("\x12\x34\x01\x00\x00\x01"), false})
	capture := writeFile(t, "mixed.pcap", pcapOf(t, layers.LinkTypeRaw, mixed))
	records, res := runJSON(t, "", "-port", "22101", capture)
	require.Equal(t, 0, res.status, res.stderr)
	requireConversation(t, records)
	_, res = runJSON(t, "", "-port", "70000", capture)
	require.Equal(t, exitUsage, res.status)
	require.Contains(t, res.stderr, "-port 70000: not a port: the largest is 65535")
	_, res = runJSON(t, "", "-port", "5", capture)
	require.Equal(t, exitFailed, res.status)
	require.Equal(t, "dump: "+capture+": no datagrams with port 5; without -port there are 5\n", res.stderr)
}

func TestPcapngTruncated(t *testing.T) {
	whole := pcapngOf(t, layers.LinkTypeEthernet, frames(t, "10.0.0.2", "10.0.0.1"))
	records, res := runJSON(t, string(whole[:len(whole)-10]), "-")
	require.Equal(t, exitFailed, res.status)
	require.Len(t, records, 3)
	require.Contains(t, res.stderr, "stdin: packet 5: the capture is truncated: unexpected EOF")

	before := 0
	for end := 4; end < len(whole); end++ {
		records, res := runJSON(t, string(whole[:end]), "-")
		require.GreaterOrEqual(t, len(records), before, "datagrams before the cut at %d", end)
		require.True(t, res.status == exitFailed || res.stderr == "", "cut at %d: %s", end, res.stderr)
		before = len(records)
	}
	require.Equal(t, 3, before)
}

func TestSnapLength(t *testing.T) {
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	require.NoError(t, w.WriteFileHeader(65536, layers.LinkTypeRaw))
	data := frames(t, "10.0.0.2", "10.0.0.1")[0].bytes(t, layers.LinkTypeRaw)
	ci := captureInfo(0, len(data))
	ci.CaptureLength -= 3
	require.NoError(t, w.WritePacket(ci, data[:ci.CaptureLength]))
	records, res := runJSON(t, b.String(), "-")
	require.Equal(t, 0, res.status)
	require.Equal(t, "ChatMessage", records[0].Name)
	require.Contains(t, records[0].Note, "truncated by the capture: 3 bytes of the datagram are missing")
	require.Contains(t, records[0].Error, "unexpected EOF")
	require.Equal(t, 2.0, records[0].Fields["SenderID"], "the fields before the cut are printed")
}

func TestSeveralFiles(t *testing.T) {
	one := writeFile(t, "one.pcap", pcapOf(t, layers.LinkTypeRaw, frames(t, "10.0.0.2", "10.0.0.1")))
	two := writeFile(t, "two.hex", []byte(hexLines(conversation(t)...)))
	records, res := runJSON(t, "", one, two)
	require.Equal(t, 0, res.status, res.stderr)
	require.Len(t, records, 8)
	requireConversation(t, records[:4])
	requireConversation(t, records[4:])
	require.Equal(t, 9, records[7].Packet)
}

// A gzipped input has the output of the input.
func TestGzippedInput(t *testing.T) {
	plain := pcapngOf(t, layers.LinkTypeEthernet, frames(t, "10.0.0.2", "10.0.0.1"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	records, res := runJSON(t, "", writeFile(t, "capture.pcapng.gz", packed.Bytes()))
	require.Equal(t, 0, res.status, res.stderr)
	requireConversation(t, records)
	_, res = runJSON(t, "", writeFile(t, "truncated.gz", packed.Bytes()[:packed.Len()-20]))
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "truncated.gz: ")
	require.Contains(t, res.stderr, "the capture is truncated")
}
