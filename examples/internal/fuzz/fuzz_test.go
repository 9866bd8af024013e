package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullDisk is a file on a disk without space.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// The target is the simplest of the library.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	o := options{time: "500x", run: "^cipher FuzzCipher$", jobs: 2, cache: t.TempDir()}
	require.NoError(t, run(t.Context(), &out, o))
	require.Regexp(t, `cipher FuzzCipher: \d+ executions`, out.String())
	require.Regexp(t, `\| 1 targets \|\s+\| +\d{3,}`, out.String())

	require.ErrorIs(t, run(t.Context(), fullDisk{}, o), syscall.ENOSPC)

	o.run = "no such target"
	require.ErrorContains(t, run(t.Context(), &out, o), "no target matches")
	o.run = "("
	require.ErrorContains(t, run(t.Context(), &out, o), "missing closing")
}

func TestDiscover(t *testing.T) {
	targets, err := discover(t.Context(), regexp.MustCompile("."))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(targets), 28)
	packages := map[string]bool{}
	for _, target := range targets {
		packages[target.short()] = true
	}
	require.Subset(t, slices.Collect(maps.Keys(packages)), []string{"cipher", "stream", "transport", "opcode", "stateupdate", "checksum", "gamespy"})
}

func TestProgress(t *testing.T) {
	r := progress([]byte("fuzz: elapsed: 0s, gathering baseline coverage: 0/9 completed\n" +
		"fuzz: elapsed: 3s, execs: 100 (33/sec), new interesting: 1 (total: 8)\n" +
		"fuzz: elapsed: 6s, execs: 325017 (107725/sec), new interesting: 11 (total: 202)\nPASS\n"))
	require.Equal(t, result{executions: 325017, added: 11, total: 202}, r)
	require.Zero(t, progress([]byte("FAIL")))
}

func TestChoose(t *testing.T) {
	dir := t.TempDir()
	set := func(lines ...int) points {
		p := points{}
		for _, l := range lines {
			p[point{line: l}] = struct{}{}
		}
		return p
	}
	inputs := map[string]points{}
	for name, p := range map[string]points{"most": set(1, 2, 3, 9), "longer": set(1, 2, 3, 9), "rest": set(4, 1), "nothing": set(9), "little": set(2)} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(name), 0o600))
		inputs[file] = p
	}
	chosen := choose(inputs, set(9))
	require.Equal(t, []string{filepath.Join(dir, "most"), filepath.Join(dir, "rest")}, chosen)
}

// Regressions stay, inputs that add nothing go.
func TestCommit(t *testing.T) {
	dir := t.TempDir()
	in := target{dir: dir, name: "FuzzX"}
	const old, chosen = "0123456789abcdef", "00000000000000ff"
	require.NoError(t, os.MkdirAll(committedDir(in), 0o755))
	for _, name := range []string{old, "huge-count"} {
		require.NoError(t, os.WriteFile(filepath.Join(committedDir(in), name), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, chosen), []byte("x"), 0o600))
	require.NoError(t, commit(in, []string{filepath.Join(dir, chosen)}))
	var names []string
	for _, file := range committed(in) {
		names = append(names, filepath.Base(file))
	}
	require.Equal(t, []string{chosen, "huge-count"}, names)
}

func TestProbe(t *testing.T) {
	targets, err := discover(t.Context(), regexp.MustCompile("^cipher FuzzCipher$"))
	require.NoError(t, err)
	require.Len(t, targets, 1)
	p, err := newProbe(t.Context(), targets[0])
	require.NoError(t, err)
	defer os.RemoveAll(p.dir)
	reached, err := p.reach(t.Context(), "seed#")
	require.NoError(t, err)
	require.NotEmpty(t, reached)
}
