package damagelog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A log is read along with its recording: by the seconds of JSON lines, or by the time of day of a capture.
func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "match.jsonl")
	none, err := Open(file)
	require.NoError(t, err)
	for range none.Until(1e9, time.Time{}) {
		t.Fatal("there is no log")
	}
	require.NoError(t, none.Close())

	require.NoError(t, os.WriteFile(file, nil, 0o600))
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w, err := Create(file, start, 0)
	require.NoError(t, err)
	hits := []Hit{
		{Player: "Ann", Peer: 2, Target: "Ben", TargetPeer: 3, Weapon: "Phasers", Absorbed: 12.5},
		{Peer: -1, Target: "Ann \u202e\n", TargetPeer: 2, Weapon: Collision, Passed: 7},
	}
	for i, h := range hits {
		w.Write(start.Add(time.Duration(i+1)*time.Second), h)
	}
	require.NoError(t, w.Close())
	for packed, times := range map[string][]time.Time{".gz": {{}, {}, {}}, ".zst": {start.Add(time.Second / 2), start.Add(time.Second + delay), start.Add(time.Hour)}} {
		r, err := Open(file + packed)
		require.NoError(t, err)
		var got []Hit
		for i, seconds := range []float64{0.5, 1 + delay.Seconds(), 3600} {
			for h := range r.Until(seconds, times[i]) {
				require.InDelta(t, len(got)+1, h.Seconds, 1e-9)
				require.True(t, h.At.Equal(start.Add(time.Duration(len(got)+1)*time.Second)))
				h.Seconds, h.At = 0, time.Time{}
				got = append(got, *h)
			}
			require.Len(t, got, i)
		}
		require.Equal(t, hits, got)
		require.NoError(t, r.Close())
	}
}

// What is malformed ends a log with an error that names the line. What stands before it is read.
func TestMalformedLog(t *testing.T) {
	for text, want := range map[string]string{
		`{"t":1`:                           "line 2: unexpected end of JSON input",
		`{"t":1,"absorbed":-1}`:            "line 2: negative damage",
		`"` + strings.Repeat("x", maxLine): "line 2: bufio.Scanner: token too long",
	} {
		file := filepath.Join(t.TempDir(), "match.pcapng")
		require.NoError(t, os.WriteFile(Name(file), []byte(`{"t":1,"passed":2}`+"\n"+text), 0o600))
		r, err := Open(file)
		require.NoError(t, err)
		n := 0
		for h := range r.Rest() {
			require.InDelta(t, 2, h.Passed, 0)
			n++
		}
		require.Equal(t, 1, n)
		require.ErrorContains(t, r.Close(), want)
	}
}

// At its limit a log ends with a whole line, and a device has none beside it.
func TestLimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "match.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	w, err := Create(file, time.Now(), 1000)
	require.NoError(t, err)
	for range 100 {
		w.Write(time.Now(), Hit{Target: "Ben"})
	}
	require.NoError(t, w.Close())
	text, err := os.ReadFile(Name(file))
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), 1000)
	require.Greater(t, len(text), 800)
	require.True(t, strings.HasSuffix(string(text), "}\n"))

	w, err = Create(os.DevNull, time.Now(), 0)
	require.NoError(t, err)
	w.Write(time.Now(), Hit{})
	require.NoError(t, w.Close())
}
