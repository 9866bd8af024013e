package capture

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// The cases are the first packets of match.jsonl, each in another form.
func TestCases(t *testing.T) {
	match := recordedMatch(t)
	first := match[:40]
	even := []Datagram{}
	for i := 0; i < 60; i += 2 {
		even = append(even, match[i])
	}
	back := slices.Concat(match[:20], match[len(match)/2:][:20])
	for _, c := range []struct {
		file  string
		want  []Datagram
		notes []string
	}{
		{"ipv4_228.pcap", first, nil},
		{"scapy_ip.pcap", first, nil},
		{"qinq_9100.pcap", first, nil},
		{"ng_minor2.pcapng", first, nil},
		{"tsres29.pcapng", first, nil},
		{"origlen_small.pcap", first, []string{"40 packets read with more bytes than the capture says were on the wire; the first is number 1"}},
		{"frag.pcap", first[:39], []string{"1 packet of IP not read: fragments are missing or contradict each other; the first is number 60"}},
		{"ng_unk_iface_mid.pcapng", even, []string{"30 packets of link type 258 (PKTAP) not read; the first is number 2"}},
		{"clock_back.pcap", back, nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			in := readAll(readFile(t, "testdata/"+c.file))
			require.NoError(t, in.err)
			require.Equal(t, c.notes, in.notes)
			requireData(t, c.want, in.datagrams)
		})
	}
}

// Times are those of the input, to the nanosecond: the ticks of 2^-29 seconds have been cut off.
func TestTimesOfCases(t *testing.T) {
	const began = 1_790_000_000 // seconds after 1970
	match := recordedMatch(t)
	for i, d := range readAll(readFile(t, "testdata/tsres29.pcapng")).datagrams {
		want := time.Unix(began, 0).Add(recording.Datagram{Seconds: match[i].Time}.Time())
		early := want.Sub(d.At)
		require.True(t, early >= 0 && early <= 2*time.Nanosecond, "%d: %v", i, early)
	}
	back := readAll(readFile(t, "testdata/clock_back.pcap")).datagrams
	require.Equal(t, time.Unix(1790000001, 507823177), back[0].At)
	require.Equal(t, time.Unix(1789996406, 439075086), back[20].At)
	require.Zero(t, back[0].Time)
	require.Equal(t, -3595.068748091, back[20].Time)
}
