package main

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullDisk is a file on a disk without space.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// The test runs the target that needs the least time.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	o := options{time: "500x", run: "^cipher FuzzCipher$", jobs: 2, cache: t.TempDir(), bins: t.TempDir()}
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
