package rows

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// full returns a file of a full disk.
func full(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// On a full disk, the file before stays. The error names the cause, at the latest in Close.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	for _, rows := range []int64{0, 1, 200} {
		f, err := Create(name)
		require.NoError(t, err)
		temp := f.temp.Name()
		require.NoError(t, f.temp.Close())
		f = newFile(name, full(t))
		f.limit.rows = 100
		var failed error
		for i := int64(0); i < rows && failed == nil; i++ {
			failed = f.Write(row(i, "{}"))
		}
		if failed == nil {
			failed = f.rows.Close()
		}
		require.ErrorIs(t, failed, syscall.ENOSPC, "%d rows", rows)
		require.NoError(t, os.Remove(temp))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "before", string(text))
	}
}
