package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const printed = `goos: linux
cpu: A machine
pkg: github.com/bcwire/bcwire/cipher
BenchmarkBar/Encrypt/64-2   	71649276	  5.500 aim	  4.125 limit	 7.112 ratio
BenchmarkBar/Encrypt/64-2   	70365342	  5.500 aim	  4.125 limit	 7.120 ratio
BenchmarkBar/Encrypt/64-2   	70365342	  5.500 aim	  4.125 limit	 3.100 ratio
BenchmarkEncrypt/64-2   	115849	 211.2 ns/op	 303.04 MB/s	 4.708 ratio	 0 B/op	 0 allocs/op
BenchmarkEncrypt/64-2   	115849	 201.4 ns/op	 303.04 MB/s	 4.708 ratio	 0 B/op	 0 allocs/op
PASS
pkg: github.com/bcwire/bcwire/transport
BenchmarkSession-2   	28981	 883.6 ns/op	 441.8 ns/datagram	 0 B/op	 2 allocs/op
BenchmarkUnknown	1	1 ns/op
PASS
pkg: github.com/bcwire/bcwire/examples/dump
BenchmarkMessages/json-2   	1	2000000 ns/op	 741.6 MB/million	 21.50 s/million
PASS
`

func TestPage(t *testing.T) {
	s, err := parse(strings.NewReader(printed))
	require.NoError(t, err)
	page := s.page("go1.99")
	require.Contains(t, page, "A machine with go1.99")
	require.Contains(t, page, "| cipher | Encrypt/64 | 7.11 | 5.5 | 4.12 |")
	require.Contains(t, page, "| Encrypt/64 | 201 | 303 | 0 | 4.71 |  |")
	require.Contains(t, page, "| Session | 884 |  | 2 |  | 442 ns/datagram |")
	require.Contains(t, page, "| Messages/json | 2000000 |  |  |  | 21.5 s/million, 742 MB/million |")
	require.Contains(t, page, "| Unknown | 1 |  |  |  |  |")
	require.Equal(t, 1, strings.Count(page, "### transport"))
}

func TestParseError(t *testing.T) {
	_, err := parse(strings.NewReader("BenchmarkX-2 1 fast\n"))
	require.Error(t, err)
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.04321: "0.0432", 1.5: "1.5", 12.34: "12.3", 999.6: "1000", 123456: "123456"} {
		require.Equal(t, want, number(v))
	}
}

func TestRunErrors(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), options{run: "(", packages: "./objectid", time: "1x", count: 1}), "exit status")
}

// The least times and the most memory of several runs count.
func TestCost(t *testing.T) {
	a, b := cost{3, 2, 10}, cost{2, 4, 20}
	require.Equal(t, cost{2, 2, 20}, a.least(b))
	require.Equal(t, b, cost{}.least(b))
}

// A recording that is repeated has later times and other clients.
func TestRepeat(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	require.NoError(t, repeat(name, []byte(`{"t":1,"dir":"c2s","client":1,"hex":"ff01"}`+"\n"), 2))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, `{"t":1,"dir":"c2s","client":1,"hex":"ff01"}`+"\n"+`{"t":81,"dir":"c2s","client":6,"hex":"ff01"}`+"\n", string(text))
}

func TestAgainstErrors(t *testing.T) {
	require.ErrorContains(t, against(t.Context(), ".", "no-such-commit", 1, 1, io.Discard), "no-such-commit")
}

// The sizes are bytes for each message. The rest of a file is its index.
func TestSizePage(t *testing.T) {
	page := sizePage([]*columnSizes{
		{rows: 10, total: 300, columns: []string{"time", "fields"}, bytes: map[string]int64{"time": 50, "fields": 200}},
		{rows: 5, total: 20, columns: []string{"event"}, bytes: map[string]int64{"event": 10}},
		{rows: 2, total: 30, columns: []string{"x"}, bytes: map[string]int64{"x": 30}},
	})
	require.Contains(t, page, "| time | 5.00 | event | 1.00 | x | 3.00 |")
	require.Contains(t, page, "| index | 5.00 | index | 1.00 | index | 0.00 |")
	require.Contains(t, page, "Messages with fields take 30.00 bytes each")
	require.Contains(t, page, "Events and states take 5.00;")
}

// The comparison with a commit is the last section of the page.
func TestSections(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.md")
	require.NoError(t, os.WriteFile(name, []byte("# A\n\n"+comparedWith+"x\n\nB\n"), 0o600))
	first, last, err := sections(name)
	require.NoError(t, err)
	require.Equal(t, []string{"# A\n", "\n" + comparedWith + "x\n\nB\n"}, []string{first, last})
	require.NoError(t, os.WriteFile(name, []byte("# A\n"), 0o600))
	first, last, err = sections(name)
	require.NoError(t, err)
	require.Equal(t, []string{"# A\n", ""}, []string{first, last})
}
