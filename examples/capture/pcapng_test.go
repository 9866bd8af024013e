package capture

import (
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"
)

// Times of all resolutions are exact: an oracle divides with large numbers.
func TestTimesOfInterfaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for resolution := range 256 {
		for i := range 100 {
			ticks := random.Uint64() >> (i % 64)
			d := device{resolution: byte(resolution), offset: int64(random.Uint32()) - 1<<31}
			base, exponent := int64(10), int64(resolution&0x7F)
			if resolution > 0x7F {
				base = 2
			}
			unit := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
			ns := new(big.Int).Mul(new(big.Int).SetUint64(ticks), big.NewInt(1e9))
			seconds, rest := new(big.Int).DivMod(ns.Div(ns, unit), big.NewInt(1e9), new(big.Int))
			if !seconds.IsInt64() {
				continue
			}
			require.Equal(t, time.Unix(seconds.Int64()+d.offset, rest.Int64()), d.time(ticks), "%#x %d", resolution, ticks)
		}
	}
}

// The options of an interface are the resolution and the offset of its times.
func TestOptionsOfInterfaces(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0}}
	packet := packet4(t, &datagram)
	for name, c := range map[string]struct {
		options []byte
		ticks   uint64
		want    time.Time
	}{
		"none":              {nil, 1_000_001, time.Unix(1, 1000)},
		"seconds":           {[]byte{9, 0, 1, 0, 0, 0, 0, 0}, 1_790_000_000, time.Unix(1_790_000_000, 0)},
		"2^-32":             {[]byte{9, 0, 1, 0, 0xA0, 0, 0, 0}, 5<<32 + 1<<31, time.Unix(5, 5e8)},
		"picoseconds":       {[]byte{9, 0, 1, 0, 12, 0, 0, 0}, 5_000_000_001_999, time.Unix(5, 1)},
		"offset":            {[]byte{14, 0, 8, 0, 10, 0, 0, 0, 0, 0, 0, 0}, 1_000_000, time.Unix(11, 0)},
		"negative offset":   {[]byte{14, 0, 8, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 3_000_000, time.Unix(2, 0)},
		"after a comment":   {[]byte{1, 0, 5, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, 9, 0, 1, 0, 0}, 7, time.Unix(7, 0)},
		"after the end":     {[]byte{0, 0, 0, 0, 9, 0, 1, 0, 0, 0, 0, 0}, 7, time.Unix(0, 7000)},
		"truncated option":  {[]byte{9, 0, 200, 0, 0, 0, 0, 0}, 7, time.Unix(0, 7000)},
		"empty resolution":  {[]byte{9, 0, 0, 0}, 7, time.Unix(0, 7000)},
		"too short offset":  {[]byte{14, 0, 4, 0, 1, 0, 0, 0}, 7, time.Unix(0, 7000)},
		"far in the future": {[]byte{9, 0, 1, 0, 0, 0, 0, 0}, 1 << 62, time.Unix(1<<62, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			in := readAll(slices.Concat(section(1, 0), deviceWith(layers.LinkTypeRaw, c.options...), enhanced(0, c.ticks, uint32(len(packet)), packet)))
			require.NoError(t, in.err)
			require.Len(t, in.datagrams, 1)
			require.Equal(t, c.want, in.datagrams[0].At)
		})
	}
}

