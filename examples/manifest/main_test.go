package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
)

var update = flag.Bool("update", false, "write the golden files")

// result is the result of a run of the program.
type result struct {
	status         int
	stdout, stderr string
}

func runManifest(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// game writes an installation whose files have the hashes of the game. It applies changes, in
// which nil removes a file.
func game(t *testing.T, changes map[string][]byte) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "game")
	m := checksum.Vanilla()
	files := map[string][]byte{}
	for _, r := range m.Rounds {
		for name, f := range r.Tree.All() {
			name = filepath.Join("scripts", strings.ToLower(strings.TrimSuffix(r.Dir, "/")[len("scripts"):]), name)
			files[name] = binary.LittleEndian.AppendUint32(nil, bits.RotateLeft32(uint32(f.Content[0]), -1))
		}
	}
	for name, data := range changes {
		if files[filepath.FromSlash(name)] = data; data == nil {
			delete(files, filepath.FromSlash(name))
		}
	}
	for name, data := range files {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, data, 0o644))
	}
	return root
}

// golden compares an output with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./manifest -update rewrites the file")
}

func TestWrite(t *testing.T) {
	dir := game(t, nil)
	res := runManifest(t, "", dir)
	require.Zero(t, res.status)
	require.Empty(t, res.stderr)
	m, err := checksum.LoadManifest(strings.NewReader(res.stdout))
	require.NoError(t, err)
	require.Equal(t, "game", m.Name)
	require.Equal(t, 136, count(m))

	again := runManifest(t, "", "-name", "game", dir)
	require.Equal(t, res, again, "byte for byte")

	out := filepath.Join(t.TempDir(), "game.json")
	toFile := runManifest(t, "", "-o", out, dir)
	require.Equal(t, result{0, out + ": 136 files\n", ""}, toFile)
	written, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, res.stdout, string(written))

	small := game(t, nil)
	require.NoError(t, os.RemoveAll(filepath.Join(small, "scripts", "ships")))
	require.NoError(t, os.RemoveAll(filepath.Join(small, "scripts", "multiplayer")))
	res = runManifest(t, "", "-name", `small "game"`, small)
	require.Equal(t, exitDiffer, res.status)
	golden(t, "small.golden", res.stdout+"---\n"+res.stderr)
}

func TestCompare(t *testing.T) {
	same := game(t, nil)
	res := runManifest(t, "", "-compare", "vanilla", same)
	require.Zero(t, res.status)
	require.Empty(t, res.stderr)
	golden(t, "same.golden", strings.ReplaceAll(res.stdout, same, "DIR"))

	other := game(t, map[string][]byte{
		"scripts/App.pyc":                              nil,
		"scripts/ships/Akira.pyc":                      []byte("mine"),
		"scripts/ships/Galaxy.pyc":                     []byte("not verified"),
		"scripts/ships/Mod.pyc":                        []byte("new"),
		"scripts/ships/Hardpoints/galaxy.pyc":          nil,
		"scripts/multiplayer/Episode/Mission9/New.pyc": []byte("new"),
	})
	res = runManifest(t, "", "-compare", "vanilla", other)
	require.Equal(t, exitDiffer, res.status)
	require.Empty(t, res.stderr)
	golden(t, "other.golden", strings.ReplaceAll(res.stdout, other, "DIR"))
	require.Equal(t, exitDiffer, runManifest(t, "", "-compare", other, "vanilla").status)

	require.Zero(t, runManifest(t, "", "-compare", other, other).status)
	text := runManifest(t, "", other).stdout
	file := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	res = runManifest(t, text, "-compare", file, "-")
	require.Zero(t, res.status)
	require.Contains(t, res.stdout, "\n0 differences\n")
	res = runManifest(t, text, "-compare", "-", same)
	require.Equal(t, exitDiffer, res.status)
	require.Contains(t, res.stdout, "\n6 differences\n", "the scanned hash of Galaxy.pyc is verified")

	part := `{"schema":"bc-checksum-manifest/1","game_version":"61","rounds":[{"index":2,"dir":"scripts/boats","filter":"*.pyc","recursive":true,"tree":{}}]}`
	res = runManifest(t, part, "-compare", "-", same)
	require.Equal(t, exitDiffer, res.status)
	golden(t, "part.golden", strings.ReplaceAll(res.stdout, same, "DIR"))
}

func TestErrors(t *testing.T) {
	same, empty, missing := game(t, nil), t.TempDir(), filepath.Join(t.TempDir(), "missing")
	file := filepath.Join(same, "scripts", "App.pyc")
	for _, v := range []struct {
		args []string
		text string
	}{
		{nil, "one argument is needed, the directory of the game, not 0; -h prints the usage"},
		{[]string{"a", "b"}, "one argument is needed, the directory of the game, not 2"},
		{[]string{"-compare", "a"}, "-compare needs two arguments, A and B, not 1"},
		{[]string{"-compare", "-o", "x", "a", "b"}, "leave out -name and -o"},
		{[]string{"-nonsense"}, "flag provided but not defined"},
		{[]string{missing}, missing},
		{[]string{file}, "is a file, not the directory of a game"},
		{[]string{empty}, `give the directory that has "scripts"`},
		{[]string{"-o", filepath.Join(missing, "x"), same}, missing},
		{[]string{"-compare", missing, same}, missing},
		{[]string{"-compare", same, empty}, `give the directory that has "scripts"`},
		{[]string{"-compare", "-", same}, "manifest: stdin: checksum: invalid manifest: line 1: unexpected end of JSON input"},
		{[]string{"-compare", "-", "-"}, "only one of A and B can be standard input"},
		{[]string{"-compare", file, same}, "App.pyc: checksum: invalid manifest: line 1: invalid character"},
	} {
		res := runManifest(t, "", v.args...)
		require.Equal(t, exitUsage, res.status, "%v", v.args)
		require.Contains(t, res.stderr, v.text)
		require.Empty(t, res.stdout)
	}
	res := runManifest(t, "", "-h")
	require.Zero(t, res.status)
	require.Contains(t, res.stderr, "Usage: manifest")
	require.Contains(t, res.stderr, "-o FILE")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputFails(t *testing.T) {
	same := game(t, nil)
	for _, args := range [][]string{{same}, {"-compare", same, same}, {"-o", filepath.Join(t.TempDir(), "x"), same}} {
		var stderr bytes.Buffer
		require.Equal(t, exitUsage, run(args, nil, failing{}, &stderr))
		require.Equal(t, "manifest: disk full\n", stderr.String())
	}
}

// A file that cannot be read is reported, and the other files are written.
func TestIncomplete(t *testing.T) {
	dir := game(t, map[string][]byte{"scripts/ships/Akira.pyc": nil})
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "scripts", "ships", "Akira.pyc")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "scripts", "ships", "loop")))
	res := runManifest(t, "", dir)
	require.Equal(t, exitDiffer, res.status)
	require.Regexp(t, "^manifest: scripts/ships/Akira.pyc: .+\nmanifest: scripts/ships/loop: loop of links\n$", res.stderr)
	m, err := checksum.LoadManifest(strings.NewReader(res.stdout))
	require.NoError(t, err)
	require.Equal(t, 135, count(m))
}
