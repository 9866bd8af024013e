//go:build cluster

package cluster

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport/recording"
)

var (
	update    = flag.Bool("update", false, "write the answers about recordings")
	converted = flag.String("tables", "", "ask about the tables in a directory, which convert.py has written")
)

// engines are the engines of ask.py. The engine tables is ClickHouse with the tables of load.sql.
var engines = []string{"duckdb", "spark", "clickhouse", "tables"}

// answers are answers by heading. The cells of a row are joined.
type answers map[string][][]string

// UnmarshalJSON implements [json.Unmarshaler] for the output of ask.py: a list of heading, columns and rows.
func (a *answers) UnmarshalJSON(text []byte) error {
	var list [][3]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*a = answers{}
	for _, parts := range list {
		var heading string
		var values [][]any
		if err := errors.Join(json.Unmarshal(parts[0], &heading), json.Unmarshal(parts[2], &values)); err != nil {
			return err
		}
		rows := []string{}
		for _, row := range values {
			cells := make([]string, len(row))
			for i, v := range row {
				switch v := v.(type) {
				case nil:
					cells[i] = "NULL"
				case float64:
					cells[i] = strconv.FormatFloat(v, 'f', -1, 64)
				default:
					cells[i] = fmt.Sprint(v)
				}
			}
			rows = append(rows, strings.Join(cells, " | "))
		}
		(*a)[heading] = append((*a)[heading], rows)
	}
	return nil
}

// sort sorts the rows of all answers. Rows of equal keys may have any order.
func (a answers) sort() {
	for _, list := range a {
		for _, rows := range list {
			slices.Sort(rows)
		}
	}
}

// requirePinned requires the answers about recordings in the file that the tests of dump have, too. With -update it
// writes them.
func requirePinned(t *testing.T, recordings string, got answers) {
	t.Helper()
	const file = "../../dump/testdata/answers.json"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all map[string]map[string][][]string
	require.NoError(t, json.Unmarshal(text, &all))
	if *update {
		all[recordings] = got
		text, err := json.MarshalIndent(all, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o644))
		return
	}
	require.Equal(t, answers(all[recordings]), got)
}

// ask returns the answers of all engines about the tables in a directory, which must be equal. Rows have the order of the
// queries if the tables are of one match.
func ask(t *testing.T, tables string, oneMatch bool) answers {
	t.Helper()
	g := begin(t)
	res := g.run(g.command("python", "ask.py", tables, "--json", "--engines", strings.Join(engines, ",")))
	require.Zero(t, res.status, res.stderr)
	var got map[string]answers
	require.NoError(t, json.Unmarshal([]byte(res.stdout), &got))
	for _, engine := range engines {
		if !oneMatch {
			got[engine].sort()
		}
		require.NotEmpty(t, got[engine])
		require.Equal(t, got[engines[0]], got[engine], engine)
	}
	return got[engines[0]]
}

// The answers about one recording are in the order of the queries.
func TestEqualAnswersOfABattle(t *testing.T) {
	e := prepare(t)
	out := filepath.Join(t.TempDir(), "tables")
	require.NoError(t, command(filepath.Join(e.dir, "bin/dump"), "-parquet", out+"/", "../../../testdata/battle.jsonl"))
	requirePinned(t, "battle", ask(t, out, true))
}

// The matches are all recordings of testdata, with rejoins, renames and both dialects, and a capture of several
// servers.
func TestEqualAnswersOfManyMatches(t *testing.T) {
	e := prepare(t)
	var files []string
	for _, pattern := range []string{"../../../testdata/*.jsonl", "../../../testdata/openbc/*.jsonl"} {
		more, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, more)
		files = append(files, more...)
	}
	files = append(files, severalServers(t))
	out := filepath.Join(t.TempDir(), "tables")
	require.NoError(t, command(filepath.Join(e.dir, "bin/dump"), append([]string{"-parquet", out + "/"}, files...)...))
	requirePinned(t, "cluster", ask(t, out, false))
}

// About a corpus of simulated matches, all engines give the same.
func TestEqualAnswersOfACorpus(t *testing.T) {
	if *converted != "" {
		ask(t, *converted, false)
		return
	}
	e := prepare(t)
	ask(t, e.single(), false)
}

