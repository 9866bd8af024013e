package recorder_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/server/internal/recorder"
)

// A failed write of the recording is logged within two seconds, once, and returned by Close.
func TestRecordingFails(t *testing.T) {
	for _, d := range []time.Duration{2 * time.Second, 7 * time.Second} {
		recordQuery(t, "/dev/full", 0, d, func(c *recorder.Conn, log string) {
			require.Equal(t, 1, strings.Count(log, `level=WARN msg="the recording is incomplete" error="write /dev/full: no space left`))
			require.ErrorIs(t, c.Close(), syscall.ENOSPC)
		})
	}
}
