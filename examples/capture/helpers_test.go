package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// input is what a Reader has read.
type input struct {
	datagrams []Datagram
	notes     []string
	err       error
}

// readAll reads an input to its end, with all datagrams.
func readAll(b []byte) input {
	r := NewReader(bytes.NewReader(b))
	r.every = true
	return readFrom(r)
}

func readFrom(r *Reader) (in input) {
	for d, err := range r.Datagrams() {
		if err != nil {
			in.err = errors.Join(in.err, err)
			continue
		}
		own := *d
		own.Data = bytes.Clone(d.Data)
		in.datagrams = append(in.datagrams, own)
	}
	in.notes = r.Notes()
	return in
}

// recordedMatch returns the datagrams of the recording that the cases begin with.
func recordedMatch(t *testing.T) []Datagram {
	t.Helper()
	in := readAll(readFile(t, "../../testdata/match.jsonl"))
	require.NoError(t, in.err)
	return in.datagrams
}

// requireData checks the data and the directions of datagrams.
func requireData(t *testing.T, want, got []Datagram) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i].Data, got[i].Data, i)
		require.Equal(t, want[i].Dir, got[i].Dir, i)
		require.Zero(t, got[i].Missing, i)
	}
}

// serialize returns layers, without the link layer if there is none.
func serialize(t *testing.T, all ...gopacket.SerializableLayer) []byte {
	t.Helper()
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, all...))
	return bytes.Clone(b.Bytes())
}

// udpBytes returns a datagram of UDP.
func udpBytes(t *testing.T, d *Datagram) []byte {
	from, to := layers.UDPPort(50000), layers.UDPPort(22101)
	if d.Dir == recording.ToClient {
		from, to = to, from
	}
	return serialize(t, &layers.UDP{SrcPort: from, DstPort: to}, gopacket.Payload(d.Data))
}

var (
	host4, player4 = net.IP{10, 0, 0, 1}, net.IP{10, 0, 0, 2}
	host6, player6 = net.ParseIP("fd00::1"), net.ParseIP("fd00::2")
)

// packet4 returns a packet of IPv4.
func packet4(t *testing.T, d *Datagram) []byte {
	src, dst := player4, host4
	if d.Dir == recording.ToClient {
		src, dst = dst, src
	}
	return serialize(t, &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: src, DstIP: dst}, gopacket.Payload(udpBytes(t, d)))
}

// packet6 returns a packet of IPv6.
func packet6(t *testing.T, d *Datagram) []byte {
	src, dst := player6, host6
	if d.Dir == recording.ToClient {
		src, dst = dst, src
	}
	return serialize(t, &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolUDP, SrcIP: src, DstIP: dst}, gopacket.Payload(udpBytes(t, d)))
}

// frame is a packet of a capture.
type frame struct {
	at     time.Time
	data   []byte
	length int // 0: that of the data
}

// pcapWith returns a capture.
func pcapWith(t *testing.T, link layers.LinkType, frames ...frame) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriterNanos(&b)
	require.NoError(t, w.WriteFileHeader(65536, link))
	for _, f := range frames {
		ci := gopacket.CaptureInfo{Timestamp: f.at, CaptureLength: len(f.data), Length: max(f.length, len(f.data))}
		require.NoError(t, w.WritePacket(ci, f.data))
	}
	return b.Bytes()
}

// little is the byte order of the blocks of tests.
var little = binary.LittleEndian

// block returns a block of pcapng.
func block(typ uint32, body ...byte) []byte {
	length := uint32(minBlock + len(body))
	return little.AppendUint32(slices.Concat(little.AppendUint32(little.AppendUint32(nil, typ), length), body), length)
}

// section returns a section header of a version.
func section(major, minor uint16) []byte {
	body := little.AppendUint32(nil, 0x1A2B3C4D)
	body = little.AppendUint16(little.AppendUint16(body, major), minor)
	return block(blockSection, little.AppendUint64(body, 1<<64-1)...)
}

// deviceWith returns an interface with options.
func deviceWith(link layers.LinkType, options ...byte) []byte {
	body := little.AppendUint16(nil, uint16(link))
	return block(blockInterface, append(append(body, make([]byte, 6)...), options...)...)
}

// enhanced returns a packet of an interface.
func enhanced(device uint32, ticks uint64, captured uint32, data []byte) []byte {
	body := little.AppendUint32(little.AppendUint32(little.AppendUint32(nil, device), uint32(ticks>>32)), uint32(ticks))
	body = append(little.AppendUint32(little.AppendUint32(body, captured), uint32(len(data))), data...)
	return block(blockEnhanced, append(body, make([]byte, -len(data)&3)...)...)
}
