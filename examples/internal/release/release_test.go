package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is a file that an archive has.
type entry struct {
	name, text string
	mode       int64
	seconds    int64
}

func readZip(t *testing.T, data []byte) (entries []entry) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range r.File {
		content, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		entries = append(entries, entry{f.Name, string(text), int64(f.Mode()), f.Modified.Unix()})
	}
	return entries
}

func readTar(t *testing.T, data []byte) (entries []entry) {
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	for r := tar.NewReader(compressed); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		entries = append(entries, entry{header.Name, string(text), header.Mode, header.ModTime.Unix()})
	}
}

// Both kinds of archives have sorted entries in one directory, with one time.
func TestArchives(t *testing.T) {
	files := map[string]file{"b.txt": {0o644, []byte("B")}, "a": {0o755, []byte("A")}, "c/d": {0o644, nil}}
	want := []entry{{"x/a", "A", 0o755, modified.Unix()}, {"x/b.txt", "B", 0o644, modified.Unix()}, {"x/c/d", "", 0o644, modified.Unix()}}
	packed, err := zipped("x", files)
	require.NoError(t, err)
	require.Equal(t, want, readZip(t, packed.data))
	packed, err = tarball("x", files)
	require.NoError(t, err)
	require.Equal(t, want, readTar(t, packed.data))
}

func TestSums(t *testing.T) {
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"+
		"df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c  b\n",
		string(sums(map[string]file{"b": {0o644, []byte("B")}, "a": {}}).data))
}

func TestWrongArguments(t *testing.T) {
	program := filepath.Join(t.TempDir(), "release.exe")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	dir := filepath.Join(t.TempDir(), "out")
	for want, args := range map[string][]string{
		`-version "": give a version such as v0.3.0`:      {"-o", dir},
		`-version "v0.3": give a version such as v0.3.0`:  {"-o", dir, "-version", "v0.3"},
		`-o: give a directory`:                            {"-version", "v0.3.0"},
		`"rest": unexpected argument; -h lists the flags`: {"-o", dir, "-version", "v0.3.0", "rest"},
		`-only "plan9/386": the platforms are [darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64]`: {"-o", dir, "-version", "v0.3.0", "-only", "plan9/386"},
	} {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		require.Error(t, err)
		require.Equal(t, "release: "+want+"\n", string(out))
		require.NoDirExists(t, dir)
	}
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bcwire-v0.2.0-linux-arm64.tar.gz"), nil, 0o600))
	out, err = exec.CommandContext(t.Context(), program, "-version", "v0.3.0", "-o", dir).CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "release: -o "+dir+": the directory has bcwire-v0.2.0-linux-arm64.tar.gz, which is no file of v0.3.0; give an empty directory\n", string(out))
	out, err = exec.CommandContext(t.Context(), program, "-version", "v0.3.0", "-o", program).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "release: -o: mkdir "+program)
}
