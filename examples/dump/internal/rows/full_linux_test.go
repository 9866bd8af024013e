package rows

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
)

// On a full disk, the files before stay, and no temporary file is left. The error names the cause.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.parquet")
	writeText(t, name, "before")
	for i, table := range slices.Concat(Tables, Tables) {
		target := open(t, name, Tables...)
		s := begin(t, target, "a")
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		defer full.Close()
		target.all.chosen = nil
		for _, name := range Tables {
			file := target.all.temps[name]
			if name == table {
				file = full
			}
			target.all.open(name, file, i >= len(Tables))
		}
		in, err := new(capture.Opener).Open(t.Context(), rejoinsFile)
		require.NoError(t, err)
		defer in.Close()
		var failed error
		for d := range in.Datagrams() {
			if failed = s.Datagram(d); failed != nil {
				break
			}
		}
		if failed == nil {
			require.NoError(t, s.End(""))
			failed = target.Close()
		} else {
			s.Discard()
			target.Discard()
		}
		require.ErrorIs(t, failed, syscall.ENOSPC)
		requireText(t, name, "before")
		require.Equal(t, []string{"x.parquet"}, files(t, dir))
	}
}
