package main

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/transport/recording"
)

var server = netip.MustParseAddrPort("198.51.100.7:22101")

// captureOf writes a capture of a recording. The function writes each datagram, whose addresses it may change, and
// others.
func captureOf(t *testing.T, file string, write func(d capture.Datagram, write func(capture.Datagram))) string {
	t.Helper()
	in, err := new(capture.Opener).Open(t.Context(), file)
	require.NoError(t, err)
	defer in.Close()
	var b bytes.Buffer
	w := capture.NewWriter(&b)
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, 10 + d.Client[0] - '0'}), 50000)
		if d.Src, d.Dst = client, server; d.Dir == recording.ToClient {
			d.Src, d.Dst = server, client
		}
		write(*d, func(d capture.Datagram) { require.NoError(t, w.Write(&d)) })
	}
	require.NoError(t, w.Flush())
	return writeFile(t, "match.pcapng", b.Bytes())
}

// once writes each datagram as it is.
func once(d capture.Datagram, write func(capture.Datagram)) { write(d) }

var packetNumber = regexp.MustCompile(`(?m)"packet":\d+,|^ *\d+|first in packet \d+`)

// requireEqualOutputs compares all outputs for two captures but the numbers of packets.
func requireEqualOutputs(t *testing.T, want, got string, stderr string) {
	t.Helper()
	outputs := [][]string{{}, {"-events", "-json"}, {"-json"}, {"-check"}, {"-stats"}, {"-events", "-jobs", "1"}}
	if testdata.UnderRace {
		outputs = outputs[:2]
	}
	for _, args := range outputs {
		a, b := runDump(t, "", append(args, want)...), runDump(t, "", append(args, got)...)
		require.Equal(t, a.status, b.status, args)
		require.Equal(t, packetNumber.ReplaceAllString(a.stdout, ""), packetNumber.ReplaceAllString(b.stdout, ""), args)
		require.Empty(t, a.stderr)
		require.Equal(t, 1, strings.Count(b.stderr, "\n"), b.stderr)
		require.Contains(t, b.stderr, stderr)
	}
	tables := func(file string) (messages []rows.Message, events []rows.Event, states []rows.State) {
		dir := t.TempDir()
		require.Zero(t, runDump(t, "", "-parquet", filepath.Join(dir, "x.parquet"), file).status)
		messages = readRows[rows.Message](t, filepath.Join(dir, "x.parquet"))
		for i := range messages {
			messages[i].Datagram = 0
		}
		return messages, readRows[rows.Event](t, filepath.Join(dir, "x.events.parquet")), readRows[rows.State](t, filepath.Join(dir, "x.states.parquet"))
	}
	messages, events, states := tables(want)
	messages2, events2, states2 := tables(got)
	require.Equal(t, messages, messages2)
	require.Equal(t, events, events2)
	require.Equal(t, states, states2)
}

// Datagrams of other programs in a capture are counted in one line, and nothing else changes.
func TestOtherTraffic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	junk := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	n := 0
	noisy := captureOf(t, recordings+"battle.jsonl", func(d capture.Datagram, write func(capture.Datagram)) {
		write(d)
		if n == 1204 {
			return
		}
		own := netip.AddrPortFrom(netip.MustParseAddr("203.0.113.11"), uint16(40000+n/4))
		switch n % 4 {
		case 0: // DNS, from another port each time
			d.Src, d.Dst, d.Data = own, netip.MustParseAddrPort("192.0.2.53:53"), append(junk(2), "\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07example\x03com\x00\x00\x01\x00\x01"...)
		case 1: // and the response
			d.Src, d.Dst, d.Data = netip.MustParseAddrPort("192.0.2.53:53"), own, append(junk(2), "\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00\x03www\x07example\x03com\x00\x00\x01\x00\x01\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x01"...)
		case 2: // NTP
			d.Src, d.Dst, d.Data = own, netip.MustParseAddrPort("192.0.2.123:123"), append([]byte{0x23, 0, 6, 0xEC}, junk(44)...)
		case 3: // a long connection of QUIC
			d.Src, d.Dst, d.Data = netip.MustParseAddrPort("192.0.2.44:443"), netip.MustParseAddrPort("203.0.113.11:50001"), junk(40+random.IntN(1200))
		}
		n++
		write(d)
	})
	requireEqualOutputs(t, captureOf(t, recordings+"battle.jsonl", once), noisy, "match.pcapng: 1,204 datagrams on 3 ports are not the game's: 53, 123, 443\n")
	again := filepath.Join(t.TempDir(), "all.pcapng")
	require.Zero(t, runDump(t, "", "-pcapng", again, noisy).status)
	require.Equal(t, runDump(t, "", "-check", noisy).stdout, runDump(t, "", "-check", again).stdout)
	require.Contains(t, runDump(t, "", "-check", again).stderr, "1,204 datagrams on 3 ports", "a capture is written with all datagrams")
}

// Each of many addresses sends one datagram.
func TestScan(t *testing.T) {
	for _, most := range []int{300, 10_000} {
		random, n := rand.New(rand.NewPCG(3, 4)), 0
		noisy := captureOf(t, recordings+"battle.jsonl", func(d capture.Datagram, write func(capture.Datagram)) {
			write(d)
			for i := 0; i < 20 && n < most; i++ {
				n++
				own := d
				own.Src = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), uint16(n))
				own.Dst, own.Data = server, make([]byte, 24)
				for j := range own.Data {
					own.Data[j] = byte(random.Uint32())
				}
				write(own)
			}
		})
		res := runDump(t, "", "-check", noisy)
		require.Zero(t, res.status, res.stdout)
		require.Regexp(t, `: (300|10,000) datagrams on \d+ ports are not the game's: `, res.stderr)
		require.Equal(t, runDump(t, "", "-events", captureOf(t, recordings+"battle.jsonl", once)).stdout, runDump(t, "", "-events", noisy).stdout)
	}
}

