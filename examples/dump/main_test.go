package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show/showtest"
	"github.com/bcwire/bcwire/transport"
)

var update = flag.Bool("update", false, "write the golden files")

// result is the result of a run of the program.
type result struct {
	status         int
	stdout, stderr string
}

func runDump(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// jsonRecord is an object of the JSON output.
type jsonRecord struct {
	Packet   int
	Time     float64
	Dir      string
	Peer     *int
	Client   any
	Player   string
	Slot     *int
	Ship     string
	Index    int
	Type     string
	Reliable bool
	Seq      int
	Fragment *struct{ Index, Total int }
	Opcode   string
	Name     string
	Fields   map[string]any
	Hex      string
	Note     string
	Error    string
}

// runJSON runs the program with -json and returns its objects.
func runJSON(t *testing.T, stdin string, args ...string) ([]jsonRecord, result) {
	t.Helper()
	res := runDump(t, stdin, append([]string{"-json"}, args...)...)
	return parseRecords(t, res.stdout), res
}

func parseRecords(t *testing.T, stdout string) (records []jsonRecord) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var r jsonRecord
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		records = append(records, r)
	}
	return records
}

var pack, encrypted, chat, hexLines = showtest.Pack, showtest.Enciphered, showtest.Chat, showtest.HexLines

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"text":    nil,
		"verbose": {"-v"},
		"bytes":   {"-x"},
		"json":    {"-json"},
		"check":   {"-check"},
		"stats":   {"-stats"},
	} {
		t.Run(name, func(t *testing.T) {
			res := runDump(t, "", args...)
			require.Equal(t, 0, res.status)
			require.Empty(t, res.stderr)
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(res.stdout), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), res.stdout, "go test ./dump -update rewrites the file")
		})
	}
}

// All blocks of a match on an OpenBC server are decoded and re-encode to the same bytes.
func TestCheckOfOpenBC(t *testing.T) {
	res := runDump(t, "", "-check", "../../testdata/openbc/blocks.jsonl")
	require.Equal(t, 0, res.status)
	require.True(t, strings.HasSuffix(res.stdout, "\nsubsystem blocks: 147 stock, 91 tolerant, 0 raw\n"), res.stdout)
	res = runDump(t, "", "-check", "../../testdata/match.jsonl")
	require.True(t, strings.HasSuffix(res.stdout, "\nsubsystem blocks: 643 stock, 0 tolerant, 0 raw\n"), res.stdout)
}

func TestUsage(t *testing.T) {
	res := runDump(t, "", "-h")
	require.Equal(t, 0, res.status)
	require.Contains(t, res.stderr, "Usage: dump")

	res = runDump(t, "", "-nonsense")
	require.Equal(t, exitUsage, res.status)

	res = runDump(t, "", "-json", "-check")
	require.Equal(t, exitUsage, res.status)
	require.Contains(t, res.stderr, "-json, -check: give only one of these flags")
}

// An output replaces no input, and has a name.
func TestOutputIsNoInput(t *testing.T) {
	sample, err := os.ReadFile("sample.jsonl")
	require.NoError(t, err)
	file := writeFile(t, "match.jsonl", sample)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Link(file, link))
	for _, flag := range []string{"-pcapng", "-parquet"} {
		for _, in := range []string{file, link} {
			res := runDump(t, "", flag, file, "sample.jsonl", in)
			require.Equal(t, exitUsage, res.status)
			require.Equal(t, "dump: "+flag+" "+file+": this is an input\n", res.stderr)
		}
		res := runDump(t, "", flag, "", file)
		require.Equal(t, exitUsage, res.status)
		require.Equal(t, "dump: "+flag+": give the name of a file\n", res.stderr)
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, sample, content)
}

// -classes reads a file in the schema of stateupdate/ships.json.
func TestClasses(t *testing.T) {
	require.Equal(t, 0, runDump(t, "", "-classes", "../../stateupdate/ships.json").status)
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"schema":3}`), 0o600))
	for _, file := range []string{bad, bad + ".none"} {
		res := runDump(t, "", "-classes", file)
		require.Equal(t, exitUsage, res.status)
		require.Contains(t, res.stderr, "-classes")
	}
}

func TestUnreadableFiles(t *testing.T) {
	good := writeFile(t, "good.hex", []byte(hexLines(encrypted(pack(t, 2, transport.NewData(0, chat("after")))))))
	missing := filepath.Join(t.TempDir(), "missing")
	res := runDump(t, "", missing, t.TempDir(), good)
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, missing)
	require.Contains(t, res.stderr, "is a directory")
	require.Contains(t, res.stdout, `"after"`)
	for _, flag := range []string{"-check", "-stats", "-json", "-x"} {
		require.Equal(t, exitFailed, runDump(t, "", flag, missing).status, flag)
	}
}
