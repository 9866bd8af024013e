package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/rows"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// The recordings of the project, from this directory.
const (
	matchFile  = "../../testdata/match.jsonl"
	battleFile = "../../testdata/battle.jsonl"
)

// runParquet runs the program with -parquet and returns the rows of the file.
func runParquet(t *testing.T, stdin string, args ...string) ([]rows.Row, result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.parquet")
	res := runDump(t, stdin, append([]string{"-parquet", file}, args...)...)
	require.Empty(t, res.stdout)
	return readRows(t, file), res
}

func readRows(t *testing.T, file string) []rows.Row {
	t.Helper()
	all, err := parquet.ReadFile[rows.Row](file)
	require.NoError(t, err)
	return all
}

// objectOf returns the object of -json for a row, from all columns that it has.
func objectOf(t *testing.T, r *rows.Row) jsonRecord {
	t.Helper()
	j := jsonRecord{
		Packet: int(r.Datagram), Time: r.Time, Dir: r.Direction, Index: int(r.Index), Type: r.Type, Reliable: r.Reliable,
		Opcode: r.Opcode, Name: r.Name, Hex: hex.EncodeToString(r.Bytes), Note: r.Note, Error: r.Error,
	}
	if r.Peer != nil {
		peer := int(*r.Peer)
		j.Peer = &peer
	}
	if r.Seq != nil {
		j.Seq = int(*r.Seq)
	}
	if r.AckSeq != nil {
		j.Seq = int(*r.AckSeq)
	}
	if r.Fragment != nil {
		j.Fragment = &struct{ Index, Total int }{Index: int(*r.Fragment)}
		if r.Fragments != nil {
			j.Fragment.Total = int(*r.Fragments)
		}
	}
	require.NoError(t, json.Unmarshal(r.Fields, &j.Fields), "%s", r.Fields)
	return j
}

func objects(t *testing.T, all []rows.Row) (list []jsonRecord) {
	t.Helper()
	for i := range all {
		list = append(list, objectOf(t, &all[i]))
	}
	return list
}

// requireSame runs the program with -parquet and with -json, and requires the same messages.
func requireSame(t *testing.T, stdin string, args ...string) []rows.Row {
	t.Helper()
	want, text := runJSON(t, stdin, args...)
	all, res := runParquet(t, stdin, args...)
	require.Equal(t, text.status, res.status)
	require.Equal(t, text.stderr, res.stderr)
	got := objects(t, all)
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
	return all
}

// The rows of every recording are the messages of -json, field for field.
func TestRowsEqualJSON(t *testing.T) {
	files := []string{matchFile, "sample.jsonl"}
	if !testdata.UnderRace { // it takes ten times as long
		files = append(files, battleFile)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			all := requireSame(t, "", file)
			require.NotEmpty(t, all)
			for i := range all {
				require.Equal(t, strings.TrimSuffix(filepath.Base(file), ".jsonl"), all[i].Match)
				require.Equal(t, all[i].Fragment != nil && all[i].Type != "Ack", strings.HasPrefix(all[i].Note, "fragment"))
				require.Equal(t, all[i].Type == "Ack", all[i].AckSeq != nil)
			}
		})
	}
}

