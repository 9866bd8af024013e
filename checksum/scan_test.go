package checksum_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// disk returns files whose content is their path.
func disk(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	return files
}

// found returns the paths of a tree in order, and checks the hashes.
func found(t *testing.T, tree *checksum.Tree) (names []string) {
	t.Helper()
	for name, f := range tree.All() {
		names = append(names, name)
		text, err := stream.NewText(f.Name)
		require.NoError(t, err)
		require.Equal(t, opcode.Hash(checksum.StringHash(string(text))), f.NameHash)
		require.Len(t, f.Content, 1)
		require.False(t, f.Unverified)
	}
	return names
}

// scanRound returns the paths of the files that match a round.
func scanRound(t *testing.T, fsys fs.FS, r checksum.Round) ([]string, error) {
	t.Helper()
	m, err := checksum.Scan(fsys, []checksum.Round{r})
	require.Equal(t, "60", m.GameVersion)
	return found(t, m.Rounds[0].Tree), err
}

// scan scans "scripts".
func scan(t *testing.T, fsys fs.FS, filter string, recursive bool) []string {
	t.Helper()
	names, err := scanRound(t, fsys, checksum.Round{Dir: "scripts/", Filter: filter, Recursive: recursive})
	require.NoError(t, err)
	return names
}

func TestScanFilters(t *testing.T) {
	files := disk("scripts/b.pyc", "scripts/B.PYC", "scripts/a.pyc", "scripts/a.py", "scripts/.pyc", "scripts/a.pyc.bak",
		"scripts/README", "scripts/sub/x.pyc", "scripts/sub/README", "scripts/App.pyc", "other.pyc", "scripts/dir.pyc/in.txt")
	for filter, want := range map[string][]string{
		"*.pyc":   {".pyc", "App.pyc", "B.PYC", "a.pyc", "b.pyc"},
		"*.PYC":   {".pyc", "App.pyc", "B.PYC", "a.pyc", "b.pyc"},
		"App.pyc": {"App.pyc"},
		"app.PYC": {"App.pyc"},
		"b.pyc":   {"b.pyc"},
		"B.PYC":   {"B.PYC"},
		"B.pyc":   {"B.PYC"}, // no exact match: the first
		"?.py?":   {"B.PYC", "a.pyc", "b.pyc"},
		"a*a*":    {"a.pyc.bak"},
		"a*a":     nil,
		"A*":      {"App.pyc", "a.py", "a.pyc", "a.pyc.bak"},
		"*":       {".pyc", "App.pyc", "B.PYC", "README", "a.py", "a.pyc", "a.pyc.bak", "b.pyc"},
		"*.*":     {".pyc", "App.pyc", "B.PYC", "README", "a.py", "a.pyc", "a.pyc.bak", "b.pyc"},
		"":        {".pyc", "App.pyc", "B.PYC", "README", "a.py", "a.pyc", "a.pyc.bak", "b.pyc"},
		"[a-z]*":  nil,
		"none":    nil,
	} {
		require.Equal(t, want, scan(t, files, filter, false), "%q", filter)
	}
	require.Equal(t, []string{"README", "sub/README"}, scan(t, files, "readme", true))
	require.Equal(t, []string{"dir.pyc/in.txt"}, scan(t, files, "*.txt", true))
	m, err := checksum.Scan(files, []checksum.Round{{Dir: "scripts", Filter: "*.txt", Recursive: true}})
	require.NoError(t, err)
	require.Len(t, m.Rounds[0].Tree.Dirs, 1, "without directories that have no such files")
}

