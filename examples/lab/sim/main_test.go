package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/testdata"
)

// sim runs the program, and returns its exit status and its output.
func sim(args ...string) (status int, stdout, stderr string) {
	var out, complaints bytes.Buffer
	status = run(args, &out, &complaints)
	return status, out.String(), complaints.String()
}

// A seed gives the same line again, and the recording changes nothing. The recording is of the whole match.
func TestSameSeed(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"-seed", "6", "-players", "2", "-minutes", "0.5"}
	status, first, _ := sim(flags...)
	require.Zero(t, status)
	require.Regexp(t, `^seed 6: ok \d+\.\d s digest [0-9a-f]{16}\n$`, first)
	_, again, _ := sim(append(flags, "-record", dir)...)
	require.Equal(t, first, again)
	_, other, _ := sim("-seed", "7", "-players", "2", "-minutes", "0.5")
	require.NotEqual(t, strings.Fields(first)[6], strings.Fields(other)[6])

	f, err := os.Open(filepath.Join(dir, "6.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	m := &match.Match{Events: true}
	joins, seconds := 0, 0.0
	for step, err := range match.Read(f, m) {
		require.NoError(t, err)
		seconds = step.Time.Seconds()
		for _, e := range step.Events {
			if e.Kind == match.Join {
				joins++
			}
		}
	}
	require.GreaterOrEqual(t, joins, 2)
	require.Greater(t, seconds, 30.0)
}

// Several seeds play one after the other, without the faults that a flag names.
func TestSeeds(t *testing.T) {
	status, out, _ := sim("-seed", "1", "-seeds", "2", "-players", "1", "-minutes", "0.5", "-without", "loss,attack", "-v")
	require.Zero(t, status)
	require.Regexp(t, `(?s)^seed 1: ok .*\nseed 2: ok .* hours of matches`, out)
	require.NotRegexp(t, `: .*\bloss\b`, out)
}

// With -rare, each match is one of the next eight seeds, and the second one has faults that the first one has not.
func TestRare(t *testing.T) {
	status, out, _ := sim("-seed", "100", "-seeds", "3", "-players", "1", "-minutes", "0.2", "-without", "drills", "-v", "-meaning", "-rare")
	require.Zero(t, status)
	played := regexp.MustCompile(`(?m)^seed (\d+): ok .*\n.*: (\S*)$`).FindAllStringSubmatch(out, -1)
	require.Len(t, played, 3)
	for i, m := range played {
		seed, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		require.Equal(t, i, (seed-100)/8)
	}
	first := strings.Split(played[0][2], ",")
	require.NotSubset(t, first, strings.Split(played[1][2], ","))
	require.Contains(t, out, "never")
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-players", "17"}, {"-minutes", "-1"}, {"-minutes", "NaN"}, {"-without", "rain"}, {"x"}, {"-x"}} {
		status, out, complaint := sim(args...)
		require.Equal(t, exitUsage, status, args)
		require.Empty(t, out)
		require.Regexp(t, `^sim: `, complaint)
	}
	status, _, _ := sim("-seed", "1", "-minutes", "0.1", "-record", filepath.Join(t.TempDir(), "missing"))
	require.Equal(t, exitViolation, status)
}

// The seeds that once had a violation have none. The short form plays two of them.
func TestRegressions(t *testing.T) {
	text, err := os.ReadFile("testdata/seeds.txt")
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^(\+?\d+) (\S.*)$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, lines, strings.Count(string(text), "\n")-1) // all but the heading
	for _, line := range lines[:testdata.Either(len(lines), 2)] {
		flags := []string{"-seed", strings.TrimPrefix(line[1], "+")}
		if flags[1] == line[1] { // the match was played before there were these
			flags = append(flags, "-without", "lies,lag,drills")
		}
		cause, _, _ := strings.Cut(line[2], ":")
		t.Run(cause+"/"+flags[1], func(t *testing.T) {
			t.Parallel()
			status, out, _ := sim(flags...)
			require.Zero(t, status, "%s: %.500s", line[2], out)
		})
	}
}

// Minimize returns the flags of the program.
func TestFlags(t *testing.T) {
	without, err := simulation.ParseFaults("loss,rounds")
	require.NoError(t, err)
	p := simulation.Plan{Seed: 5, Players: 2, Length: 90e9, Without: without}
	o, err := parseOptions(strings.Fields(p.Flags()), &bytes.Buffer{})
	require.NoError(t, err)
	require.Equal(t, p, o.plan)
}
