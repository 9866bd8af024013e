package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Any number of jobs prints the same bytes in the same order, complaints included, and ends with the same status.
func TestJobs(t *testing.T) {
	good := recordings + "match.jsonl"
	bad := writeFile(t, "bad.jsonl", []byte(hexLines(pack(t, 2, transport.NewData(0, chat("x"))))+"zz\n{\"hex\":\"0201\"}\n{\n"))
	for name, files := range map[string][]string{
		"one":                       {good},
		"a malformed one of eight":  {recordings + "rejoins.jsonl", recordings + "match.jsonl", bad, recordings + "sample.jsonl", recordings + "cheater.jsonl", bad, recordings + "openbc/blocks.jsonl", recordings + "sample.jsonl"},
		"a missing one of three":    {recordings + "sample.jsonl", filepath.Join(t.TempDir(), "missing"), recordings + "rejoins.jsonl"},
		"nothing that can be read":  {t.TempDir(), writeFile(t, "empty", nil)},
		"the end of a payload left": {writeFile(t, "cut.jsonl", cut(t, good))},
		"more failures than shown":  {good, writeFile(t, "failures.hex", failures(2000)), recordings + "cheater.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, flag := range []string{"-v=false", "-x", "-json", "-check", "-stats", "-events"} {
				all := func(jobs int) string {
					var both both
					status := run(t.Context(), append([]string{flag, fmt.Sprint("-jobs=", jobs)}, files...), nil, both.as("out"), both.as("err"))
					return fmt.Sprintf("%s status %d", both.text.String(), status)
				}
				want := all(1)
				for _, jobs := range testdata.Either([]int{2, 8}, []int{8}) {
					require.True(t, want == all(jobs), "%s with %d jobs", flag, jobs)
				}
			}
		})
	}
	for _, jobs := range []string{"0", "-1", "257"} {
		res := runDump(t, "", "-jobs", jobs)
		require.Equal(t, exitUsage, res.status)
		require.Equal(t, "dump: -jobs "+jobs+": give a number from 1 to 256\n", res.stderr)
	}
}

// failures returns n datagrams. One of 16 is malformed.
func failures(n int) (text []byte) {
	for i := range n {
		data := []byte{2, 1, 0x32, 0x06, 0x00, 0x2A, byte(i), byte(i >> 8)}
		if i%16 == 0 {
			data[3]++
		}
		cipher.Encrypt(data)
		text = fmt.Appendf(text, "%x\n", data)
	}
	return text
}

// cut returns a recording without its second half.
func cut(t *testing.T, name string) []byte {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text[:len(text)/2]
}

// both collects the lines of two outputs in the order of the writes.
type both struct {
	mutex sync.Mutex
	text  strings.Builder
	last  string
}

// as returns a writer for one of the outputs. How the bytes are split into writes makes no difference.
func (b *both) as(name string) io.Writer {
	return writerFunc(func(p []byte) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		if b.last != name {
			b.last = name
			b.text.WriteString("\n" + name + ": ")
		}
		b.text.Write(p)
	})
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// A full disk and a closed pipe end the program, whatever the jobs do, also if the input does not end.
func TestJobsWithoutOutput(t *testing.T) {
	before := runtime.NumGoroutine()
	text := strings.Repeat(string(sample), 50)
	for _, jobs := range []string{"1", "2", "8"} {
		for _, cause := range []error{syscall.EPIPE, errors.New("disk full")} {
			stdin, typist := io.Pipe()
			go func() { _, _ = io.WriteString(typist, text) }() // and then it waits
			var stderr bytes.Buffer
			status := run(t.Context(), []string{"-json", "-jobs", jobs, "-"}, stdin, &brokenPipe{1000, cause}, &stderr)
			if cause == syscall.EPIPE {
				require.Zero(t, status)
				require.Empty(t, stderr.String())
			} else {
				require.Equal(t, exitFailed, status)
				require.Equal(t, "dump: disk full\n", stderr.String())
			}
			require.NoError(t, stdin.Close())
		}
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 10*time.Second, 10*time.Millisecond, "goroutines are left")
}

// An interrupt prints what was read and ends with its status, with any number of jobs.
func TestJobsInterrupted(t *testing.T) {
	for _, jobs := range []string{"1", "8"} {
		ctx, interrupt := context.WithCancel(t.Context())
		text := bytes.Repeat(sample, 50)
		var out bytes.Buffer
		status := run(ctx, []string{"-json", "-jobs", jobs, "-"}, &interruptedReader{bytes.NewReader(text), 20_000, interrupt}, &out, io.Discard)
		require.Equal(t, exitInterrupted, status)
		whole := runDump(t, string(text), "-json", "-").stdout
		require.True(t, strings.HasPrefix(whole, out.String()), jobs)
		require.True(t, out.Len() < len(whole) && (out.Len() == 0 || out.Bytes()[out.Len()-1] == '\n'))
	}
}

// interruptedReader interrupts after some bytes and then waits for the end of the program.
type interruptedReader struct {
	r         *bytes.Reader
	left      int
	interrupt func()
}

func (r *interruptedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.interrupt()
		select {} // as a terminal that nobody types at
	}
	n, err := r.r.Read(p[:min(len(p), r.left, 1000)])
	r.left -= n
	return n, err
}

// The memory of the jobs is limited: batches wait for the output.
func TestJobsMemory(t *testing.T) {
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, largest := live(), int64(0)
	n := 0
	slow := writerFunc(func([]byte) {
		if n++; n%200 == 0 {
			largest = max(largest, live()-before)
		}
	})
	r, w := io.Pipe()
	go func() { w.CloseWithError(repeatBattle(w, testdata.Either(8, 4), func(int) {})) }()
	require.Zero(t, run(t.Context(), []string{"-json", "-jobs", "8", "-"}, r, slow, io.Discard))
	require.Positive(t, largest)
	require.Less(t, largest, int64(32<<20))
}
