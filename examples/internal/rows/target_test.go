package rows

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/replace"
	"github.com/bcwire/bcwire/examples/internal/show"
)

func packet() *show.Packet {
	d := show.Decoder{Plain: true}
	return d.Decode(&show.Datagram{Number: 1, Client: "1", Data: []byte{2, 0}})
}

// A directory has a file for each match that is complete. Other files stay.
func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "matches")
	target, err := Open(dir + "/")
	require.NoError(t, err)
	for _, match := range []string{"a", "b", "c"} {
		require.NoError(t, target.Begin(match))
		require.NoError(t, target.Packet(packet()))
	}
	target.Discard()
	require.Equal(t, []string{"match=a", "match=b"}, files(t, dir))
	require.Equal(t, []string{part}, files(t, filepath.Join(dir, "match=b")))

	target, err = Open(dir) // an existing directory needs no slash
	require.NoError(t, err)
	require.NoError(t, target.Begin("b"))
	target.Discard()
	require.Equal(t, []string{"match=a", "match=b"}, files(t, dir))
	require.Equal(t, []string{part}, files(t, filepath.Join(dir, "match=b")), "the file before stays")

	target, err = Open(dir)
	require.NoError(t, err)
	require.NoError(t, target.Close(), "no match")
}

func TestDirectoryFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(file + "/")
	require.Error(t, err)

	target, err := Open(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "match=a"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "match=a", part), 0o700))
	require.ErrorIs(t, target.Begin("a"), replace.ErrNotRegular)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "match=b"), nil, 0o600))
	require.Error(t, target.Begin("b"))
	target.Discard()
	require.Equal(t, []string{"file", "match=a", "match=b"}, files(t, dir))
}

// A file without any match does not replace the file before.
func TestNoMatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(name, []byte("before"), 0o600))
	target, err := Open(name)
	require.NoError(t, err)
	require.NoError(t, target.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}
