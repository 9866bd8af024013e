package capture

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

var (
	client4 = netip.MustParseAddrPort("192.0.2.7:40001")
	server4 = netip.MustParseAddrPort("192.0.2.1:22101")
	client6 = netip.MustParseAddrPort("[2001:db8::7]:40001")
	server6 = netip.MustParseAddrPort("[2001:db8::1]:22101")
)

// written returns the UDP datagrams of a capture as text.
func written(t *testing.T, data []byte) (all []string) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	for {
		packet, info, err := r.ReadPacketData()
		if err != nil {
			return all
		}
		p := gopacket.NewPacket(packet, layers.LayerTypeIPv4, gopacket.Default)
		if packet[0]>>4 == 6 {
			p = gopacket.NewPacket(packet, layers.LayerTypeIPv6, gopacket.Default)
		}
		udp := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
		if info.CaptureLength == info.Length {
			require.NoError(t, udp.SetNetworkLayerForChecksum(p.NetworkLayer()))
			err, wrong := p.VerifyChecksums()
			require.NoError(t, err)
			require.Empty(t, wrong)
			require.NotZero(t, udp.Checksum)
		}
		flow := p.NetworkLayer().NetworkFlow()
		all = append(all, flow.String()+" "+udp.SrcPort.String()+" "+udp.DstPort.String()+" "+string(udp.Payload)+" "+info.Timestamp.UTC().Format("05.000"))
	}
}

// The function written verifies the checksums.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, d := range []Datagram{
		{Time: 1.5, Src: client4, Dst: server4, Data: []byte("up")},
		{Time: 2, Src: server6, Dst: client6, Data: []byte("down")},
		{Time: 3, Src: client4, Dst: server6},
		{Time: 4, Src: client4, Dst: server4, Data: []byte("cut"), Missing: 10},
		{Time: 5, Src: client4, Dst: server4, Data: []byte("odd")},
		{Time: 6, Dir: recording.ToServer, Client: "7", Data: []byte("made up")},
		{Time: 7, Dir: recording.ToClient, Client: "7", Src: server4, Data: []byte("made up")},
	} {
		require.NoError(t, w.Write(&d))
	}
	require.NoError(t, w.Flush())
	require.Equal(t, []string{
		"192.0.2.7->192.0.2.1 40001 22101 up 01.500",
		"2001:db8::1->2001:db8::7 22101 40001 down 02.000",
		"192.0.2.7->2001:db8::1 40001 22101  03.000",
		"192.0.2.7->192.0.2.1 40001 22101 cut 04.000",
		"192.0.2.7->192.0.2.1 40001 22101 odd 05.000",
		"10.0.0.2->10.0.0.1 40001 22101 made up 06.000",
		"10.0.0.1->10.0.0.2 22101 40001 made up 07.000",
	}, written(t, b.Bytes()))
}

// A Reader reads what a Writer has written.
func TestWrittenIsRead(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for d, err := range NewReader(bytes.NewReader(readFile(t, recorded))).Datagrams() {
		require.NoError(t, err)
		require.NoError(t, w.Write(d))
	}
	require.NoError(t, w.Flush())
	want, err := events(readFile(t, recorded))
	require.NoError(t, err)
	got, err := events(b.Bytes())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// The times of packets are those of the input, to the nanosecond.
func TestWrittenTimes(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	require.NoError(t, w.Write(&Datagram{Time: -5, At: at}))
	require.NoError(t, w.Write(&Datagram{Time: 5, At: at.Add(-time.Hour)}))
	require.NoError(t, w.Write(&Datagram{At: time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)}))
	require.NoError(t, w.Write(&Datagram{At: time.Unix(1<<40, 0)}))
	for ns := range 1000 {
		require.NoError(t, w.Write(&Datagram{Time: float64(ns*1_001_001) / 1e9}))
	}
	require.NoError(t, w.Flush())
	in := readAll(b.Bytes())
	require.NoError(t, in.err)
	require.Equal(t, at.Local(), in.datagrams[0].At)
	require.Equal(t, at.Add(-time.Hour).Local(), in.datagrams[1].At)
	require.Equal(t, time.Unix(0, 0), in.datagrams[2].At)
	require.Equal(t, latest, in.datagrams[3].At)
	for ns, d := range in.datagrams[4:] {
		require.Equal(t, time.Unix(0, int64(ns*1_001_001)), d.At)
	}
}

func TestWriteHostile(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	longest := make([]byte, maxData)
	require.ErrorIs(t, w.Write(&Datagram{Data: append(longest, 0)}), ErrTooLong)
	require.ErrorIs(t, w.Write(&Datagram{Data: longest, Missing: 1}), ErrTooLong)
	require.ErrorIs(t, w.Write(&Datagram{Missing: -1}), ErrTooLong)
	require.ErrorIs(t, w.Write(&Datagram{Data: []byte{1}, Missing: math.MaxInt}), ErrTooLong)
	require.NoError(t, w.Write(&Datagram{Data: longest}))
	for _, seconds := range []float64{-1e300, 1e300, math.NaN()} {
		require.NoError(t, w.Write(&Datagram{Time: seconds}))
	}
	require.NoError(t, w.Flush())
	require.Len(t, written(t, b.Bytes()), 4)
}

// A Writer keeps its first error.
func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	w := NewWriter(writerFunc(func([]byte) (int, error) { return 0, full }))
	require.ErrorIs(t, w.Flush(), full)
	require.ErrorIs(t, w.Write(&Datagram{}), full)
	require.ErrorIs(t, w.Flush(), full)
}

func TestRecorder(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, count := range map[string]func(text []byte) int{
		"x.pcapng": func(text []byte) int { return len(written(t, text)) },
		"x.jsonl":  func(text []byte) int { return bytes.Count(text, []byte("\n")) },
	} {
		file := filepath.Join(t.TempDir(), name)
		r, err := NewRecorder(file, DefaultLimit, start, netip.MustParseAddrPort("[::]:22101"))
		require.NoError(t, err)
		r.WriteAddrPort(start.Add(time.Second), recording.ToServer, client4, []byte{1})
		r.Write(recording.Datagram{Direction: recording.ToClient, Client: 3, Data: []byte{2}})
		require.NoError(t, r.Flush())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, 2, count(text), name)
		require.NoError(t, r.Close())
	}
}

func TestNilRecorder(t *testing.T) {
	var r *Recorder
	r.Write(recording.Datagram{})
	r.WriteAddrPort(time.Time{}, recording.ToServer, client4, nil)
	require.NoError(t, errors.Join(r.Flush(), r.Close()))
}

func TestAddressesOfClients(t *testing.T) {
	var a addresses
	require.Equal(t, a.of("1"), a.of("1"))
	seen := map[netip.AddrPort]bool{madeUpServer: true}
	for i := range 50000 {
		address := a.of(string(rune(i)) + "x")
		require.False(t, seen[address])
		seen[address] = true
	}
}
