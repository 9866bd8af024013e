package replace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTemp(t *testing.T) {
	dir := t.TempDir()
	temp, err := Temp(filepath.Join(dir, "x"))
	require.NoError(t, err)
	require.NoError(t, temp.Close())
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Regexp(t, `^\.x-\d+$`, list[0].Name())
}

// An error has the name that the user gave.
func TestTempErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Temp(dir)
	require.ErrorIs(t, err, ErrNotRegular)
	require.EqualError(t, err, dir+": not a regular file")
	missing := filepath.Join(dir, "missing", "x")
	_, err = Temp(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "create "+missing+": ")
	require.NotContains(t, err.Error(), ".x-")
}
