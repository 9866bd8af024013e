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
func TestDatagrams(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	require.NoError(t, err)
	require.NoError(t, w.Datagram(Time(1.5), client4, server4, []byte("up"), 0))
	require.NoError(t, w.Datagram(Time(2), server6, client6, []byte("down"), 0))
	require.NoError(t, w.Datagram(Time(3), client4, server6, nil, 0))
	require.NoError(t, w.Datagram(Time(4), client4, server4, []byte("cut"), 10))
	require.NoError(t, w.Datagram(Time(5), client4, server4, []byte("odd"), 0))
	require.NoError(t, w.Flush())
	require.Equal(t, []string{
		"192.0.2.7->192.0.2.1 40001 22101 up 01.500",
		"2001:db8::1->2001:db8::7 22101 40001 down 02.000",
		"192.0.2.7->2001:db8::1 40001 22101  03.000",
		"192.0.2.7->192.0.2.1 40001 22101 cut 04.000",
		"192.0.2.7->192.0.2.1 40001 22101 odd 05.000",
	}, written(t, b.Bytes()))
}

func TestHostile(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b)
	require.NoError(t, err)
	require.ErrorIs(t, w.Datagram(Time(0), client4, server4, make([]byte, 1<<16), 0), ErrTooLong)
	require.ErrorIs(t, w.Datagram(Time(0), client4, server4, nil, -1), ErrTooLong)
	require.ErrorIs(t, w.Datagram(Time(0), client4, server4, []byte{1}, math.MaxInt), ErrTooLong)
	require.NoError(t, w.Datagram(Time(-1e300), client4, server4, nil, 0))
	require.NoError(t, w.Datagram(Time(1e300), client4, server4, nil, 0))
	require.NoError(t, w.Flush())
	require.Len(t, written(t, b.Bytes()), 2)
}

func TestFileIsReplacedWhenComplete(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.pcapng")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	f, err := Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Datagram(Time(0), client4, server4, []byte("a"), 0))
	f.Discard()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))

	f, err = Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Datagram(Time(0), client4, server4, []byte("a"), 0))
	require.NoError(t, f.Close())
	text, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Len(t, written(t, text), 1)
	list, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, list, 1, "no other files")
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
	var a Addresses
	require.Equal(t, a.Client("1"), a.Client("1"))
	seen := map[netip.AddrPort]bool{a.Server(): true}
	for i := range 50000 {
		address := a.Client(string(rune(i)) + "x")
		require.False(t, seen[address])
		seen[address] = true
	}
}