// mutations are hex text of datagrams with mutated payloads, and of mutated datagrams.
func mutations(t *testing.T, n int) string {
	t.Helper()
	var datagrams, payloads [][]byte
	for _, d := range testdata.Match(t) {
		if !transport.IsGameSpy(d.Data) {
			cipher.Decrypt(d.Data)
		}
		datagrams = append(datagrams, d.Data)
		for m, err := range transport.Messages(d.Data) {
			require.NoError(t, err)
			if m.Type == transport.TypeData && !m.Fragment {
				payloads = append(payloads, m.Body)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	mutate := func(b []byte) []byte {
		b = append([]byte(nil), b...)
		for range rng.IntN(4) {
			b[rng.IntN(len(b))] = byte(rng.Uint32())
		}
		return append(b[:len(b)-rng.IntN(len(b))*rng.IntN(2)], make([]byte, rng.IntN(3))...)
	}
	var b strings.Builder
	for i := range n {
		peer := objectid.PeerID(1 + rng.IntN(4))
		data := mutate(datagrams[rng.IntN(len(datagrams))])
		if i%8 > 0 { // most are payloads
			data = pack(t, peer, transport.NewData(uint16(i), mutate(payloads[rng.IntN(len(payloads))])))
		}
		fmt.Fprintf(&b, "%s %x\n", []recording.Direction{recording.ToServer, recording.ToClient}[rng.IntN(2)], data)
	}
	return b.String()
}

// Rows of malformed datagrams are the messages of -json. Most have an error.
func TestRowsOfMutations(t *testing.T) {
	all := requireSame(t, mutations(t, testdata.Either(20_000, 2_000)), "-plain", "-")
	failed := 0
	for i := range all {
		if all[i].Error != "" {
			failed++
		}
	}
	require.Greater(t, failed, len(all)/10)
	require.Equal(t, "stdin", all[0].Match)
}

// Each input of a file is a match with its own numbers, times and sessions.
func TestMatchesOfAFile(t *testing.T) {
	first, _ := runParquet(t, "", matchFile)
	second, _ := runParquet(t, "", "sample.jsonl")
	both, res := runParquet(t, "", matchFile, "sample.jsonl")
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, append(first, second...), both)

	dir := filepath.Join(t.TempDir(), "out")
	res = runDump(t, "", "-parquet", dir+"/", matchFile, "sample.jsonl", matchFile)
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, first, readRows(t, filepath.Join(dir, "match=match", "part-0.parquet")))
	require.Equal(t, second, readRows(t, filepath.Join(dir, "match=sample", "part-0.parquet")))
	require.Len(t, readRows(t, filepath.Join(dir, "match=match-2", "part-0.parquet")), len(first))
}

// Captures begin at their own time 0, and -port selects their datagrams.
func TestRowsOfCaptures(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "first.pcapng"), filepath.Join(t.TempDir(), "second.pcapng")
	later := filepath.Join(t.TempDir(), "later.jsonl")
	text, err := os.ReadFile(matchFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(later, []byte(strings.ReplaceAll(string(text), `{"t":`, `{"t":100`)), 0o600))
	require.Zero(t, runDump(t, "", "-pcapng", first, matchFile).status)
	require.Zero(t, runDump(t, "", "-pcapng", second, later).status)

	want := requireSame(t, "", "-port", "22101", second)
	all, res := runParquet(t, "", "-port", "22101", first, second)
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, want, all[len(all)-len(want):])
	require.Zero(t, want[0].Time)

	all, res = runParquet(t, "", "-port", "1", first)
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "no datagrams with port 1")
	require.Empty(t, all)
}

// An empty capture gives a file without rows, and names and numbers of any kind are kept.
func TestRowsOfBadInput(t *testing.T) {
	all, res := runParquet(t, "", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "no datagrams")
	require.Empty(t, all)

	name := transport.UTF16Z{0x00, 0xD8, 'A', 0, 0, 0} // a surrogate alone
	text := hexLines(
		pack(t, 2, transport.NewMessage(0, &transport.NameChange{PeerID: 2, Name: name})),
		pack(t, 2, transport.NewData(0, chat("\xff\xfe\x00\x81"))),
		pack(t, 2, transport.NewData(1, testdata.Bytes("1cffffff3f0000c07f01000080ff0000807f0000c0ff00"))),
		pack(t, 2, transport.NewData(2, []byte{0x2C, 1})),
		[]byte("\\hostname\\\xff\xc3\x28\\"),
	)
	all = requireSame(t, text, "-plain", "-")
	require.Len(t, all, 5)
	require.Equal(t, "\uFFFDA", all[0].Player)
	require.Contains(t, string(all[2].Fields), `"NaN"`)
	require.Contains(t, string(all[2].Fields), `"-Infinity"`)
	require.Contains(t, all[3].Error, "EOF")
	require.Equal(t, "ChatMessage", all[3].Name)
}

// A missing input does not replace a file, but the other inputs are written.
func TestMissingInputs(t *testing.T) {
	file := writeFile(t, "out.parquet", []byte("before"))
	missing := filepath.Join(t.TempDir(), "missing")
	res := runDump(t, "", "-parquet", file, missing)
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, missing)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))

	res = runDump(t, "", "-parquet", file, missing, matchFile)
	require.Equal(t, exitFailed, res.status)
	require.NotEmpty(t, readRows(t, file))

	res = runDump(t, "", "-parquet", filepath.Join(missing, "out.parquet"), matchFile)
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "no such file")
}

// After an interrupt, the file before stays, and there is no other.
func TestInterruptedParquet(t *testing.T) {
	file := writeFile(t, "out.parquet", []byte("before"))
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		stdin, typist := io.Pipe()
		defer typist.Close()
		status := make(chan int)
		go func() {
			status <- run(ctx, []string{"-plain", "-parquet", file, "-"}, stdin, io.Discard, io.Discard)
		}()
		_, err := fmt.Fprintf(typist, "%x\n", pack(t, 2, transport.NewData(0, chat("so far"))))
		require.NoError(t, err)
		synctest.Wait()
		interrupt()
		require.Equal(t, exitInterrupted, <-status)
	})
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestParquetFlags(t *testing.T) {
	for _, args := range [][]string{{"-parquet", "x", "-json"}, {"-parquet", "x", "-pcapng", "y"}, {"-parquet", "-"}} {
		res := runDump(t, "", args...)
		require.Equal(t, exitUsage, res.status)
		require.Contains(t, res.stderr, "-parquet")
	}
}
