package recording_test

import (
	"errors"
	"math"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/transport/recording"
)

var start = time.Unix(1000, 0)

func address(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(i >> 16), 1}), uint16(i))
}

func TestWriter(t *testing.T) {
	var b strings.Builder
	w := recording.NewWriter(&b, start)
	require.NoError(t, w.WriteAddrPort(start.Add(1507823177), recording.ToServer, address(5), []byte{0xFF, 1, 3}))
	require.NoError(t, w.WriteAddrPort(start.Add(2*time.Second), recording.ToClient, address(6), nil))
	require.NoError(t, w.WriteAddrPort(start.Add(-time.Second), recording.ToClient, address(5), []byte(`\a\`)))
	require.NoError(t, w.Write(recording.Datagram{Seconds: 3, Direction: recording.ToServer, Client: 7, Data: []byte{2}, Note: "dropped"}))
	require.NoError(t, w.Write(recording.Datagram{Client: recording.NoClient}))
	require.NoError(t, w.Write(recording.Datagram{Seconds: 1e-7, Note: "\"<\x1b\xff\u2028"}))
	require.NoError(t, w.Write(recording.Datagram{Seconds: -1e300}))
	require.Empty(t, b.String(), "buffered")
	require.NoError(t, w.Flush())
	require.Equal(t, `{"t":1.507823177,"dir":"c2s","client":1,"hex":"ff0103"}
{"t":2,"dir":"s2c","client":2,"hex":""}
{"t":-1,"dir":"s2c","client":1,"hex":"5c615c"}
{"t":3,"dir":"c2s","client":7,"hex":"02","note":"dropped"}
{"t":0,"hex":""}
{"t":1e-07,"client":0,"hex":"","note":"\"\u003c\u001b\ufffd\u2028"}
{"t":-1e+300,"client":0,"hex":""}
`, b.String())
}

func TestNilWriter(t *testing.T) {
	var w *recording.Writer
	require.NoError(t, w.Write(fullDatagram))
	require.NoError(t, w.WriteAddrPort(start, recording.ToServer, address(1), nil))
	require.NoError(t, w.Flush())
}

func TestZeroWriter(t *testing.T) {
	var w recording.Writer
	for _, err := range []error{w.Write(fullDatagram), w.WriteAddrPort(start, recording.ToServer, address(1), nil), w.Flush()} {
		require.EqualError(t, err, "recording: the Writer is not from NewWriter")
	}
}

// disk is a file on a disk with limited room. It fails once, and then has room again.
type disk struct {
	strings.Builder
	room int
}

func (d *disk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		n, _ := d.Builder.Write(p[:d.room])
		d.room = math.MaxInt
		return n, syscall.ENOSPC
	}
	d.room -= len(p)
	return d.Builder.Write(p)
}

// On a full disk, the beginning of the recording can be read, and no line follows the gap.
func TestFullDisk(t *testing.T) {
	line := write(t, fullDatagram)
	for room := range 3 * len(line) {
		d := &disk{room: room}
		w := recording.NewWriter(d, start)
		for range 3 {
			require.NoError(t, w.Write(fullDatagram), "buffered")
		}
		require.ErrorIs(t, w.Flush(), syscall.ENOSPC)
		require.ErrorIs(t, w.Write(fullDatagram), syscall.ENOSPC)
		require.ErrorIs(t, w.Flush(), syscall.ENOSPC)

		all, errs := read(d.String())
		require.Equal(t, room, d.Len())
		whole := (room + 1) / len(line) // the last line needs no line feed
		require.Len(t, all, whole)
		if whole*len(line) < room {
			require.Len(t, errs, 1)
			require.NotErrorIs(t, errs[0], recording.ErrSyntax, "it is cut")
		}
	}
}

func TestWriteReportsErrorsOfTheDisk(t *testing.T) {
	w := recording.NewWriter(&disk{}, start)
	large := recording.Datagram{Data: make([]byte, 10000)}
	require.ErrorIs(t, w.Write(large), syscall.ENOSPC, "larger than the buffer")
	require.ErrorIs(t, w.WriteAddrPort(start, recording.ToServer, address(1), nil), syscall.ENOSPC)
}

// Writer and reader have the same limit.
func TestLongestDatagram(t *testing.T) {
	around := len(write(t, recording.Datagram{Note: "x"})) - len("\n")
	longest := recording.Datagram{Data: make([]byte, (recording.MaxLine-around)/2), Note: "x"}
	longest.Note = strings.Repeat("x", 1+(recording.MaxLine-around)%2)
	got := readOne(t, write(t, longest))
	require.Equal(t, longest, got)

	tooLong := longest
	tooLong.Note += "x"
	w := recording.NewWriter(&strings.Builder{}, start)
	require.ErrorIs(t, w.Write(tooLong), recording.ErrTooLong)
	require.NoError(t, w.Write(longest), "a refused datagram does not end the recording")
}

// A client that keeps sending keeps its number during a flood of addresses.
func TestNumbersAreBounded(t *testing.T) {
	var b strings.Builder
	w := recording.NewWriter(&b, start)
	const flood = 10 * recording.MaxRecent
	for i := range flood {
		require.NoError(t, w.WriteAddrPort(start, recording.ToServer, address(i+1), nil))
		require.NoError(t, w.WriteAddrPort(start, recording.ToServer, address(0), nil))
		require.LessOrEqual(t, w.Remembered(), 2*recording.MaxRecent)
	}
	require.NoError(t, w.WriteAddrPort(start, recording.ToServer, address(1), nil))
	require.NoError(t, w.Flush())

	all, errs := read(b.String())
	require.Empty(t, errs)
	seen := map[int64]bool{}
	for i, d := range all {
		if i%2 == 1 && i < 2*flood {
			require.Equal(t, int64(2), d.Client, "heard all the time")
			continue
		}
		require.False(t, seen[d.Client], "%d is given twice", d.Client)
		seen[d.Client] = true
	}
	require.NotEqual(t, int64(1), all[2*flood].Client, "silent for long")
}

// Durations are exact in recordings of days.
func TestTimesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		month := int64(25 * 24 * time.Hour)
		at := time.Duration(rapid.Int64Range(-month, month).Draw(t, "at"))
		var b strings.Builder
		w := recording.NewWriter(&b, start)
		if err := errors.Join(w.WriteAddrPort(start.Add(at), "", address(1), nil), w.Flush()); err != nil {
			t.Fatal(err)
		}
		all, _ := read(b.String())
		if len(all) != 1 || all[0].Time() != at {
			t.Fatalf("%v in %s", at, b.String())
		}
	})
}
