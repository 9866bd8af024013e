//go:build duckdb

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
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
		require.Equal(t, list[i].output, a.table(), "%s\ngo test -tags duckdb ./examples/dump -update writes the output", list[i].sql)
	}
	if *update {
		require.NoError(t, os.WriteFile("queries.md", []byte(page), 0o644))
	}
}

// answersFile has the answers to the queries about the recordings of the tests, by recordings and heading. The cells of
// a row are joined. A second computation, without Parquet, has given the same answers.
const answersFile = "testdata/answers.json"

// TestQueriesOfRecordings compares the answers about recordings with the pinned ones. Besides the recorded matches there
// is a battle on a bad network. With -update it writes the answers of DuckDB.
func TestQueriesOfRecordings(t *testing.T) {
	battle, err := os.ReadFile(battleFile)
	require.NoError(t, err)
	all, err := filepath.Glob(recordings + "*.jsonl")
	require.NoError(t, err)
	text, err := os.ReadFile(answersFile)
	require.NoError(t, err)
	var answers map[string]map[string][][]string
	require.NoError(t, json.Unmarshal(text, &answers))
	_, list := documentedQueries(t)
	for name, inputs := range map[string][]string{
		"battle": {battleFile}, "match": {matchFile}, "rejoins": {recordings + "rejoins.jsonl"},
		"bad network": {writeFile(t, "bad network.jsonl", []byte(damaged(string(battle))))}, "testdata": all,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			got := map[string][][]string{}
			for _, out := range []string{"battle.parquet", "matches/"} {
				require.Zero(t, runDump(t, "", append([]string{"-parquet", dir + "/" + out}, inputs...)...).status)
			}
			var statements []string
			for _, b := range list {
				statements = append(statements, b.sql)
			}
			for i, a := range query(t, dir, statements...) {
				if strings.Contains(list[i].sql, "parquet_kv_metadata") {
					written, err := filepath.Glob(filepath.Join(dir, "matches/*/*/*/*.parquet"))
					require.NoError(t, err)
					require.Equal(t, [][]string{{rows.Version, fmt.Sprint(len(written))}}, a.texts())
					continue
				}
				rows := []string{}
				for _, row := range a.texts() {
					rows = append(rows, strings.Join(row, " | "))
				}
				if len(inputs) > 1 { // rows of equal keys may have any order
					slices.Sort(rows)
				}
				got[list[i].heading] = append(got[list[i].heading], rows)
			}
			if *update {
				answers[name] = got
			}
			require.Equal(t, answers[name], got)
		})
	}
	if *update {
		text, err := json.MarshalIndent(answers, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(answersFile, append(text, '\n'), 0o644))
	}
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
