package recording_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

func TestLongestLine(t *testing.T) {
	require.Equal(t, 512<<10, recording.MaxLine)
	const around = len(`{"hex":""}`)
	for _, ending := range []string{"", "\n", "\n" + full} {
		longest := `{"hex":"` + strings.Repeat("0", recording.MaxLine-around) + `"}`
		all, errs := read(longest + ending)
		require.Empty(t, errs)
		require.Len(t, all[0].Data, (recording.MaxLine-around)/2)

		all, errs = read(longest[:8] + "00" + longest[8:] + ending)
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], recording.ErrTooLong)
		require.Len(t, all, strings.Count(ending, "hex"), "the next line is read")
	}
}

// A line of many MiB takes no more memory than a line of MaxLine bytes.
func TestReadIsBounded(t *testing.T) {
	digits := io.LimitReader(endless("0"), 16<<20)
	spaces := io.LimitReader(endless(" "), 16<<20)
	in := io.MultiReader(digits, strings.NewReader("\n"+full+"\n"), spaces, strings.NewReader(full+"\n"+full))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var errs, datagrams []int
	for _, err := range recording.Read(in) {
		if err != nil {
			require.ErrorIs(t, err, recording.ErrTooLong)
			errs = append(errs, lineOf(err))
			continue
		}
		datagrams = append(datagrams, len(errs))
	}
	runtime.ReadMemStats(&after)
	require.Equal(t, []int{1, 3}, errs)
	require.Equal(t, []int{1, 2}, datagrams)
	if !testdata.UnderRace {
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}

// endless is a reader that repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

// A datagram of a pipe is yielded before the next line is written.
func TestReadDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	lines := make(chan string)
	go func() {
		for line := range lines {
			_, _ = io.WriteString(w, line)
		}
		w.Close()
	}()
	lines <- full + "\n"
	n := 0
	for d, err := range recording.Read(r) {
		require.NoError(t, err)
		require.Equal(t, fullDatagram, d)
		if n++; n == 3 {
			close(lines)
			continue
		}
		lines <- full + "\n"
	}
	require.Equal(t, 3, n)
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		before string
		line   int
	}{
		"at once":               {"", 1},
		"between lines":         {full + "\n", 2},
		"within a line":         {full + "\n" + full, 2},
		"within a long line":    {full + "\n" + strings.Repeat("0", 1<<20), 2},
		"after malformed lines": {"x\ny\n", 3},
	} {
		t.Run(name, func(t *testing.T) {
			var got []error
			for _, err := range recording.Read(io.MultiReader(strings.NewReader(c.before), iotest.ErrReader(broken))) {
				got = append(got, err)
			}
			last := got[len(got)-1]
			require.ErrorIs(t, last, broken)
			require.Equal(t, c.line, lineOf(last))
			for _, err := range got[:len(got)-1] {
				require.NotErrorIs(t, err, broken, "the reading ends with the first")
			}
		})
	}
}

func TestReadDirectory(t *testing.T) {
	f, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer f.Close()
	n := 0
	for _, err := range recording.Read(f) {
		n++
		var failed *fs.PathError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, 1, lineOf(err))
	}
	require.Equal(t, 1, n)
}

// A reader that returns few bytes at a time gives the same datagrams.
func TestReadInPieces(t *testing.T) {
	text := full + "\r\n\r\n# x\n" + full + "\nx\n" + full
	want, wantErrs := read(text)
	require.Len(t, want, 3)
	require.Len(t, wantErrs, 1)
	for _, slow := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
		var got []recording.Datagram
		var errs []error
		for d, err := range recording.Read(slow(strings.NewReader(text))) {
			if err != nil {
				errs = append(errs, err)
				continue
			}
			d.Data = bytes.Clone(d.Data)
			got = append(got, d)
		}
		require.Equal(t, want, got)
		require.Equal(t, wantErrs, errs)
	}
}

func TestRangingAgainContinues(t *testing.T) {
	all := recording.Read(strings.NewReader(full + "\nx\n" + full + "\n" + full))
	for range 3 {
		for d, err := range all {
			if err != nil {
				require.Equal(t, 2, lineOf(err))
				continue
			}
			require.Equal(t, fullDatagram, d)
			break
		}
	}
	for range all {
		t.Fatal("nothing is left")
	}
}

func TestDataIsReused(t *testing.T) {
	var first []byte
	for d, err := range recording.Read(strings.NewReader("0102\n0304\n05")) {
		require.NoError(t, err)
		if first == nil {
			first = d.Data
		}
	}
	require.Equal(t, []byte{5, 4}, first, "as documented: clone what is retained")
}
