//go:build unix

package checksum_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/stream"
)

// Links are followed. A link to a parent directory is an error.
func TestScanLinks(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, dir := range []string{"scripts/sub/deep", "elsewhere"} {
		require.NoError(t, os.MkdirAll(path(dir), 0o755))
	}
	for _, file := range []string{"scripts/a.pyc", "scripts/sub/deep/b.pyc", "elsewhere/c.pyc", "elsewhere/d.txt"} {
		require.NoError(t, os.WriteFile(path(file), []byte(file), 0o644))
	}
	for link, target := range map[string]string{
		"scripts/file.pyc":       "../elsewhere/c.pyc",
		"scripts/linked":         "../elsewhere",
		"scripts/other.pyc":      "../elsewhere/d.txt",
		"scripts/pipe.pyc":       "../elsewhere/pipe",
		"scripts/dangling.pyc":   "nowhere",
		"scripts/dangling.txt":   "nowhere",
		"scripts/self.pyc":       "self.pyc",
		"scripts/sub/deep/here":  ".",
		"scripts/sub/deep/up":    "..",
		"scripts/sub/deep/top":   "../..",
		"scripts/sub/deep/above": root,
	} {
		require.NoError(t, os.Symlink(target, path(link)))
	}
	require.NoError(t, syscall.Mkfifo(path("elsewhere/pipe"), 0o644))

	round := checksum.Round{Dir: "scripts", Filter: "*.pyc", Recursive: true}
	names, err := scanRound(t, os.DirFS(root), round)
	require.Equal(t, []string{"a.pyc", "file.pyc", "other.pyc", "linked/c.pyc", "sub/deep/b.pyc"}, names)
	const loop = "loop of links"
	require.Equal(t, map[string]string{
		"scripts/dangling.pyc":   "no such file or directory",
		"scripts/self.pyc":       "too many levels of symbolic links",
		"scripts/pipe.pyc":       "neither a file nor a directory",
		"scripts/sub/deep/here":  loop,
		"scripts/sub/deep/up":    loop,
		"scripts/sub/deep/top":   loop,
		"scripts/sub/deep/above": loop,
	}, reasons(t, err))

	inside, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer inside.Close()
	_, err = scanRound(t, inside.FS(), round)
	require.Equal(t, "path escapes from parent", reasons(t, err)["scripts/sub/deep/above"])
}

// Many links without a loop end at the limit.
func TestScanManyLinks(t *testing.T) {
	root := t.TempDir()
	at := filepath.Join(root, "scripts")
	for range 14 {
		next := filepath.Join(at, "a")
		require.NoError(t, os.MkdirAll(next, 0o755))
		require.NoError(t, os.Symlink("a", filepath.Join(at, "b")))
		require.NoError(t, os.Symlink("a", filepath.Join(at, "c")))
		at = next
	}
	_, errs := checksum.ScanWithin(os.DirFS(root), checksum.Round{Dir: "scripts", Recursive: true}, 1000, 1000, 16)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], stream.ErrLimit)
}
