package checksum_test

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
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
		require.Equal(t, checksum.TextHash(text), f.NameHash)
		require.Len(t, f.Content, 1)
		require.False(t, f.Unverified)
	}
	return names
}

// scan scans "scripts".
func scan(t *testing.T, fsys fs.FS, filter string, recursive bool) []string {
	t.Helper()
	tree, err := (&checksum.Installation{FS: fsys}).Scan(checksum.Round{Dir: "scripts/", Filter: filter, Recursive: recursive})
	require.NoError(t, err)
	return found(t, tree)
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
	require.Equal(t, []string{"dir.pyc/in.txt"}, scan(t, files, "*.txt", true), "without directories that have no such files")
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
	in := &checksum.Installation{FS: disk("Scripts/MULTIPLAYER/a.pyc", "Scripts/Multiplayer/b.pyc", "scripts/other/c.pyc")}
	for dir, want := range map[string]string{
		"Scripts/MULTIPLAYER":   "a.pyc",
		`Scripts\Multiplayer\`:  "b.pyc",
		"Scripts/multiplayer":   "a.pyc", // no exact match: the first
		"scripts/Other":         "c.pyc",
		"SCRIPTS/multiplayer\n": "a.pyc",
	} {
		tree, err := in.Scan(checksum.Round{Dir: dir})
		require.NoError(t, err, dir)
		require.Equal(t, []string{want}, found(t, tree), dir)
	}
	_, err := in.Scan(checksum.Round{Dir: "scripts/multiplayer"})
	require.EqualError(t, err, "checksum: scripts/multiplayer: file does not exist")
}

func TestScanMissing(t *testing.T) {
	for _, in := range []*checksum.Installation{{}, {FS: fstest.MapFS{}}, {FS: disk("scripts/x")}} {
		tree, err := in.Scan(checksum.Rounds()[2])
		require.Equal(t, &checksum.Tree{}, tree)
		require.ErrorIs(t, err, fs.ErrNotExist)
		var located *checksum.ScanError
		require.ErrorAs(t, err, &located)
		require.Equal(t, "scripts/ships", located.Path)

		response, err := in.Response(checksum.Rounds()[2].Request())
		require.NoError(t, err, "like the game")
		require.True(t, response.NoFiles)
	}
	_, err := (&checksum.Installation{FS: disk("scripts/ships")}).Scan(checksum.Rounds()[2])
	require.ErrorContains(t, err, "checksum: scripts/ships: ")
}

// No request leaves the installation.
func TestScanRefusesPaths(t *testing.T) {
	in := &checksum.Installation{FS: disk("secret", "scripts/x", "..x/y")}
	for _, dir := range []string{
		"", "/", ".", "..", "../", "../scripts", "scripts/..", "scripts/../..", `..\scripts`, "/scripts", `\scripts`, "C:/scripts",
		"scripts//", "scripts/./", "scripts\x00", "scripts/con", "scripts ", "scripts/...", strings.Repeat("x", 256),
	} {
		tree, err := in.Scan(checksum.Round{Dir: dir})
		require.ErrorIs(t, err, checksum.ErrName, "%q", dir)
		require.Empty(t, found(t, tree))
		response, err := in.Response(&opcode.ChecksumRequest{Index: 3, Dir: stream.Text(dir)})
		require.Error(t, err)
		require.True(t, response.NoFiles)
	}
	_, err := in.Scan(checksum.Round{Dir: "\u4e16"})
	require.ErrorIs(t, err, checksum.ErrName)
	_, err = in.Scan(checksum.Round{Dir: "scripts", Filter: strings.Repeat("*?", 128)})
	require.ErrorIs(t, err, checksum.ErrName)
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
		"":                           "",
		"scripts/\x1b[2J\nx\x9b.pyc": `"scripts/\x1b[2J\nx\x9b.pyc"`,
		"scripts/\u009b\u202e":       `"scripts/\u009b\u202e"`,
		`scripts/a"b`:                `"scripts/a\"b"`,
	} {
		err := &checksum.ScanError{Path: path, Err: fs.ErrPermission}
		require.EqualError(t, err, "checksum: "+want+": permission denied")
	}
	in := &checksum.Installation{FS: broken{disk("scripts/\n\x1b[2J.pyc"), map[string]error{"scripts/\n\x1b[2J.pyc": fs.ErrPermission}}}
	_, err := in.Scan(checksum.Round{Dir: "scripts", Filter: "*.pyc"})
	require.ErrorContains(t, err, `checksum: "scripts/\n\x1b[2J.pyc": `)
}

func TestScanContinuesAfterErrors(t *testing.T) {
	files := disk("scripts/a.pyc", "scripts/b.pyc", "scripts/c.pyc", "scripts/dark/x.pyc", "scripts/half/1.pyc", "scripts/half/2.pyc",
		"scripts/ok/x.pyc", "scripts/a:b.pyc", "scripts/\u4e16.pyc", "scripts/\u4e16.txt", "scripts/bad\xff.pyc", "scripts/gone/x.pyc")
	files["scripts/pipe.pyc"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	files["scripts/device.txt"] = &fstest.MapFile{Mode: fs.ModeDevice}
	in := &checksum.Installation{FS: broken{files, map[string]error{
		"scripts/a.pyc":      fs.ErrPermission,
		"scripts/b.pyc:read": errors.New("bad sector"),
		"scripts/half":       errors.New("bad directory"),
		"scripts/dark":       fs.ErrPermission,
		"scripts/gone:stat":  fs.ErrNotExist,
	}}}
	tree, err := in.Scan(checksum.Round{Dir: "scripts", Filter: "*.pyc", Recursive: true})
	require.Equal(t, []string{"c.pyc", "half/1.pyc", "ok/x.pyc"}, found(t, tree))
	require.Equal(t, map[string]string{
		"scripts/a.pyc":       "permission denied",
		"scripts/b.pyc":       "bad sector",
		"scripts/half":        "bad directory",
		"scripts/dark":        "permission denied",
		"scripts/gone":        "file does not exist",
		"scripts/a:b.pyc":     "not a valid file name of the game",
		"scripts/\u4e16.pyc":  "not a valid file name of the game",
		"scripts/bad\xff.pyc": "not a valid file name of the game",
		"scripts/pipe.pyc":    "neither a file nor a directory",
	}, reasons(t, err))
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorIs(t, err, checksum.ErrIrregular)

	response, err := in.Response(&opcode.ChecksumRequest{Index: 2, Dir: stream.Text("scripts"), Filter: stream.Text("*.pyc")})
	require.Error(t, err, "with the files that could be read")
	require.Len(t, response.Tree.Files, 1)
}

// reasons returns the errors of a scan by path.
func reasons(t *testing.T, err error) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		var located *checksum.ScanError
		require.ErrorAs(t, err, &located)
		m[located.Path] = located.Err.Error()
		require.True(t, strings.HasSuffix(err.Error(), ": "+located.Err.Error()), err)
	}
	return m
}

func TestScanLimits(t *testing.T) {
	files := disk("scripts/a", "scripts/b", "scripts/c", "scripts/d/e", "scripts/d/f/g")
	all := []string{"a", "b", "c", "d/e", "d/f/g"}
	for _, v := range []struct {
		limits checksum.Installation
		want   []string
		path   string
		err    string
	}{
		{checksum.Installation{MaxFiles: 8}, all, "", ""},
		{checksum.Installation{MaxFiles: 7}, all[:4], "scripts/d/f/g", "limit reached: more than 7 files and directories"},
		{checksum.Installation{MaxFiles: 3}, all[:2], "scripts/c", "limit reached: more than 3 files and directories"},
		{checksum.Installation{MaxFiles: -1, MaxBytes: -1, MaxDepth: -1}, all, "", ""},
		{checksum.Installation{MaxDepth: 3}, all, "", ""},
		{checksum.Installation{MaxDepth: 2}, all[:4], "scripts/d/f", "nested too deeply: more than 2 directories"},
		{checksum.Installation{MaxBytes: 9 + 9 + 9 + 11 + 13}, all, "", ""},
		{checksum.Installation{MaxBytes: math.MaxInt64, MaxFiles: math.MaxInt, MaxDepth: math.MaxInt}, all, "", ""},
		{checksum.Installation{MaxBytes: 9 + 9 + 9 + 11 + 12}, all[:4], "scripts/d/f/g", "limit reached: more than 50 bytes"},
		{checksum.Installation{MaxBytes: 9 + 8}, all[:1], "scripts/b", "limit reached: more than 17 bytes"},
	} {
		in := v.limits
		in.FS = files
		tree, err := in.Scan(checksum.Round{Dir: "scripts", Recursive: true})
		require.Equal(t, v.want, found(t, tree), v.path)
		if v.err == "" {
			require.NoError(t, err)
			continue
		}
		require.True(t, errors.Is(err, checksum.ErrLimit) || errors.Is(err, checksum.ErrDepth))
		require.Equal(t, map[string]string{v.path: v.err}, reasons(t, err))
	}
	tree, err := (&checksum.Installation{FS: disk("scripts/" + strings.Repeat("d/", 15) + "x")}).Scan(checksum.Round{Dir: "scripts", Recursive: true})
	require.NoError(t, err)
	require.Len(t, found(t, tree), 1)
	_, err = (&checksum.Installation{FS: disk("scripts/" + strings.Repeat("d/", 16) + "x")}).Scan(checksum.Round{Dir: "scripts", Recursive: true})
	require.ErrorIs(t, err, checksum.ErrDepth)
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
