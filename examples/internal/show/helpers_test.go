package show

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show/showtest"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// result is the result of an output.
type result struct {
	failed bool           // a message has an error
	notes  map[string]int // by kind
	stdout string
}

// render decodes JSON lines or hex text, and prints the datagrams as dump does with the flags.
func render(t *testing.T, lines string, flags ...string) result {
	t.Helper()
	var b []byte
	out := outputOf(flags)
	d := Decoder{Plain: slices.Contains(flags, "-plain")}
	number, res := 0, result{notes: map[string]int{}}
	for r, err := range recording.Read(strings.NewReader(lines)) {
		require.NoError(t, err)
		number++
		p := d.Decode(capture.Recorded(number, r))
		b = out.Append(b, p)
		for _, m := range p.Messages {
			res.failed = res.failed || m.Err != nil
			for _, n := range m.Notes {
				res.notes[n.Kind]++
			}
		}
	}
	res.stdout = string(b)
	return res
}

func outputOf(flags []string) Output {
	switch {
	case slices.Contains(flags, "-json"):
		return NewJSON()
	case slices.Contains(flags, "-x"):
		return NewBytes(false)
	}
	return NewLines(false, slices.Contains(flags, "-v"), 0)
}

// sample returns the JSON lines of the sample.
func sample(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/sample.jsonl")
	require.NoError(t, err)
	return string(text)
}

// sampleDatagrams returns the datagrams of the sample, deciphered.
func sampleDatagrams(t testing.TB) (all [][]byte) {
	t.Helper()
	for d, err := range recording.Read(strings.NewReader(sample(t))) {
		require.NoError(t, err)
		if !transport.IsGameSpy(d.Data) {
			cipher.Decrypt(d.Data)
		}
		all = append(all, bytes.Clone(d.Data))
	}
	return all
}

// jsonRecord is an object of the JSON output.
type jsonRecord struct {
	Packet   int
	Time     float64
	Dir      string
	Peer     *int
	Index    int
	Type     string
	Reliable bool
	Seq      int
	Fragment *struct{ Index, Total int }
	Opcode   string
	Name     string
	Fields   map[string]any
	Hex      string
	Note     string
	Error    string
}

// runJSON returns the objects of the JSON output.
func runJSON(t *testing.T, lines string, flags ...string) (records []jsonRecord) {
	t.Helper()
	for line := range strings.Lines(render(t, lines, append(flags, "-json")...).stdout) {
		var r jsonRecord
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		records = append(records, r)
	}
	return records
}

var pack, encrypted, chat, hexLines = showtest.Pack, showtest.Enciphered, showtest.Chat, showtest.HexLines

// systemText returns a string as the text of a system message.
func systemText(t testing.TB, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	require.NoError(t, err)
	return text
}
