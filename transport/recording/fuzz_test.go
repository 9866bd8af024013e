package recording_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// FuzzRead reads any file. Every line that is neither blank nor a comment gives a datagram or an
// error that names the line. The datagrams can be written, and give the same datagrams again.
func FuzzRead(f *testing.F) {
	for _, row := range append(hostileLines(), hostileFiles()...) {
		if len(row.In) < 1<<10 {
			f.Add(row.In)
		}
	}
	sample, err := os.ReadFile("../../testdata/sample.jsonl")
	require.NoError(f, err)
	f.Add(sample)
	f.Fuzz(func(t *testing.T, file []byte) {
		all, errs := read(string(file))
		require.Equal(t, contentLines(string(file)), len(all)+len(errs))
		last := 0
		for _, err := range errs {
			line := lineOf(err)
			require.Greater(t, line, last)
			require.Less(t, len(err.Error()), 300)
			last = line
		}
		again, errs := read(write(t, all...))
		require.Empty(t, errs)
		requireSame(t, all, again)
	})
}

// contentLines returns the number of lines that are neither blank nor comments.
func contentLines(file string) (n int) {
	for line := range strings.Lines(strings.TrimPrefix(file, "\xEF\xBB\xBF")) {
		tooLong := len(strings.TrimSuffix(line, "\n")) > recording.MaxLine
		line = strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), " \t")
		if tooLong || line != "" && line[0] != '#' {
			n++
		}
	}
	return n
}

func requireSame(t *testing.T, want, got []recording.Datagram) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, bytes.Equal(want[i].Data, got[i].Data))
		want[i].Data, got[i].Data = nil, nil
		require.Equal(t, want[i], got[i])
	}
}

// FuzzLine reads a line of JSON in two ways: with this package, and with encoding/json and
// regular expressions. Both accept the same lines and find the same datagram.
func FuzzLine(f *testing.F) {
	for _, row := range hostileLines() {
		if len(row.In) < 1<<10 {
			f.Add(row.In)
		}
	}
	f.Add([]byte(full))
	f.Add([]byte(`{"t":-0.0,"dir":"s2c","client":-1,"hex":"","note":""}`))
	f.Add([]byte(`{"t":0.1234567890123456789,"client":-0,"hex":"aF","note":"~ "}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if !bytes.HasPrefix(line, []byte("{")) || bytes.ContainsAny(line, "\n") || len(line) > recording.MaxLine {
			return
		}
		want, err := oracle(bytes.TrimRight(line, " \t\r"))
		all, errs := read(string(line))
		if err != nil {
			require.Len(t, errs, 1, "%v", err)
			require.Empty(t, all)
			return
		}
		require.Empty(t, errs)
		requireSame(t, []recording.Datagram{want}, all)
	})
}

// digits is the hex that a line can have, without the spaces and prefixes.
var digits = regexp.MustCompile(`^(?:[ \t]|(?:0[xX])?([0-9a-fA-F]{2}))*$`)

var separators = regexp.MustCompile(`[ \t]|0[xX]`)

// oracle reads a line with encoding/json alone.
func oracle(line []byte) (d recording.Datagram, err error) {
	var v struct {
		T      *float64
		Dir    *string
		Client *int64
		Hex    *string
		Note   any
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return d, err
	}
	d.Client = recording.NoClient
	if v.T != nil {
		d.Seconds = *v.T
	}
	if v.Dir != nil {
		d.Direction = recording.Direction(*v.Dir)
	}
	if v.Client != nil {
		d.Client = *v.Client
	}
	d.Note, _ = v.Note.(string)
	if v.Hex == nil || !digits.MatchString(*v.Hex) || !strings.Contains(" c2s s2c  ", " "+string(d.Direction)+" ") {
		return d, errors.New("wrong value")
	}
	d.Data, err = hex.DecodeString(separators.ReplaceAllString(*v.Hex, ""))
	return d, err
}

// FuzzWrite writes a datagram and reads it again. The line is JSON, and is read without
// encoding/json unless a number or the note has another form.
func FuzzWrite(f *testing.F) {
	f.Add(0.5, "c2s", int64(7), []byte{0xFF, 1, 3}, "dropped")
	f.Add(-1e300, "", int64(recording.NoClient), []byte(nil), "\"\\\x1b\u2028")
	f.Add(math.NaN(), "up", int64(math.MinInt64), []byte{}, "\xff")
	f.Fuzz(func(t *testing.T, seconds float64, direction string, client int64, data []byte, note string) {
		d := recording.Datagram{Seconds: seconds, Direction: recording.Direction(direction), Client: client, Data: data, Note: note}
		finite := !math.IsNaN(seconds) && !math.IsInf(seconds, 0)
		if !finite || direction != "" && direction != "c2s" && direction != "s2c" || len(data)*2+len(note)*6 > 500_000 {
			return // TestHostileDatagrams
		}
		text := write(t, d)
		require.Equal(t, 1, strings.Count(text, "\n"))
		require.True(t, json.Valid([]byte(text)))
		if !utf8.ValidString(note) {
			d.Note = string([]rune(note))
		}
		requireSame(t, []recording.Datagram{d}, []recording.Datagram{readOne(t, text)})

		_, fast := recording.Canonical([]byte(strings.TrimSuffix(text, "\n")))
		plain := strings.IndexFunc(note, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`\"<>&`, c) }) < 0
		require.Equal(t, plain && !strings.ContainsAny(text[:strings.IndexAny(text, ",")], "e"), fast, text)
	})
}