// A capture of one direction, or from the middle of a match, is of the game.
func TestPartOfMatch(t *testing.T) {
	for _, dir := range []recording.Direction{recording.ToServer, recording.ToClient} {
		part := captureOf(t, recordings+"battle.jsonl", func(d capture.Datagram, write func(capture.Datagram)) {
			if d.Dir == dir && d.Time > 20 {
				write(d)
			}
		})
		res := runDump(t, "", "-check", part)
		require.Zero(t, res.status, res.stdout)
		require.Empty(t, res.stderr)
	}
}

// A capture without the game has one hint.
func TestNothingOfTheGame(t *testing.T) {
	dns := captureOf(t, recordings+"battle.jsonl", func(d capture.Datagram, write func(capture.Datagram)) {
		d.Dst, d.Data = netip.MustParseAddrPort("192.0.2.53:53"), []byte("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x00\x00\x01\x00\x01")
		write(d)
	})
	plain := captureOf(t, recordings+"match.jsonl", func(d capture.Datagram, write func(capture.Datagram)) {
		cipher.Decrypt(d.Data)
		write(d)
	})
	enciphered := captureOf(t, recordings+"match.jsonl", once)
	for _, args := range [][]string{{}, {"-json"}, {"-events"}, {"-check"}, {"-parquet", filepath.Join(t.TempDir(), "x.parquet")}} {
		res := runDump(t, "", append(args, dns)...)
		require.Equal(t, exitFailed, res.status)
		require.Regexp(t, `^dump: .*no datagrams of the game: [0-9,]+ datagrams on 1 port are not the game's: 53; is this a capture of a match\? If its datagrams are deciphered already, use -plain\n$`, res.stderr)
		res = runDump(t, "", append(args, plain)...)
		require.Equal(t, exitFailed, res.status)
		require.Regexp(t, `^dump: .*; the datagrams are not enciphered: use -plain\n$`, res.stderr)
		res = runDump(t, "", append(args, "-plain", plain)...)
		require.Zero(t, res.status, res.stderr)
		require.Empty(t, res.stderr)
		res = runDump(t, "", append(args, "-plain", enciphered)...)
		require.Regexp(t, `^dump: .*; the datagrams are enciphered: leave out -plain\n$`, res.stderr)
		res = runDump(t, "", append(args, "-port", "53", dns)...)
		require.Regexp(t, `^dump: .*no datagrams of the game: .*\n$`, res.stderr)
	}
}

// twoSides writes each datagram as the computer that forwards a port of the server sees it: at two addresses of the
// server, and perhaps at two of the client.
func twoSides(change func(netip.AddrPort) netip.AddrPort) func(capture.Datagram, func(capture.Datagram)) {
	private := netip.MustParseAddrPort("10.0.0.5:22101")
	return func(d capture.Datagram, write func(capture.Datagram)) {
		inside := d
		if d.Dir == recording.ToServer {
			inside.Src, inside.Dst, inside.Time = change(d.Src), private, d.Time+0.0001
			write(d)
			write(inside)
			return
		}
		inside.Src, inside.Dst = private, change(d.Dst)
		write(inside) // the host's datagrams are seen there first
		write(d)
	}
}

func masqueraded(client netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), 60000+uint16(client.Addr().As4()[3]))
}

var forwards = map[string]func(netip.AddrPort) netip.AddrPort{
	"clients stay":   func(client netip.AddrPort) netip.AddrPort { return client },
	"clients change": masqueraded,
}

// A capture on the computer that forwards the port of a server shows each datagram twice. All outputs show it once.
func TestForwardedPort(t *testing.T) {
	for name, change := range forwards {
		files := []string{"rejoins.jsonl", "cheater.jsonl", "match.jsonl", "openbc/blocks.jsonl", "battle.jsonl"}
		for _, file := range files[:testdata.Either(5, 4)] {
			t.Run(name+" "+file, func(t *testing.T) {
				twice := captureOf(t, recordings+file, twoSides(change))
				requireEqualOutputs(t, captureOf(t, recordings+file, once), twice, " left out: a router has changed their addresses")
			})
		}
	}
}

// If the capture begins in the middle of the match, only the first datagrams of a client whose address changes may stand
// twice.
func TestForwardedPortFromTheMiddle(t *testing.T) {
	late := func(write func(capture.Datagram, func(capture.Datagram))) string {
		return captureOf(t, recordings+"battle.jsonl", func(d capture.Datagram, next func(capture.Datagram)) {
			if d.Time > 16 {
				write(d, next)
			}
		})
	}
	whole := late(once)
	kinds := []string{"kill", "explode", "chat", "leave"}
	want := eventLines(runDump(t, "", "-events", whole).stdout, kinds...)
	require.Contains(t, want, "kill peer 5 destroys peer 4")
	lines := func(file string) int { return strings.Count(runDump(t, "", file).stdout, "\n") }
	require.Equal(t, lines(whole), lines(late(twoSides(forwards["clients stay"]))))
	twice := late(twoSides(masqueraded))
	require.Equal(t, want, eventLines(runDump(t, "", "-events", twice).stdout, kinds...))
	require.Less(t, lines(twice)-lines(whole), 100)
}
