package recording_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

// match returns the recording of a match.
func match(tb testing.TB) string { return write(tb, testdata.Match(tb)...) }

// The baseline of BenchmarkRead and BenchmarkWrite is encoding/json and encoding/hex for each line.

func BenchmarkRead(b *testing.B) {
	text := match(b)
	testdata.Compare(b, len(text), func() { readThrough(b, strings.NewReader(text)) }, func() {
		for text := range bytes.Lines([]byte(text)) {
			var v line
			if json.Unmarshal(text, &v) != nil {
				b.Fatal("not JSON")
			}
			if _, err := hex.DecodeString(v.Hex); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	all := testdata.Match(b)
	testdata.Compare(b, len(match(b)), func() { writeThrough(b, all) }, func() {
		enc := json.NewEncoder(io.Discard)
		for _, d := range all {
			if err := enc.Encode(line{d.Seconds, string(d.Direction), &d.Client, hex.EncodeToString(d.Data), ""}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func readThrough(tb testing.TB, r io.Reader) {
	for _, err := range recording.Read(r) {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func writeThrough(tb testing.TB, all []recording.Datagram) {
	var b []byte
	for i := range all {
		var err error
		if b, err = recording.Append(b[:0], all[i]); err != nil {
			tb.Fatal(err)
		}
	}
}

// line is a line for encoding/json.
type line struct {
	T      float64 `json:"t"`
	Dir    string  `json:"dir"`
	Client *int64  `json:"client,omitempty"`
	Hex    string  `json:"hex"`
	Note   string  `json:"note,omitempty"`
}

// Reading and writing a datagram allocates nothing.
func TestAllocs(t *testing.T) {
	text := strings.Repeat(match(t), 2)
	const fixed = 12 // the buffer, and the bytes of a datagram while they grow
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { readThrough(t, strings.NewReader(text)) }), float64(fixed))

	b, data := make([]byte, 0, 1000), make([]byte, 400)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = recording.Append(b, recording.Datagram{Seconds: 1.507823177, Direction: recording.ToServer, Client: 3, Data: data})
	}))
}
