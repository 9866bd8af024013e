package terminal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	var b bytes.Buffer
	o := NewOutput(&b)
	n, err := o.Write([]byte("text"))
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Equal(t, "text", b.String())
	require.NoError(t, o.Err())

	o.w = broken{syscall.EPIPE}
	_, err = o.Write([]byte("text"))
	require.ErrorIs(t, err, syscall.EPIPE)
	require.NoError(t, o.Err(), "the reader has closed the output")

	full := errors.New("disk full")
	for _, o.w = range []io.Writer{broken{full}, broken{errors.New("another")}} {
		_, err = o.Write([]byte("text"))
		require.Error(t, err)
		require.ErrorIs(t, o.Err(), full, "the first error")
	}
	o.w = &b
	_, err = o.Write([]byte("text"))
	require.NoError(t, err)
	require.ErrorIs(t, o.Err(), full)
}

// The logs show no invisible character, of which the handler for text passes some.
func TestLoggerEscapes(t *testing.T) {
	for json, want := range map[bool]string{false: `text=a\u3164\U000e0101b`, true: `"text":"a\u3164\udb40\udd01b"`} {
		var b bytes.Buffer
		Logger(&b, json, false).Info("x", "text", "a\u3164\U000e0101b", "other", "\u202eé\n")
		require.Contains(t, b.String(), want)
		require.Contains(t, b.String(), "\\u202eé\\n")
		require.Equal(t, 1, strings.Count(b.String(), "\n"))
	}
}

func TestLogger(t *testing.T) {
	for _, json := range []bool{false, true} {
		for _, verbose := range []bool{false, true} {
			var b bytes.Buffer
			log := Logger(&b, json, verbose)
			log.Debug("one")
			log.Info("two\u009b")
			require.Equal(t, verbose, strings.Contains(b.String(), "one"))
			require.Equal(t, json, strings.HasPrefix(b.String(), "{"))
			require.Contains(t, b.String(), `two\u009b`)
			require.NotContains(t, b.String(), "\u009b")
		}
	}
}
