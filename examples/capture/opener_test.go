package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The opener reads a file, reports its bytes, and stops at the end of the context.
func TestOpener(t *testing.T) {
	var progress bytes.Buffer
	o := Opener{Progress: &progress}
	in, err := o.Open(t.Context(), "../../testdata/match.jsonl")
	require.NoError(t, err)
	n := 0
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		n++
		require.Equal(t, n, d.Number)
	}
	require.NoError(t, in.Close())
	file, err := os.ReadFile("../../testdata/match.jsonl")
	require.NoError(t, err)
	require.Equal(t, bytes.Count(file, []byte("\n")), n)
	require.Equal(t, len(file), progress.Len())

	_, err = o.Open(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "is a directory, not a file")
	_, err = o.Open(t.Context(), "missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// An input without an end ends with the context.
func TestOpenerStops(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	o := Opener{Stdin: r, Idle: cancel}
	in, err := o.Open(ctx, "-")
	require.NoError(t, err)
	defer in.Close()
	for _, err := range in.Datagrams() {
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "stdin: ")
	}
	require.NoError(t, r.Close())
}

// A file, for which nobody waits, ends with the context, too. It need not have datagrams.
func TestOpenerStopsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "long.jsonl")
	require.NoError(t, os.WriteFile(name, bytes.Repeat([]byte("\n"), 1<<20), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	first := writerFunc(func(b []byte) (int, error) {
		cancel()
		return len(b), nil
	})
	idle := func() { t.Error("a file is waited for") }
	for _, o := range []*Opener{{Progress: first, Idle: idle}, {Idle: idle}} {
		in, err := o.Open(ctx, name)
		require.NoError(t, err)
		ended := 0
		for _, err := range in.Datagrams() {
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, name)
			ended++
		}
		require.Equal(t, 1, ended)
		require.NoError(t, in.Close())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Errors name the input, and match the errors of the package.
func TestErrors(t *testing.T) {
	for text, want := range map[string]error{"": ErrEmpty, "\x00\x01\x02": ErrFormat} {
		var o Opener
		in := o.NewReader(t.Context(), "name", strings.NewReader(text))
		var all error
		for _, err := range in.Datagrams() {
			all = errors.Join(all, err)
		}
		require.ErrorIs(t, all, want)
		require.ErrorContains(t, all, "name: ")
		require.NoError(t, in.Close())
	}
}
