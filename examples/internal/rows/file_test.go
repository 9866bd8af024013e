package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/replace"
)

// files returns the names in a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func row(datagram int64, fields string) *Row {
	return &Row{Match: "m", Datagram: datagram, Fields: []byte(fields), Bytes: []byte{1}}
}

// A file replaces the file before when it is complete, and not earlier.
func TestReplace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	for _, complete := range []bool{false, true} {
		f, err := Create(name)
		require.NoError(t, err)
		require.NoError(t, f.Write(row(1, "{}")))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "before", string(text))
		for _, n := range files(t, filepath.Dir(name)) {
			require.True(t, n == "x.parquet" || !strings.HasSuffix(n, ".parquet"), n)
		}
		if !complete {
			f.Discard()
			require.Equal(t, []string{"x.parquet"}, files(t, filepath.Dir(name)))
			continue
		}
		require.NoError(t, f.Close())
		all, err := parquet.ReadFile[Row](name)
		require.NoError(t, err)
		require.Equal(t, []Row{*row(1, "{}")}, all)
		require.Equal(t, []string{"x.parquet"}, files(t, filepath.Dir(name)))
	}
}

// A file that cannot be completed replaces nothing.
func TestIncomplete(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	f, err := Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Write(row(1, "{}")))
	require.NoError(t, f.temp.Close())
	require.ErrorIs(t, f.Close(), os.ErrClosed)
	require.Equal(t, []string{"x.parquet"}, files(t, filepath.Dir(name)))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}

func TestNotReplaceable(t *testing.T) {
	_, err := Create(os.DevNull)
	require.ErrorIs(t, err, replace.ErrNotRegular)
	_, err = Create(filepath.Join(t.TempDir(), "missing", "x.parquet"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The metadata has the version of the schema.
func TestVersion(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.parquet")
	f, err := Create(name)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	p, err := parquet.OpenFile(file, info.Size())
	require.NoError(t, err)
	version, ok := p.Lookup(VersionKey)
	require.True(t, ok)
	require.Equal(t, Version, version)
	require.Zero(t, p.NumRows())
}

// A row group ends at a number of rows, and earlier if they are long.
func TestRowGroups(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		rows   int
		want   int
	}{
		"short rows": {"{}", 101, 2},
		"long rows":  {`"` + strings.Repeat("x", 1<<20) + `"`, 21, 3},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Create(filepath.Join(t.TempDir(), "x.parquet"))
			require.NoError(t, err)
			f.limit = group{rows: 100, bytes: 10 << 20}
			for i := range c.rows {
				require.NoError(t, f.Write(row(int64(i), c.fields)))
			}
			require.NoError(t, f.Close())
			file, err := os.Open(f.name)
			require.NoError(t, err)
			defer file.Close()
			info, err := file.Stat()
			require.NoError(t, err)
			p, err := parquet.OpenFile(file, info.Size())
			require.NoError(t, err)
			require.Len(t, p.RowGroups(), c.want)
			require.EqualValues(t, c.rows, p.NumRows())
		})
	}
}