// Names are sorted by their bytes in Windows-1252, not in UTF-8.
func TestScanOrder(t *testing.T) {
	names := []string{"CardSpecificSetup.pyc", "KeyboardConfig.pyc", "__init__.pyc", "mainmenu.pyc", "€.pyc", "é.pyc"}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = "scripts/" + name
	}
	slices.Reverse(paths)
	require.Equal(t, names, scan(t, disk(paths...), "*.pyc", false))
	require.Equal(t, []string{"é.pyc"}, scan(t, disk(paths...), "É.PYC", false))
	dirs := disk("scripts/é/x", "scripts/€/x", "scripts/Z/x", "scripts/a/x")
	require.Equal(t, []string{"Z/x", "a/x", "€/x", "é/x"}, scan(t, dirs, "x", true))
}

// A directory matches in any case. An exact match is preferred.
func TestScanCase(t *testing.T) {
	files := disk("Scripts/MULTIPLAYER/a.pyc", "Scripts/Multiplayer/b.pyc", "scripts/other/c.pyc")
	for dir, want := range map[string]string{
		"Scripts/MULTIPLAYER":   "a.pyc",
		`Scripts\Multiplayer\`:  "b.pyc",
		"Scripts/multiplayer":   "a.pyc", // no exact match: the first
		"scripts/Other":         "c.pyc",
		"SCRIPTS/multiplayer\n": "a.pyc",
	} {
		names, err := scanRound(t, files, checksum.Round{Dir: dir})
		require.NoError(t, err, dir)
		require.Equal(t, []string{want}, names, dir)
	}
	_, err := scanRound(t, files, checksum.Round{Dir: "scripts/multiplayer"})
	require.EqualError(t, err, "checksum: scripts/multiplayer: file does not exist")
}

func TestScanMissing(t *testing.T) {
	for _, files := range []fs.FS{nil, fstest.MapFS{}, disk("scripts/x")} {
		names, err := scanRound(t, files, checksum.Rounds()[2])
		require.Empty(t, names)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.EqualError(t, err, "checksum: scripts/ships: file does not exist")
	}
	_, err := scanRound(t, disk("scripts/ships"), checksum.Rounds()[2])
	require.ErrorContains(t, err, "checksum: scripts/ships: ")
}

// No round leaves the installation.
func TestScanRefusesPaths(t *testing.T) {
	files := disk("secret", "scripts/x", "..x/y")
	for _, dir := range []string{
		"", "/", ".", "..", "../", "../scripts", "scripts/..", "scripts/../..", `..\scripts`, "/scripts", `\scripts`, "C:/scripts",
		"scripts//", "scripts/./", "scripts\x00", "scripts/con", "scripts ", "scripts/...", strings.Repeat("x", 256), "\u4e16",
	} {
		names, err := scanRound(t, files, checksum.Round{Dir: dir})
		require.ErrorIs(t, err, stream.ErrInvalid, "%q", dir)
		require.Empty(t, names)
	}
	_, err := scanRound(t, files, checksum.Round{Dir: "scripts", Filter: strings.Repeat("*?", 128)})
	require.ErrorIs(t, err, stream.ErrInvalid)
}

// broken is a file system with errors.
type broken struct {
	fstest.MapFS
	fail map[string]error
}

func (b broken) Open(name string) (fs.File, error) {
	if err := b.fail[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := b.MapFS.Open(name)
	if err == nil && b.fail[name+":read"] != nil {
		return unreadable{f, b.fail[name+":read"]}, nil
	}
	return f, err
}

func (b broken) Stat(name string) (fs.FileInfo, error) {
	if err := b.fail[name+":stat"]; err != nil {
		return nil, err
	}
	return fs.Stat(b.MapFS, name)
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := b.fail[name]; err != nil {
		entries, _ := fs.ReadDir(b.MapFS, name)
		return entries[:len(entries)/2], err
	}
	return fs.ReadDir(b.MapFS, name)
}

type unreadable struct {
	fs.File
	err error
}

func (u unreadable) Read([]byte) (int, error) { return 0, u.err }

// The text of an error has no characters that act on a terminal.
func TestScanErrorQuotesPath(t *testing.T) {
	for path, want := range map[string]string{
		"scripts/App.pyc":            "scripts/App.pyc",
		"scripts/é ship.pyc":         "scripts/é ship.pyc",
		"scripts/\x1b[2J\nx\x9b.pyc": `"scripts/\x1b[2J\nx\x9b.pyc"`,
		"scripts/\u009b\u202e":       `"scripts/\u009b\u202e"`,
		`scripts/a"b`:                `"scripts/a\"b"`,
	} {
		_, err := scanRound(t, broken{disk(path), map[string]error{path: fs.ErrPermission}}, checksum.Round{Dir: "scripts"})
		require.ErrorContains(t, err, "checksum: "+want+": ")
	}
}

func TestScanContinuesAfterErrors(t *testing.T) {
	files := disk("scripts/a.pyc", "scripts/b.pyc", "scripts/c.pyc", "scripts/dark/x.pyc", "scripts/half/1.pyc", "scripts/half/2.pyc",
		"scripts/ok/x.pyc", "scripts/a:b.pyc", "scripts/\u4e16.pyc", "scripts/\u4e16.txt", "scripts/bad\xff.pyc", "scripts/gone/x.pyc")
	files["scripts/pipe.pyc"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	files["scripts/device.txt"] = &fstest.MapFile{Mode: fs.ModeDevice}
	names, err := scanRound(t, broken{files, map[string]error{
		"scripts/a.pyc":      fs.ErrPermission,
		"scripts/b.pyc:read": errors.New("bad sector"),
		"scripts/half":       errors.New("bad directory"),
		"scripts/dark":       fs.ErrPermission,
		"scripts/gone:stat":  fs.ErrNotExist,
	}}, checksum.Round{Dir: "scripts", Filter: "*.pyc", Recursive: true})
	require.Equal(t, []string{"c.pyc", "half/1.pyc", "ok/x.pyc"}, names)
	require.Equal(t, map[string]string{
		"scripts/a.pyc":       "permission denied",
		"scripts/b.pyc":       "bad sector",
		"scripts/half":        "bad directory",
		"scripts/dark":        "permission denied",
		"scripts/gone":        "file does not exist",
		"scripts/a:b.pyc":     "invalid file name of the game",
		"scripts/\u4e16.pyc":  "invalid file name of the game",
		"scripts/bad\xff.pyc": "invalid file name of the game",
		"scripts/pipe.pyc":    "neither a file nor a directory",
	}, reasons(t, err))
	require.ErrorIs(t, err, fs.ErrPermission)
}

// reasons returns the errors of a scan by path.
func reasons(t *testing.T, err error) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		text, ok := strings.CutPrefix(err.Error(), "checksum: ")
		require.True(t, ok)
		reason := errors.Unwrap(err).Error()
		path, ok := strings.CutSuffix(text, ": "+reason)
		require.True(t, ok)
		if plain, err := strconv.Unquote(path); err == nil {
			path = plain
		}
		m[path] = reason
	}
	return m
}

// opened counts the open files of a file system.
type opened struct {
	fs.FS
	files int
}

func (o *opened) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	if err != nil {
		return nil, err
	}
	o.files++
	if dir, ok := f.(fs.ReadDirFile); ok {
		return &openedDir{dir, o}, nil
	}
	return &openedFile{f, o}, nil
}

type openedDir struct {
	fs.ReadDirFile
	of *opened
}

type openedFile struct {
	fs.File
	of *opened
}

func (d *openedDir) Close() error {
	d.of.files--
	return d.ReadDirFile.Close()
}

func (f *openedFile) Close() error {
	f.of.files--
	return f.File.Close()
}

// A scan and a transfer of files close what they open.
func TestFilesAreClosed(t *testing.T) {
	files := &opened{FS: game(checksum.Vanilla())}
	_, err := checksum.Scan(files, checksum.Rounds())
	require.NoError(t, err)
	require.Zero(t, files.files)
	s := stockServer(t)
	s.Files = files
	_, next := stockVerdict(t, s, decode[*opcode.ChecksumResponse](t, captured(t, "checksum-response-ff-empty-tree")))
	require.IsType(t, &opcode.FileTransfer{}, next)
	require.Zero(t, files.files)
}

func TestScanLimits(t *testing.T) {
	files := disk("scripts/a", "scripts/b", "scripts/c", "scripts/d/e", "scripts/d/f/g")
	all := []string{"a", "b", "c", "d/e", "d/f/g"}
	const large = 1 << 20
	for _, v := range []struct {
		files int
		bytes int64
		depth int
		want  []string
		path  string
		err   string
	}{
		{8, large, large, all, "", ""},
		{7, large, large, all[:4], "scripts/d/f/g", "limit reached: more than 7 files and directories"},
		{3, large, large, all[:2], "scripts/c", "limit reached: more than 3 files and directories"},
		{large, large, 3, all, "", ""},
		{large, large, 2, all[:4], "scripts/d/f", "limit reached: more than 2 nested directories"},
		{large, 9 + 9 + 9 + 11 + 13, large, all, "", ""},
		{large, 9 + 9 + 9 + 11 + 12, large, all[:4], "scripts/d/f/g", "limit reached: more than 50 bytes"},
		{large, 9 + 8, large, all[:1], "scripts/b", "limit reached: more than 17 bytes"},
	} {
		tree, errs := checksum.ScanWithin(files, checksum.Round{Dir: "scripts", Recursive: true}, v.files, v.bytes, v.depth)
		require.Equal(t, v.want, found(t, tree), v.path)
		if v.err == "" {
			require.Empty(t, errs)
			continue
		}
		err := errors.Join(errs...)
		require.ErrorIs(t, err, stream.ErrLimit)
		require.Equal(t, map[string]string{v.path: v.err}, reasons(t, err))
	}
}

// zeros is a file system whose files have this number of zero bytes.
type zeros struct {
	fstest.MapFS
	size int64
}

func (z zeros) Open(name string) (fs.File, error) {
	f, err := z.MapFS.Open(name)
	if strings.HasSuffix(name, ".pyc") {
		return zeroFile{f, io.LimitReader(zeroReader{}, z.size)}, err
	}
	return f, err
}

type zeroFile struct {
	fs.File
	io.Reader
}

func (f zeroFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A scan stops at the documented limits of a round.
func TestScanDocumentedLimits(t *testing.T) {
	scan := func(fsys fs.FS) (int, error) {
		names, err := scanRound(t, fsys, checksum.Round{Dir: "scripts", Recursive: true})
		return len(names), err
	}
	n, err := scan(disk("scripts/" + strings.Repeat("d/", 15) + "x"))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = scan(disk("scripts/" + strings.Repeat("d/", 16) + "x"))
	requireLimit(t, err, "more than 16 nested directories")

	files := fstest.MapFS{}
	for i := range 12287 { // and the directory
		files[fmt.Sprintf("scripts/%d", i)] = &fstest.MapFile{}
	}
	n, err = scan(files)
	require.NoError(t, err)
	require.Equal(t, 12287, n)
	files["scripts/x"] = &fstest.MapFile{}
	n, err = scan(files)
	requireLimit(t, err, "more than 12288 files and directories")
	require.Equal(t, 12287, n)

	n, err = scan(zeros{disk("scripts/a.pyc", "scripts/b.pyc"), 128 << 20})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	n, err = scan(zeros{disk("scripts/a.pyc", "scripts/b.pyc"), 128<<20 + 1})
	requireLimit(t, err, "more than 268435456 bytes")
	require.Equal(t, 1, n)
}

// A filter from a peer takes time in proportion to its length, whatever the names are.
func TestScanSlowFilter(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 100 {
		files["scripts/"+strings.Repeat("a", 155+i)] = &fstest.MapFile{}
	}
	require.Empty(t, scan(t, files, strings.Repeat("*a", 127)+"b", false))
	require.Len(t, scan(t, maps.Clone(files), strings.Repeat("*a", 127), false), 100)
}
