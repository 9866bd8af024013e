package main

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// processTime returns the processor time that this process has used.
func processTime(t *testing.T) time.Duration {
	var created, exited, kernel, user syscall.Filetime
	process, err := syscall.GetCurrentProcess()
	require.NoError(t, err)
	require.NoError(t, syscall.GetProcessTimes(process, &created, &exited, &kernel, &user))
	return ticks(kernel) + ticks(user)
}

// ticks returns a duration that Windows counts in units of 100 ns.
func ticks(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}