// severalServers writes a capture of three servers at the same time, two of them on one address. Clients with the
// same addresses play on one of them later: their peer IDs and numbers are used again.
func severalServers(t *testing.T) string {
	t.Helper()
	var packets []capture.Datagram
	for _, on := range []struct {
		recording, server, clients string
		begin                      time.Duration
	}{
		{"rejoins", "192.0.2.1:22101", "198.51.100.1", 0},
		{"battle", "192.0.2.2:22101", "198.51.100.2", 5 * time.Second},
		{"match", "192.0.2.2:22102", "198.51.100.3", 10 * time.Second},
		{"match", "192.0.2.2:22101", "198.51.100.1", time.Minute},
	} {
		f, err := os.Open("../../../testdata/" + on.recording + ".jsonl")
		require.NoError(t, err)
		defer f.Close()
		for d, err := range recording.Read(f) {
			require.NoError(t, err)
			src, dst := netip.AddrPortFrom(netip.MustParseAddr(on.clients), uint16(50_000+d.Client)), netip.MustParseAddrPort(on.server)
			if d.Direction == recording.ToClient {
				src, dst = dst, src
			}
			at := time.Second + on.begin + d.Time()
			packets = append(packets, capture.Datagram{Time: at.Seconds(), Src: src, Dst: dst, Data: bytes.Clone(d.Data)})
		}
	}
	slices.SortStableFunc(packets, func(a, b capture.Datagram) int { return cmp.Compare(a.Time, b.Time) })
	f, err := os.Create(filepath.Join(t.TempDir(), "servers.pcapng"))
	require.NoError(t, err)
	w := capture.NewWriter(f)
	for i := range packets {
		require.NoError(t, w.Write(&packets[i]))
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return f.Name()
}

// Files of another version of the schema have other columns. The error names a file of each version.
func TestVersionsAreNotMixed(t *testing.T) {
	g := begin(t)
	out := t.TempDir()
	require.NoError(t, command(filepath.Join(g.env.dir, "bin/dump"), "-parquet", out+"/", "../../../testdata/battle.jsonl", "../../../testdata/match.jsonl"))
	old := filepath.Join(out, "table=events/source=match/match=0/part-0.parquet")
	const rewrite = `
import sys, pyarrow.parquet as parquet
table = parquet.ParquetFile(sys.argv[1]).read()
parquet.write_table(table.replace_schema_metadata({"bcwire.schema": "1"}), sys.argv[1])`
	require.Zero(t, g.run(g.command("python", "-c", rewrite, old)).status)
	for _, program := range []string{"ask.py", "load.py"} {
		res := g.run(g.command("python", program, out))
		require.Equal(t, 1, res.status)
		require.Contains(t, res.stderr, program+": the files have different versions of the schema: 1 in "+old+", 2 in "+out)
	}
	// The next conversion writes the old one again.
	require.NoError(t, command(filepath.Join(g.env.dir, "bin/dump"), "-parquet", out+"/", "../../../testdata/battle.jsonl", "../../../testdata/match.jsonl"))
	res := g.run(g.command("python", "load.py", out, "--client", "no-such-client --host x"))
	require.Equal(t, 1, res.status)
	require.Equal(t, "load.py: no program no-such-client --host x: give its command with --client\n", res.stderr)
}

// The loader gives the statements and the directory to a client. This client is ClickHouse without a server.
func TestLoad(t *testing.T) {
	g := begin(t)
	out, client := filepath.Join(t.TempDir(), "tables"), filepath.Join(t.TempDir(), "client.py")
	require.NoError(t, command(filepath.Join(g.env.dir, "bin/dump"), "-parquet", out+"/", "../../../testdata/battle.jsonl"))
	const script = `
import sys, tempfile
from chdb.session import Session
session = Session(tempfile.mkdtemp(dir=sys.argv[1]))
session.query("SET param_dir = '" + sys.argv[2].removeprefix("--param_dir=") + "'")
for statement in 2 * sys.stdin.read().rstrip().rstrip(";").split(";\n\n"):  # a second load replaces the first
    session.query(statement)
print(session.query("SELECT count() FROM events WHERE event = 'chat'"), session.query("SELECT count() FROM messages WHERE name = 'ChatMessage' AND direction = 'c2s'"))`
	require.NoError(t, os.WriteFile(client, []byte(script), 0o600))
	res := g.run(g.command("python", "load.py", out, "--client", fmt.Sprintf("'%s/python' '%s' '%s'", g.env.python, client, t.TempDir())))
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, []string{"10", "10"}, strings.Fields(res.stdout))
}
