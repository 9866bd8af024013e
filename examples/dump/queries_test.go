//go:build duckdb

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/examples/internal/figures"
)

// documented is a query in queries.md, and its output.
type documented struct{ heading, sql, output string }

// sqlBlock matches a heading, or a query and its output.
var sqlBlock = regexp.MustCompile("(?m)^## (.*)$|^```sql\n((?s:.*?))```\n\n```\n((?s:.*?))```$")

func documentedQueries(t *testing.T) (text string, list []documented) {
	t.Helper()
	page, err := os.ReadFile("queries.md")
	require.NoError(t, err)
	heading := ""
	for _, m := range sqlBlock.FindAllStringSubmatch(string(page), -1) {
		if m[1] != "" {
			heading = m[1]
			continue
		}
		list = append(list, documented{heading, m[2], m[3]})
	}
	require.Equal(t, strings.Count(string(page), "```sql\n"), len(list), "a query without output")
	return string(page), list
}

// files writes the files that queries.md describes, and returns their directory.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	recordings, err := filepath.Glob("../../testdata/*.jsonl")
	require.NoError(t, err)
	for _, args := range [][]string{{"battle.parquet", battleFile}, append([]string{"matches/"}, recordings...)} {
		args[0] = filepath.Join(dir, args[0])
		if args[0] == filepath.Join(dir, "matches") {
			args[0] += "/"
		}
		require.Zero(t, runDump(t, "", append([]string{"-parquet"}, args...)...).status)
	}
	return dir
}

// TestQueries runs every query of queries.md and compares its output with the page. With -update it
// writes the output.
func TestQueries(t *testing.T) {
	page, list := documentedQueries(t)
	var statements []string
	for _, b := range list {
		statements = append(statements, b.sql)
	}
	for i, a := range query(t, files(t), statements...) {
		require.NotEmpty(t, a.Rows, list[i].sql)
		if *update {
			old := list[i].sql + "```\n\n```\n" + list[i].output + "```"
			page = strings.Replace(page, old, list[i].sql+"```\n\n```\n"+a.table()+"```", 1)
			continue
		}
		require.Equal(t, list[i].output, a.table(), "%s\ngo test -tags duckdb ./dump -update writes the output", list[i].sql)
	}
	if *update {
		require.NoError(t, os.WriteFile("queries.md", []byte(page), 0o644))
	}
}

// TestFigures compares the queries of a recording with figures that are computed from the recording
// by the packages of the library. Besides the recorded matches there is a battle on a bad network, and a match with
// rejoins and renames.
func TestFigures(t *testing.T) {
	battle, err := os.ReadFile(battleFile)
	require.NoError(t, err)
	match, err := os.ReadFile(matchFile)
	require.NoError(t, err)
	rejoins, err := os.ReadFile("../../testdata/rejoins.jsonl")
	require.NoError(t, err)
	for name, recording := range map[string]string{
		"battle": string(battle), "match": string(match), "bad network": damaged(string(battle)), "rejoins": string(rejoins),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.Zero(t, runDump(t, recording, "-parquet", filepath.Join(dir, "battle.parquet"), "-").status)
			var one figures.Recordings
			require.NoError(t, one.Add("battle", recording))
			want := one.Answers()
			_, list := documentedQueries(t)
			tested := 0
			for _, b := range list {
				if b.heading == "A thousand files" {
					continue
				}
				tested++
				got := want[b.heading][0]
				require.True(t, len(got) > 0 || name == "match" || name == "rejoins", b.heading)
				require.Equal(t, got, query(t, dir, b.sql)[0].texts(), b.heading)
				if b.heading == "Loss and repetition" && name == "bad network" {
					require.Condition(t, func() bool { return got[0][3] != "0" && got[1][4] != "0" }, "%v", got)
				}
			}
			require.Len(t, want, tested+1)
		})
	}
}

// TestFiguresOfMatches compares the queries of many files with the recordings.
func TestFiguresOfMatches(t *testing.T) {
	_, list := documentedQueries(t)
	var statements []string
	for _, b := range list {
		if b.heading == "A thousand files" {
			statements = append(statements, b.sql)
		}
	}
	require.Len(t, statements, 3)
	dir := files(t)
	answers := query(t, dir, statements...)
	recordings, err := filepath.Glob("../../testdata/*.jsonl")
	require.NoError(t, err)
	var all figures.Recordings
	for _, file := range recordings {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, all.Add(strings.TrimSuffix(filepath.Base(file), ".jsonl"), string(text)))
	}
	for i, want := range all.Answers()["A thousand files"] {
		require.Equal(t, want, answers[i].texts())
	}
	written, err := filepath.Glob(filepath.Join(dir, "matches/*/*/*/*.parquet"))
	require.NoError(t, err)
	require.Equal(t, [][]string{{rows.Version, fmt.Sprint(len(written))}}, answers[2].texts())
}

// damaged returns a recording of a bad network: some datagrams are missing, and some arrive twice.
func damaged(recording string) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(recording) {
		i++
		if i%23 > 0 {
			b.WriteString(line)
		}
		if i%17 == 0 {
			b.WriteString(line)
		}
	}
	return b.String()
}

// table returns an answer as in queries.md. Numbers are on the right.
func (a *answer) table() string {
	lines := append([][]string{a.Columns}, a.texts()...)
	var b strings.Builder
	for _, line := range lines {
		text := ""
		for i, cell := range line {
			width := 0
			for _, other := range lines {
				width = max(width, len([]rune(other[i])))
			}
			if a.numbers(i) {
				text += fmt.Sprintf("%*s  ", width, cell)
			} else {
				text += fmt.Sprintf("%-*s  ", width, cell)
			}
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// numeric matches a number.
var numeric = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// numbers reports whether all values of a column are numbers.
func (a *answer) numbers(column int) bool {
	for _, row := range a.texts() {
		if !numeric.MatchString(row[column]) {
			return false
		}
	}
	return true
}
