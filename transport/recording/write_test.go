package recording_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

func TestAppend(t *testing.T) {
	require.Equal(t, `{"t":1.507823177,"dir":"c2s","client":1,"hex":"ff0103"}
{"t":-1,"dir":"s2c","client":1,"hex":"5c615c"}
{"t":3,"dir":"c2s","client":7,"hex":"02","note":"dropped"}
{"t":0,"hex":""}
{"t":1e-07,"client":0,"hex":"","note":"\"\u003c\u001b\ufffd\u2028"}
{"t":-1e+300,"client":0,"hex":""}
`, write(t,
		recording.Datagram{Seconds: 1.507823177, Direction: recording.ToServer, Client: 1, Data: []byte{0xFF, 1, 3}},
		recording.Datagram{Seconds: -1, Direction: recording.ToClient, Client: 1, Data: []byte(`\a\`)},
		recording.Datagram{Seconds: 3, Direction: recording.ToServer, Client: 7, Data: []byte{2}, Note: "dropped"},
		recording.Datagram{Client: recording.NoClient},
		recording.Datagram{Seconds: 1e-7, Note: "\"<\x1b\xff\u2028"},
		recording.Datagram{Seconds: -1e300},
	))
}

// The beginning of a recording that is cut can be read.
func TestCutRecording(t *testing.T) {
	line := write(t, fullDatagram)
	text := strings.Repeat(line, 3)
	for n := range text {
		all, errs := read(text[:n])
		whole := (n + 1) / len(line) // the last line needs no line feed
		require.Len(t, all, whole)
		if whole*len(line) < n {
			require.Len(t, errs, 1)
			require.NotErrorIs(t, errs[0], recording.ErrSyntax, "it is cut")
		}
	}
}

// Append and Read have the same limit.
func TestLongestDatagram(t *testing.T) {
	around := len(write(t, recording.Datagram{Note: "x"})) - len("\n")
	longest := recording.Datagram{Data: make([]byte, (recording.MaxLine-around)/2), Note: "x"}
	longest.Note = strings.Repeat("x", 1+(recording.MaxLine-around)%2)
	got := readOne(t, write(t, longest))
	require.Equal(t, longest, got)

	tooLong := longest
	tooLong.Note += "x"
	_, err := recording.Append(nil, tooLong)
	require.ErrorIs(t, err, recording.ErrTooLong)
}
