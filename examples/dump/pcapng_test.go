package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/testdata"
)

// Lengths and types of blocks.
const (
	minBlock       = 12
	blockSection   = 0x0A0D0D0A
	blockInterface = 1
	blockEnhanced  = 6
)

// block returns a block of a pcapng capture.
func block(order binary.AppendByteOrder, typ uint32, body ...byte) []byte {
	body = append(body, make([]byte, -len(body)&3)...)
	length := uint32(minBlock + len(body))
	b := order.AppendUint32(nil, typ)
	b = order.AppendUint32(b, length)
	return order.AppendUint32(append(b, body...), length)
}

func section(order binary.AppendByteOrder) []byte {
	body := order.AppendUint32(nil, 0x1A2B3C4D)
	body = order.AppendUint16(order.AppendUint16(body, 1), 0)
	return block(order, blockSection, order.AppendUint64(body, 1<<64-1)...)
}

// device returns an interface block with a number of bytes of comments.
func device(order binary.AppendByteOrder, comments int) []byte {
	body := order.AppendUint16(nil, uint16(layers.LinkTypeRaw))
	body = append(body, make([]byte, 6)...)
	for ; comments > 0; comments -= 60000 {
		n := min(comments, 60000)
		body = order.AppendUint16(order.AppendUint16(body, 1), uint16(n))
		body = append(body, make([]byte, n)...)
	}
	return block(order, blockInterface, body...)
}

// enhanced returns a packet of the first interface.
func enhanced(order binary.AppendByteOrder, data []byte) []byte {
	body := make([]byte, 12)
	body = order.AppendUint32(order.AppendUint32(body, uint32(len(data))), uint32(len(data)))
	return block(order, blockEnhanced, append(body, data...)...)
}

// memory returns the number of bytes that a function allocates.
func memory(t *testing.T, f func()) uint64 {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// maxInterfaces is the limit of package capture.
const maxInterfaces = 4096

// The limit of interfaces bounds the memory. The datagrams before the limit are printed.
func TestManyInterfaces(t *testing.T) {
	order := binary.LittleEndian
	head := slices.Concat(section(order), device(order, 0))
	for _, f := range frames(t, "10.0.0.2", "10.0.0.1") {
		head = append(head, enhanced(order, f.bytes(t, layers.LinkTypeRaw))...)
	}
	for name, c := range map[string]struct {
		tail []byte
		ok   bool
	}{
		"at the limit":       {bytes.Repeat(device(order, 0), maxInterfaces-1), true},
		"beyond the limit":   {bytes.Repeat(device(order, 0), maxInterfaces), true},
		"6 MB of interfaces": {bytes.Repeat(device(order, 0), 300_000), true},
		"long comments":      {bytes.Repeat(device(order, 5000), 200), true},
		"5 MB of comments":   {bytes.Repeat(device(order, 50_000), 100), true},
		"a comment of 6 MB":  {device(order, 6<<20), true},
		"sections":           {bytes.Repeat(slices.Concat(section(order), bytes.Repeat(device(order, 0), 1000)), 10), true},
		"6 MB of host names": {bytes.Repeat(block(order, 4, 1, 0, 6, 0, 1, 2, 3, 4, 'a', 0, 0, 0, 0, 0, 0, 0), 210_000), true},
		"6 MB of statistics": {bytes.Repeat(block(order, 5, make([]byte, 12)...), 250_000), true},
		"6 MB of unknown":    {block(order, 0xBAD, make([]byte, 6<<20)...), true},
		"unknown, truncated": {block(order, 0xBAD, make([]byte, 100)...)[:100], false},
		"block of 0 bytes":   {slices.Concat(order.AppendUint32(nil, 0xBAD), make([]byte, 100)), false},
		"block of 11 bytes":  {slices.Concat(order.AppendUint32(order.AppendUint32(nil, 0xBAD), 11), make([]byte, 100)), false},
		"block of 4 GiB":     {slices.Concat(order.AppendUint32(order.AppendUint32(nil, 0xBAD), 1<<32-1), make([]byte, 100)), false},
		"interface of 4 GiB": {slices.Concat(order.AppendUint32(order.AppendUint32(nil, blockInterface), 1<<32-1), make([]byte, 100)), false},
		"empty interface":    {block(order, blockInterface), true},
	} {
		t.Run(name, func(t *testing.T) {
			text := string(slices.Concat(head, c.tail))
			var records []jsonRecord
			var res result
			taken := memory(t, func() { records, res = runJSON(t, text, "-") })
			requireConversation(t, records)
			if !testdata.UnderRace {
				require.Less(t, taken, uint64(24<<20+2*len(text)), "%d", taken)
			}
			if c.ok {
				require.Zero(t, res.status, res.stderr)
				return
			}
			require.Equal(t, exitFailed, res.status)
			require.Contains(t, res.stderr, "dump: stdin: packet 6: ")
		})
	}
}

// Blocks between packets are skipped, in both byte orders.
func TestPcapngBlocks(t *testing.T) {
	var all []byte
	for i, f := range frames(t, "10.0.0.2", "10.0.0.1") {
		var order binary.AppendByteOrder = binary.LittleEndian
		if i%2 > 0 {
			order = binary.BigEndian
		}
		all = slices.Concat(all, section(order), block(order, 0xA, 1, 2, 3), device(order, 10), block(order, 4, 0, 0, 0, 0),
			enhanced(order, f.bytes(t, layers.LinkTypeRaw)), block(order, 5, 1), block(order, 0x40000BAD, make([]byte, 5000)...))
	}
	records, res := runJSON(t, string(all), "-")
	require.Zero(t, res.status, res.stderr)
	requireConversation(t, records)
	require.Equal(t, 5, records[3].Packet)
}

// TestRecordingBecomesACapture checks that a capture of a recording has the same messages.
func TestRecordingBecomesACapture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "match.pcapng")
	require.NoError(t, os.WriteFile(file, []byte("before"), 0o600))
	var out, complaints strings.Builder
	require.Zero(t, run(t.Context(), []string{"-pcapng", file, "../../testdata/match.jsonl"}, nil, &out, &complaints), complaints.String())
	require.Empty(t, out.String()+complaints.String())
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no other files")
	info, err := entries[0].Info()
	require.NoError(t, err)
	require.True(t, runtime.GOOS == "windows" || info.Mode() == 0o600, "%v: a capture has passwords", info.Mode())
	differs := regexp.MustCompile(`"(time|client)":[^,]*,`) // a capture has addresses of clients
	messages := func(name string) string {
		var out strings.Builder
		require.Zero(t, run(t.Context(), []string{"-json", name}, nil, &out, &complaints), complaints.String())
		return differs.ReplaceAllString(out.String(), "")
	}
	require.Equal(t, messages("../../testdata/match.jsonl"), messages(file))

	again := file + "2"
	require.Zero(t, run(t.Context(), []string{"-pcapng", again, file}, nil, &out, &complaints), complaints.String())
	require.Equal(t, messages(file), messages(again))
}