// What cannot be read in a capture is noted, and its siblings are read.
func TestMalformedBlocks(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0}}
	packet := packet4(t, &datagram)
	good := enhanced(0, 0, uint32(len(packet)), packet)
	head := slices.Concat(section(1, 0), deviceWith(layers.LinkTypeRaw))
	simple := block(blockSimple, append(little.AppendUint32(nil, uint32(len(packet))), packet...)...)
	obsolete := block(blockPacket, slices.Concat(make([]byte, 12), little.AppendUint32(little.AppendUint32(nil, uint32(len(packet))), 1500), packet)...)
	for name, c := range map[string]struct {
		input []byte
		read  int
		note  string
		err   error
	}{
		"simple":                 {slices.Concat(head, good, simple), 2, "", nil},
		"obsolete":               {slices.Concat(head, good, obsolete), 2, "", nil},
		"length beyond a block":  {slices.Concat(head, good, enhanced(0, 0, 1<<32-1, packet), good), 2, "1 malformed block of pcapng not read; the first is number 2", nil},
		"short block":            {slices.Concat(head, good, block(blockEnhanced, 1, 2, 3, 4), good), 2, "1 malformed block of pcapng not read", nil},
		"short simple block":     {slices.Concat(head, good, block(blockSimple), good), 2, "1 malformed block of pcapng not read", nil},
		"no such interface":      {slices.Concat(head, good, enhanced(7, 0, uint32(len(packet)), packet), good), 2, "1 packet of an interface without a description not read", nil},
		"malformed interface":    {slices.Concat(head, good, block(blockInterface, 1), enhanced(1, 0, uint32(len(packet)), packet), good), 2, "1 packet of an interface without a description not read", nil},
		"no interface":           {slices.Concat(section(1, 0), simple, head, good), 1, "1 packet of an interface without a description not read", nil},
		"other minor version":    {slices.Concat(section(1, 2), head[len(section(1, 0)):], good), 1, "", nil},
		"other major version":    {slices.Concat(head, good, section(2, 0), deviceWith(layers.LinkTypeRaw), good, head, good), 2, "1 packet of a section in an unknown version of pcapng not read", nil},
		"packet of 1 MiB":        {slices.Concat(head, enhanced(0, 0, 1<<20, append(slices.Clone(packet), make([]byte, 1<<20-len(packet))...)), good), 2, "", nil},
		"malformed section":      {slices.Concat(head, good, block(blockSection, make([]byte, 16)...), good), 1, "", errSection},
		"short section":          {slices.Concat(head, good, block(blockSection, little.AppendUint32(nil, 0x1A2B3C4D)...), good), 1, "", errSection},
		"other tail":             {slices.Concat(head, append(slices.Clone(good[:len(good)-4]), 1, 2, 3, 4), good), 2, "1 block of pcapng with two different lengths: others may be missing; the first is number 1", nil},
		"truncated":              {slices.Concat(head, good, good[:len(good)-1]), 1, "", io.ErrUnexpectedEOF},
		"block of 4 GiB":         {slices.Concat(head, good, little.AppendUint32(little.AppendUint32(nil, blockEnhanced), 1<<32-4), good), 1, "", io.ErrUnexpectedEOF},
		"several, and big ones":  {slices.Concat(head, good, section(1, 0), deviceWith(layers.LinkTypeEthernet), head, good), 2, "", nil},
		"other interface at end": {slices.Concat(head, good, good, deviceWith(220), enhanced(1, 0, uint32(len(packet)), packet)), 2, "1 packet of link type 220 (USB) not read; the first is number 3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := readAll(c.input)
			require.ErrorIs(t, in.err, c.err)
			require.Len(t, in.datagrams, c.read)
			require.Contains(t, fmt.Sprint(in.notes), c.note)
			require.Equal(t, c.note == "", in.notes == nil)
		})
	}
}

// A packet without a time has that of the packet before.
func TestSimplePacketsHaveATime(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0}}
	packet := packet4(t, &datagram)
	simple := block(blockSimple, append(little.AppendUint32(nil, uint32(len(packet))), packet...)...)
	in := readAll(slices.Concat(section(1, 0), deviceWith(layers.LinkTypeRaw), simple,
		enhanced(0, 1_000_000, uint32(len(packet)), packet), enhanced(0, 2_000_000, uint32(len(packet)), packet), simple))
	require.NoError(t, in.err)
	var times []float64
	for _, d := range in.datagrams {
		times = append(times, d.Time)
	}
	require.Equal(t, []float64{0, 0, 1, 1}, times)
}
