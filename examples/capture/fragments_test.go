package capture

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

// pieces4 returns a datagram of UDP in fragments of IPv4 with 48 bytes each.
func pieces4(t *testing.T, d *Datagram, id uint16) (all [][]byte) {
	payload := udpBytes(t, d)
	for at := 0; at < len(payload); at += 48 {
		ip := &layers.IPv4{Version: 4, TTL: 64, Id: id, FragOffset: uint16(at / 8), Protocol: layers.IPProtocolUDP, SrcIP: player4, DstIP: host4}
		if at+48 < len(payload) {
			ip.Flags = layers.IPv4MoreFragments
		}
		all = append(all, serialize(t, ip, gopacket.Payload(payload[at:min(at+48, len(payload))])))
	}
	return all
}

// pieces6 returns a datagram of UDP in fragments of IPv6.
func pieces6(t *testing.T, d *Datagram, id uint32) (all [][]byte) {
	payload := udpBytes(t, d)
	for at := 0; at < len(payload); at += 48 {
		ip := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolIPv6Fragment, SrcIP: player6, DstIP: host6}
		header := &layers.IPv6Fragment{NextHeader: layers.IPProtocolUDP, FragmentOffset: uint16(at / 8), MoreFragments: at+48 < len(payload), Identification: id}
		all = append(all, serialize(t, ip, header, gopacket.Payload(payload[at:min(at+48, len(payload))])))
	}
	return all
}

// Fragments of IPv4 and IPv6 are reassembled in any order. Those that do not make a packet are counted.
func TestFragments(t *testing.T) {
	datagrams := []Datagram{{Data: append([]byte{2}, bytes.Repeat([]byte{7}, 150)...)}, {Data: append([]byte{3}, bytes.Repeat([]byte{8}, 100)...)}, {Data: []byte{2, 0}}}
	four, other, six := pieces4(t, &datagrams[0], 1), pieces4(t, &datagrams[1], 2), pieces6(t, &datagrams[0], 1)
	overlapping := [][]byte{slices.Clone(four[1])}
	overlapping[0][7]-- // eight bytes before
	const lost = "1 packet of IP not read: fragments are missing or contradict each other; the first is number "
	for name, c := range map[string]struct {
		frames [][]byte
		want   []int // of the datagrams
		notes  []string
	}{
		"IPv4":                   {four, []int{0}, nil},
		"IPv4, backwards":        {backwards(four), []int{0}, nil},
		"IPv4, interleaved":      {slices.Concat(four[:2], other[1:], four[2:], other[:1]), []int{0, 1}, nil},
		"IPv4, repeated":         {slices.Concat(four[:2], four), []int{0}, nil},
		"IPv4, first missing":    {slices.Concat(four[1:], other), []int{1}, []string{lost + "1"}},
		"IPv4, last missing":     {slices.Concat(other, four[:3]), []int{1}, []string{lost + "4"}},
		"IPv4, contradiction":    {slices.Concat(four[:2], overlapping, other), []int{1}, []string{lost + "1"}},
		"IPv6":                   {six, []int{0}, nil},
		"IPv6, backwards":        {backwards(six), []int{0}, nil},
		"IPv6, one missing":      {slices.Concat(six[:1], six[2:], other), []int{1}, []string{lost + "1"}},
		"IPv6 beside IPv4":       {slices.Concat(six[:2], four, six[2:]), []int{0, 0}, nil},
		"IPv6, atomic":           {pieces6(t, &datagrams[2], 9), []int{2}, nil},
		"IPv6, atomic beside it": {slices.Concat(six[:2], pieces6(t, &datagrams[2], 1), six[2:]), []int{2, 0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var want []Datagram
			for _, i := range c.want {
				want = append(want, Datagram{Dir: recording.ToServer, Data: datagrams[i].Data})
			}
			var frames []frame
			for _, data := range c.frames {
				frames = append(frames, frame{data: data})
			}
			in := readAll(pcapWith(t, layers.LinkTypeRaw, frames...))
			require.NoError(t, in.err)
			requireData(t, want, in.datagrams)
			require.Equal(t, c.notes, in.notes)
		})
	}
}

func backwards(all [][]byte) [][]byte {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

// Numbers of packets come again: fragments that are half a minute apart belong to different packets.
func TestFragmentsExpire(t *testing.T) {
	first, second := Datagram{Data: append([]byte{2}, make([]byte, 80)...)}, Datagram{Data: append([]byte{3}, make([]byte, 80)...)}
	a, b := pieces4(t, &first, 1), pieces4(t, &second, 1)
	start := time.Unix(1000, 0)
	for later, want := range map[time.Duration]byte{maxWait: 2, maxWait + 1: 3, -maxWait - 1: 3} {
		in := readAll(pcapWith(t, layers.LinkTypeRaw, frame{at: start, data: a[0]}, frame{at: start.Add(later), data: b[0]}, frame{at: start.Add(later), data: b[1]}))
		require.NoError(t, in.err)
		require.Equal(t, want, in.datagrams[0].Data[0], "%v", later)
	}
}

// A flood of fragments takes a bounded memory, and fragments in between are reassembled.
func TestFragmentBomb(t *testing.T) {
	datagram := Datagram{Dir: "c2s", Data: append([]byte{2}, make([]byte, 150)...)}
	var frames []frame
	const n = 12_000 // more than fit
	good := 0
	for i := range n {
		junk := serialize(t, &layers.IPv4{
			Version: 4, Id: uint16(i), Flags: layers.IPv4MoreFragments, Protocol: layers.IPProtocolUDP,
			SrcIP: []byte{10, 9, byte(i >> 16), byte(i >> 8)}, DstIP: host4,
		}, gopacket.Payload(make([]byte, 1480)))
		frames = append(frames, frame{data: junk})
		if i%100 == 0 {
			for _, data := range pieces4(t, &datagram, uint16(i)) {
				frames = append(frames, frame{data: data}, frame{data: junk})
			}
			good++
		}
	}
	capture := pcapWith(t, layers.LinkTypeRaw, frames...)
	r, most := NewReader(bytes.NewReader(capture)), uint64(0)
	r.every = true
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	read := 0
	for d, err := range r.Datagrams() {
		require.NoError(t, err)
		require.Equal(t, datagram.Data, d.Data)
		if read++; read%50 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
		}
	}
	require.Equal(t, good, read)
	if !testdata.UnderRace {
		require.Less(t, most, uint64(2*maxWaiting))
	}
	require.Equal(t, []string{fmt.Sprintf("%d packets of IP not read: fragments are missing or contradict each other; the first is number 1", n)}, r.Notes())
}