// A capture of captures has the times that they had, also if the clock was set back in between.
func TestCaptureKeepsTimes(t *testing.T) {
	const input = "../capture/testdata/clock_back.pcap"
	times := func(name string) (all []time.Time) {
		file, err := os.Open(name)
		require.NoError(t, err)
		defer file.Close()
		for d, err := range capture.NewReader(file).Datagrams() {
			require.NoError(t, err)
			all = append(all, d.At)
		}
		return all
	}
	out := filepath.Join(t.TempDir(), "out.pcapng")
	res := runDump(t, "", "-pcapng", out, input, "../capture/testdata/ng_minor2.pcapng")
	require.Zero(t, res.status, res.stderr)
	want := append(times(input), times("../capture/testdata/ng_minor2.pcapng")...)
	require.Equal(t, want, times(out))
	require.Equal(t, 2026, want[0].Year())
	require.True(t, want[20].Before(want[19]))
}

// What is not read is counted and named after the messages, in tables, too. The exit status is that of the rest.
func TestNotes(t *testing.T) {
	const input = "../capture/testdata/ng_unk_iface_mid.pcapng"
	const note = "dump: " + input + ": 30 packets of link type 258 (PKTAP) not read; the first is number 2\n"
	for _, args := range [][]string{{"-json"}, {"-events"}, {"-check"}, {"-stats", "-jobs", "1"}, {"-parquet", filepath.Join(t.TempDir(), "x.parquet")}, {"-pcapng", filepath.Join(t.TempDir(), "x.pcapng")}} {
		res := runDump(t, "", append(args, input)...)
		require.Zero(t, res.status)
		require.Equal(t, note, res.stderr, args)
	}
	// Nothing is read: this is an error.
	var usb bytes.Buffer
	w := pcapgo.NewWriter(&usb)
	require.NoError(t, w.WriteFileHeader(65536, layers.LinkTypeLinuxUSB))
	require.NoError(t, w.WritePacket(captureInfo(0, 4), make([]byte, 4)))
	res := runDump(t, usb.String(), "-")
	require.Equal(t, exitFailed, res.status)
	require.Equal(t, "dump: stdin: no datagrams\ndump: stdin: 1 packet of link type 220 (USB) not read; the first is number 1\n", res.stderr)
}

// TestCaptureStaysAfterAnError checks that a capture that cannot be written, or has no datagrams, replaces nothing.
func TestCaptureStaysAfterAnError(t *testing.T) {
	var out, complaints strings.Builder
	missing := filepath.Join(t.TempDir(), "missing", "x.pcapng")
	require.Equal(t, exitFailed, run(t.Context(), []string{"-pcapng", missing, "../../testdata/match.jsonl"}, nil, &out, &complaints))
	require.Contains(t, complaints.String(), "dump: create "+missing+": ")

	before := writeFile(t, "x.pcapng", []byte("before"))
	for _, in := range []string{missing, os.DevNull} {
		require.Equal(t, exitFailed, runDump(t, "", "-pcapng", before, in).status)
		content, err := os.ReadFile(before)
		require.NoError(t, err)
		require.Equal(t, "before", string(content))
		files, err := os.ReadDir(filepath.Dir(before))
		require.NoError(t, err)
		require.Len(t, files, 1)
	}
}

// A capture is replaced when it is complete, which standard output cannot be.
func TestPcapngFlags(t *testing.T) {
	res := runDump(t, "", "-pcapng", "-")
	require.Equal(t, exitUsage, res.status)
	require.Equal(t, "dump: -pcapng -: give the name of a file: the capture does not go to standard output\n", res.stderr)

	dir := t.TempDir()
	res = runDump(t, "", "-pcapng", dir, "../../testdata/sample.jsonl")
	require.Equal(t, exitFailed, res.status)
	require.Equal(t, "dump: "+dir+": not a regular file\n", res.stderr)
}
