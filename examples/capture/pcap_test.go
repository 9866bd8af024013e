package capture

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"
)

// Captures that follow one another in a file are read, whatever their formats.
func TestJoinedCaptures(t *testing.T) {
	match := recordedMatch(t)
	var one, two []frame
	for i := range 4 {
		one = append(one, frame{at: time.Unix(int64(i), 0), data: packet4(t, &match[i])})
		two = append(two, frame{at: time.Unix(int64(i+4), 0), data: packet6(t, &match[i+4])})
	}
	a, b := pcapWith(t, layers.LinkTypeRaw, one...), pcapWith(t, layers.LinkTypeIPv6, two...)
	c := slices.Concat(section(1, 0), deviceWith(layers.LinkTypeRaw), enhanced(0, 9e6, uint32(len(two[0].data)), two[0].data))
	want := slices.Concat(match[:8], match[4:5], match[:4])
	in := readAll(slices.Concat(a, b, c, a))
	require.NoError(t, in.err)
	requireData(t, want, in.datagrams)
	require.Equal(t, 13, in.datagrams[12].Number)
	require.Equal(t, []float64{0, 4, 9, 0}, []float64{in.datagrams[0].Time, in.datagrams[4].Time, in.datagrams[8].Time, in.datagrams[9].Time})

	in = readAll(slices.Concat(c, a[:len(a)-1]))
	require.ErrorContains(t, in.err, "packet 5: the capture is truncated")
	require.Len(t, in.datagrams, 4)
	in = readAll(slices.Concat(a, b[:10]))
	require.Error(t, in.err)
	require.Len(t, in.datagrams, 4)
}

// Headers of pcap with the values of other programs are read. Lengths that no packet has end a capture.
func TestHeadersOfPcap(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0}}
	packet := packet4(t, &datagram)
	good := pcapWith(t, layers.LinkTypeRaw, frame{data: packet}, frame{data: packet})
	changed := func(offset int, value ...byte) []byte {
		b := slices.Clone(good)
		copy(b[offset:], value)
		return b
	}
	second := pcapHeader + packetHeader + len(packet)
	for name, c := range map[string]struct {
		input []byte
		read  int
		err   string
	}{
		"huge snap length":           {changed(16, 0xFF, 0xFF, 0xFF, 0xFF), 2, ""},
		"small snap length":          {changed(16, 1, 0, 0, 0), 2, ""},
		"check sequences":            {changed(23, 0x24), 2, ""},
		"version 2.3":                {changed(6, 3), 2, ""},
		"version 3.0":                {changed(4, 3), 0, "capture header: version 3.4 of pcap is unknown: convert the capture"},
		"length beyond the snap":     {changed(second+8, 0xEF, 0xBE, 0xAD, 0xDE), 1, "packet 2: 3735928559 bytes are too long for a packet: the capture is damaged here"},
		"length beyond the file":     {changed(second+8, 0, 0, 1, 0), 1, "packet 2: the capture is truncated"},
		"huge lengths":               {slices.Concat(changed(16, 0xFF, 0xFF, 0xFF, 0xFF)[:second], []byte{15: 0, 8: 0xFF, 9: 0xFF, 10: 0xFF, 11: 7}), 1, "packet 2: the capture is truncated"},
		"microseconds of a second":   {changed(pcapHeader+4, 0xFF, 0xFF, 0xFF, 0xFF), 2, ""},
		"a length of 0 on the wire":  {changed(second+12, 0, 0, 0, 0), 2, ""},
		"a link type that is unused": {changed(20, 0xFF, 0xFF, 0xFF, 3), 0, "no datagrams"},
	} {
		t.Run(name, func(t *testing.T) {
			in := readAll(c.input)
			require.Len(t, in.datagrams, c.read)
			if c.err == "" {
				require.NoError(t, in.err)
				return
			}
			require.ErrorContains(t, in.err, c.err)
		})
	}
}

// Only the first bytes of a packet are read: the memory does not grow with its length.
func TestLongPackets(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0}}
	packet := packet4(t, &datagram)
	long := pcapWith(t, layers.LinkTypeRaw, frame{data: append(slices.Clone(packet), make([]byte, 1<<20)...)}, frame{data: packet})
	copy(long[16:], []byte{0, 0, 0, 2}) // the snap length
	in := readAll(long)
	require.NoError(t, in.err)
	require.Len(t, in.datagrams, 2)
	require.Equal(t, []byte{2, 0}, in.datagrams[0].Data)
}

// FuzzReader reads anything. The end is an error, or there are datagrams.
func FuzzReader(f *testing.F) {
	for _, name := range []string{"clock_back.pcap", "frag.pcap", "qinq_9100.pcap", "ng_minor2.pcapng", "ng_unk_iface_mid.pcapng", "tsres29.pcapng"} {
		b, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(b[:1000])
		f.Add(slices.Concat(b[:500], b[:500]))
	}
	b, err := os.ReadFile("testdata/ipv4_228.pcap")
	require.NoError(f, err)
	for _, link := range []byte{0, 9, 50, 51, 104, 105, 113, 119, 127, 138, 163, 192, 239} {
		f.Add(slices.Replace(slices.Clone(b[:200]), 20, 21, link))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := readAll(b)
		require.True(t, in.err != nil || len(in.datagrams) > 0)
		for _, d := range in.datagrams {
			require.True(t, d.Number > 0 && d.Missing >= 0, "%v", d)
		}
	})
}
