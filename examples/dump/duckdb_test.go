//go:build duckdb

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/testdata"
)

// duckdb is the version of DuckDB that npm installs.
const duckdb = "@duckdb/node-api@1.5.6-r.1"

//go:embed testdata/duckdb.mjs
var runner []byte

// install installs DuckDB into a temporary directory, once. The directory is removed by TestMain.
var install = sync.OnceValues(func() (dir string, err error) {
	dir, err = os.MkdirTemp("", "duckdb")
	if err != nil {
		return "", err
	}
	installed = dir
	if err := os.WriteFile(filepath.Join(dir, "run.mjs"), runner, 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", dir, duckdb)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", duckdb, err, out)
	}
	return dir, nil
})

var installed string

func TestMain(m *testing.M) {
	status := m.Run()
	if installed != "" {
		_ = os.RemoveAll(installed)
	}
	os.Exit(status)
}

// answer is the result of a query. Values are texts, numbers, bools or nil.
type answer struct {
	Columns []string
	Rows    [][]any
}

// query runs statements on DuckDB in a directory, in one process.
func query(t *testing.T, dir string, statements ...string) (answers []answer) {
	t.Helper()
	home, err := install()
	require.NoError(t, err)
	list, err := json.Marshal(statements)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(home, "run.mjs"))
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(list)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, complaints.String())
	require.NoError(t, json.Unmarshal(out, &answers))
	require.Len(t, answers, len(statements))
	return answers
}

// text returns a value as in queries.md. A fraction of 32 bits gets the digits that it has.
func text(v any) string {
	if v == nil {
		return "NULL"
	}
	if f, ok := v.(float64); ok && f != math.Trunc(f) && f == float64(float32(f)) {
		v = float32(f)
	}
	return fmt.Sprint(v)
}

// texts returns the rows of an answer as text.
func (a *answer) texts() (list [][]string) {
	for _, row := range a.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = text(v)
		}
		list = append(list, line)
	}
	return list
}

// TestDuckDBReadsMutations checks that DuckDB reads what the program writes: it has the messages
// of -json, field for field, for 20,000 mutated payloads.
func TestDuckDBReadsMutations(t *testing.T) {
	stdin := mutations(t, 20_000)
	requireDuckDB(t, stdin, "-plain", "-")
}

func TestDuckDBReadsRecordings(t *testing.T) {
	for _, file := range []string{matchFile, battleFile, "sample.jsonl"} {
		requireDuckDB(t, "", file)
	}
}

// requireDuckDB runs the program with -parquet and -json, and requires that DuckDB reads the same
// messages.
func requireDuckDB(t *testing.T, stdin string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	want, _ := runJSON(t, stdin, args...)
	runDump(t, stdin, append([]string{"-tables", "messages", "-parquet", filepath.Join(dir, "x.parquet")}, args...)...)
	query(t, dir, `COPY (SELECT * REPLACE (lower(hex(bytes)) AS bytes) FROM 'x.parquet' ORDER BY datagram, "index") TO 'x.jsonl' (FORMAT json)`)
	lines, err := os.ReadFile(filepath.Join(dir, "x.jsonl"))
	require.NoError(t, err)
	n := 0
	for line := range bytes.Lines(lines) {
		require.Less(t, n, len(want))
		requireRow(t, want[n], decodeRow(t, line))
		n++
	}
	require.Equal(t, len(want), n)
}

// decodeRow returns a row from JSON of DuckDB, whose bytes are in hex.
func decodeRow(t *testing.T, line []byte) *rows.Message {
	t.Helper()
	var r struct {
		rows.Message
		Fields json.RawMessage
		Bytes  *testdata.Hex
		AckSeq *int32 `json:"ack_seq"`
	}
	require.NoError(t, json.Unmarshal(line, &r), "%s", line)
	r.Message.Fields, r.Message.AckSeq = r.Fields, r.AckSeq
	if r.Bytes != nil {
		r.Message.Bytes = append([]byte{}, *r.Bytes...)
	}
	return &r.Message
}

// An empty capture gives a file that DuckDB reads.
func TestDuckDBReadsNoRows(t *testing.T) {
	dir := t.TempDir()
	runDump(t, "", "-parquet", filepath.Join(dir, "x.parquet"), "-")
	got := query(t, dir, "SELECT count(*) FROM 'x.parquet'", "SELECT decode(value) FROM parquet_kv_metadata('x.parquet') WHERE decode(key) = 'bcwire.schema'")
	require.Equal(t, [][]string{{"0"}}, got[0].texts())
	require.Equal(t, [][]string{{rows.Version}}, got[1].texts())
}

// Names of partitions that engines could read as another type, or not at all, are the sources.
func TestDuckDBReadsPartitions(t *testing.T) {
	dir := t.TempDir()
	sample, err := os.ReadFile("sample.jsonl")
	require.NoError(t, err)
	args := []string{"-parquet", filepath.Join(dir, "out") + "/"}
	for _, name := range []string{"007.jsonl", "20261122.jsonl", "NULL.jsonl", "2026-11-22.jsonl", "a=b%20*?.jsonl", "матч 1+(2),3.jsonl"} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, sample, 0o600))
		args = append(args, file)
	}
	require.Zero(t, runDump(t, "", args...).status)
	const sources = "SELECT DISTINCT source FROM read_parquet('out/table=events/*/*/*.parquet', hive_partitioning = "
	got := query(t, dir, sources+"true) ORDER BY source", sources+"false) ORDER BY source")
	require.Equal(t, [][]string{{"007"}, {"2026-11-22"}, {"20261122"}, {"NULL_"}, {"a_b_20__"}, {"матч 1+(2),3"}}, got[0].texts())
	require.Equal(t, got[0], got[1])
}
