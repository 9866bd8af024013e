package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/dump/internal/rows"
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

// runParquet runs the program with -parquet and returns the messages of the file, in the order of -json.
func runParquet(t *testing.T, stdin string, args ...string) ([]rows.Message, result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.parquet")
	res := runDump(t, stdin, append([]string{"-tables", "messages", "-parquet", file}, args...)...)
	require.Empty(t, res.stdout)
	require.NoFileExists(t, strings.TrimSuffix(file, "parquet")+"events.parquet")
	return readMessages(t, file), res
}

// readMessages reads the messages in files with consecutive inputs.
func readMessages(t *testing.T, files ...string) (all []rows.Message) {
	t.Helper()
	order := map[string]int{}
	for _, file := range files {
		for _, r := range readRows[rows.Message](t, file) {
			if _, ok := order[r.Source]; !ok {
				order[r.Source] = len(order)
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b rows.Message) int {
		return cmp.Or(cmp.Compare(order[a.Source], order[b.Source]), cmp.Compare(a.Datagram, b.Datagram), cmp.Compare(a.Index, b.Index))
	})
	return all
}

func readRows[R any](t *testing.T, file string) []R {
	t.Helper()
	all, err := parquet.ReadFile[R](file)
	require.NoError(t, err)
	return all
}

// objectOf returns the object of -json for a row, from all columns that it has.
func objectOf(t *testing.T, r *rows.Message) jsonRecord {
	t.Helper()
	j := jsonRecord{
		Packet: int(r.Datagram), Time: r.Time, Dir: r.Direction, Index: int(r.Index), Type: r.Type, Reliable: r.Reliable,
		Player: r.Player, Ship: r.Ship, Opcode: r.Opcode, Name: r.Name, Hex: hex.EncodeToString(r.Bytes), Note: r.Note, Error: r.Error,
	}
	if r.Client != "" {
		j.Client = r.Client
		if n, err := strconv.ParseFloat(r.Client, 64); err == nil {
			j.Client = n
		}
	}
	if r.Slot != nil {
		slot := int(*r.Slot)
		j.Slot = &slot
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

// requireSame runs the program with -parquet and with -json, and requires the same messages.
func requireSame(t *testing.T, stdin string, args ...string) []rows.Message {
	t.Helper()
	want, text := runJSON(t, stdin, args...)
	all, res := runParquet(t, stdin, args...)
	require.Equal(t, text.status, res.status)
	require.Equal(t, text.stderr, res.stderr)
	require.Len(t, all, len(want))
	for i := range want {
		requireRow(t, want[i], &all[i])
	}
	return all
}

// requireRow requires that a row is an object of -json.
func requireRow(t *testing.T, want jsonRecord, r *rows.Message) {
	t.Helper()
	if r.Bytes == nil {
		require.Empty(t, want.Note+want.Error)
		want.Hex = "" // the fields are all of it
	}
	got := objectOf(t, r)
	want.Fields, got.Fields = inTable(want.Fields).(map[string]any), inTable(got.Fields).(map[string]any)
	require.Equal(t, want, got)
}

// inTable returns the fields of -json as they are in a table: without the raw codes of compressed numbers, and
// with fewer digits.
func inTable(v any) any {
	switch v := v.(type) {
	case map[string]any:
		raw, isRaw := v["raw"]
		value, isValue := v["value"]
		if isRaw && isValue && len(v) == 2 {
			digits := 5
			if _, ok := raw.([]any); ok {
				digits = 4
			}
			return map[string]any{"value": withDigits(value, digits)}
		}
		all := map[string]any{}
		for key, value := range v {
			all[key] = inTable(value)
		}
		return all
	case []any:
		all := []any{}
		for _, value := range v {
			all = append(all, inTable(value))
		}
		return all
	}
	return withDigits(v, -1)
}

// withDigits returns a number or numbers with some digits, or with -1 those of a float32.
func withDigits(v any, digits int) any {
	switch v := v.(type) {
	case []any:
		all := []any{}
		for _, value := range v {
			all = append(all, withDigits(value, digits))
		}
		return all
	case float64:
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 32), 64)
		return v
	}
	return v
}

// The rows of every recording are the messages of -json, field for field.
func TestRowsEqualJSON(t *testing.T) {
	files := []string{matchFile, "sample.jsonl"}
	if testdata.Long() && !testdata.UnderRace { // it takes ten times as long
		files = append(files, battleFile)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			all := requireSame(t, "", file)
			require.NotEmpty(t, all)
			for i := range all {
				require.Equal(t, strings.TrimSuffix(filepath.Base(file), ".jsonl"), all[i].Source)
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
	require.Equal(t, "stdin", all[0].Source)
}

// Each input of a file has its own numbers, times and sessions.
func TestInputsOfAFile(t *testing.T) {
	first, _ := runParquet(t, "", matchFile)
	second, _ := runParquet(t, "", "sample.jsonl")
	both, res := runParquet(t, "", matchFile, "sample.jsonl")
	require.Zero(t, res.status, res.stderr)
	require.Equal(t, append(first, second...), both)

	dir := filepath.Join(t.TempDir(), "out")
	res = runDump(t, "", "-parquet", dir+"/", matchFile, "sample.jsonl", matchFile)
	require.Zero(t, res.status, res.stderr)
	part := func(table, source string) string {
		return filepath.Join(dir, table, source, "match=0", "part-0.parquet")
	}
	require.Equal(t, first, readMessages(t, part("table=messages", "source=match")))
	require.Equal(t, second, readMessages(t, part("table=messages", "source=sample")))
	require.Len(t, readMessages(t, part("table=messages", "source=match-2")), len(first))
	require.NotEmpty(t, readRows[rows.Event](t, part("table=events", "source=match-2")))
	require.NotEmpty(t, readRows[rows.State](t, part("table=states", "source=match")))
}

// The table of events has the events of -events -json.
func TestEventsEqualJSON(t *testing.T) {
	for _, name := range []string{"battle", "rejoins", "match", "sample", "cheater"} {
		file := filepath.Join(t.TempDir(), "x.parquet")
		source := "../../testdata/" + name + ".jsonl"
		require.Zero(t, runDump(t, "", "-parquet", file, source).status)
		for _, tables := range []string{"events", "messages,events"} {
			file := filepath.Join(t.TempDir(), "y.parquet")
			require.Zero(t, runDump(t, "", "-tables", tables, "-parquet", file, source).status)
			want := strings.TrimSpace(runDump(t, "", "-events", "-json", source).stdout)
			var got []string
			for _, r := range readRows[rows.Event](t, strings.TrimSuffix(file, "parquet")+"events.parquet") {
				line, err := json.Marshal(r)
				require.NoError(t, err)
				got = append(got, string(line))
				require.Equal(t, name, r.Source)
			}
			require.Equal(t, want, strings.Join(got, "\n"))
		}
	}
}

// Eight inputs are written at once. Complaints are in the order of the inputs, and the other inputs are complete.
func TestManyInputs(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(matchFile)
	require.NoError(t, err)
	var inputs []string
	for i := range 8 {
		name := filepath.Join(dir, fmt.Sprintf("in%d.jsonl", i))
		switch i {
		case 2:
			text := "malformed\n" + string(text) + "malformed\n"
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		case 5: // does not exist
		case 6:
			require.NoError(t, os.WriteFile(name, []byte{0}, 0o600))
		default:
			require.NoError(t, os.WriteFile(name, text, 0o600))
		}
		inputs = append(inputs, name)
	}
	run := func(flags ...string) result {
		return runDump(t, "", slices.Concat([]string{"-parquet", filepath.Join(dir, "out") + "/"}, flags, inputs)...)
	}
	one := run("-jobs", "1")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "out")))
	res := run("-jobs", "8")
	require.Equal(t, one, res)
	require.Equal(t, exitFailed, res.status)
	lines := strings.Split(strings.TrimSpace(res.stderr), "\n")
	require.Len(t, lines, 4)
	for i, name := range []string{inputs[2] + ":1: ", inputs[2] + ":" + fmt.Sprint(2+bytes.Count(text, []byte("\n"))) + ": ", inputs[5], inputs[6]} {
		require.Contains(t, lines[i], name)
	}
	want := readMessages(t, filepath.Join(dir, "out", "table=messages", "source=in0", "match=0", "part-0.parquet"))
	for _, i := range []int{1, 2, 3, 4, 7} {
		got := readMessages(t, filepath.Join(dir, "out", "table=messages", fmt.Sprintf("source=in%d", i), "match=0", "part-0.parquet"))
		require.Len(t, got, len(want))
	}

	// A later run skips what is complete, and reports the errors again.
	modified := func() (times []time.Time) {
		for i := range inputs {
			if info, err := os.Stat(filepath.Join(dir, "out", "table=states", fmt.Sprintf("source=in%d", i))); err == nil {
				times = append(times, info.ModTime())
			}
		}
		return times
	}
	first := modified()
	require.Len(t, first, 7)
	require.Equal(t, res, run())
	second := modified()
	for i := range first {
		require.Equal(t, i == 2 || i == 5, !first[i].Equal(second[i]), "%d", i) // those with an error
	}
	require.NoError(t, os.Chtimes(inputs[0], time.Time{}, time.Unix(1e9, 0)))
	run()
	third := modified()
	require.False(t, first[0].Equal(third[0]), "the input has changed")
	require.True(t, first[1].Equal(third[1]))
	run("-tables", "states", "-fields=false")
	require.False(t, third[1].Equal(modified()[1]), "the options have changed")
}

// The shards have all inputs together. An input has the same name in each.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	var inputs []string
	for i := range 5 {
		sub := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, os.Mkdir(sub, 0o700))
		text, err := os.ReadFile("sample.jsonl")
		require.NoError(t, err)
		inputs = append(inputs, filepath.Join(sub, "same.jsonl"))
		require.NoError(t, os.WriteFile(inputs[i], text, 0o600))
	}
	out := filepath.Join(dir, "out") + "/"
	sources := func() (names []string) {
		entries, err := os.ReadDir(filepath.Join(out, "table=messages"))
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	require.Zero(t, runDump(t, "", append([]string{"-parquet", out, "-shard", "1/3"}, inputs...)...).status)
	require.Equal(t, []string{"source=same-2", "source=same-5"}, sources())
	for _, shard := range []string{"0/3", "2/3"} {
		require.Zero(t, runDump(t, "", append([]string{"-parquet", out, "-shard", shard}, inputs...)...).status)
	}
	require.Equal(t, []string{"source=same", "source=same-2", "source=same-3", "source=same-4", "source=same-5"}, sources())

	// Other outputs have shards, too. A shard can be empty.
	all := runDump(t, "", append([]string{"-json"}, inputs...)...).stdout
	part := runDump(t, "", append([]string{"-json", "-shard", "4/5"}, inputs...)...).stdout
	require.NotEmpty(t, part)
	require.Less(t, len(part), len(all))
	require.Equal(t, result{}, runDump(t, "", append([]string{"-events", "-shard", "5/6"}, inputs...)...))
	require.Equal(t, result{}, runDump(t, "", append([]string{"-parquet", out, "-shard", "5/6"}, inputs...)...))
	for _, bad := range []string{"1", "1/1", "-1/2", "x/2", "1/0", "1/2/3", ""} {
		res := runDump(t, "", "-shard", bad, "sample.jsonl")
		require.Equal(t, exitUsage, res.status, bad)
		require.Contains(t, res.stderr, "I is from 0 to N-1")
	}
}

// Names of inputs are part of paths and rows, whatever they contain.
func TestNamesOfInputs(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // files have no such names
	}
	dir := t.TempDir()
	text, err := os.ReadFile("sample.jsonl")
	require.NoError(t, err)
	out := filepath.Join(dir, "out") + "/"
	args := []string{"-tables", "messages", "-parquet", out}
	for _, name := range []string{"new\nline.jsonl", "a=b\\c.jsonl", "..jsonl", strings.Repeat("x", 250)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		args = append(args, filepath.Join(dir, name))
	}
	require.Zero(t, runDump(t, "", args...).status)
	var got []string
	for _, source := range []string{"new_line", "a_b_c", ".", strings.Repeat("x", 200)} {
		all := readMessages(t, filepath.Join(out, "table=messages", "source="+source, "match=0", "part-0.parquet"))
		got = append(got, all[0].Source)
	}
	require.Equal(t, []string{"new_line", "a_b_c", ".", strings.Repeat("x", 200)}, got)
}

// asProgram makes the test binary be dump.
const asProgram = "BCWIRE_TEST_DUMP"

// TestAsProgram is no test: it is the program that TestKilledRunIsResumed kills.
func TestAsProgram(*testing.T) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), flag.Args(), os.Stdin, os.Stdout, os.Stderr))
	}
}

// A killed run leaves no half file. The next run completes it.
func TestKilledRunIsResumed(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out") + "/"
	var inputs []string
	battle, err := os.ReadFile(battleFile)
	require.NoError(t, err)
	for i := range testdata.Either(3, 1) {
		inputs = append(inputs, filepath.Join(dir, fmt.Sprintf("in%d.jsonl", i)))
		require.NoError(t, os.WriteFile(inputs[i], battle, 0o600))
	}
	tables := func() (names []string) {
		_ = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error { // it may not exist yet
			if err == nil && !d.IsDir() {
				names = append(names, path)
			}
			return err
		})
		return names
	}
	for delay := 50 * time.Millisecond; delay < testdata.Either(time.Second, 150*time.Millisecond); delay *= 2 {
		cmd := exec.Command(os.Args[0], append([]string{"-test.run=^TestAsProgram$", "--", "-parquet", out}, inputs...)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		require.NoError(t, cmd.Start())
		time.Sleep(delay)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for _, name := range tables() {
			if strings.HasSuffix(name, ".parquet") {
				require.NotContains(t, name, string(filepath.Separator)+".")
				f, err := os.Open(name)
				require.NoError(t, err)
				info, err := f.Stat()
				require.NoError(t, err)
				_, err = parquet.OpenFile(f, info.Size())
				require.NoError(t, err, name)
				require.NoError(t, f.Close())
			}
		}
	}
	require.Zero(t, runDump(t, "", append([]string{"-parquet", out}, inputs...)...).status)
	require.Len(t, tables(), 3*len(inputs), "%q", tables())
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
	require.Equal(t, "\uFFFDA", all[0].Link)
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
	require.NotEmpty(t, readMessages(t, file))

	file = filepath.Join(missing, "out.parquet")
	res = runDump(t, "", "-parquet", file, matchFile)
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stderr, "dump: create "+file+": ")
}

// After an interrupt, the file before stays, and there is no other.
func TestInterruptedFile(t *testing.T) {
	for _, flag := range []string{"-parquet", "-pcapng"} {
		interruptFile(t, flag)
	}
}

func interruptFile(t *testing.T, flag string) {
	file := writeFile(t, "out", []byte("before"))
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		stdin, typist := io.Pipe()
		defer typist.Close()
		status := make(chan int)
		go func() {
			status <- run(ctx, []string{"-plain", flag, file, "-"}, stdin, io.Discard, io.Discard)
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
	for _, args := range [][]string{
		{"-parquet", "x", "-json"},
		{"-parquet", "x", "-pcapng", "y"},
		{"-parquet", "-"},
		{"-tables", "events"},
		{"-fields=false"},
		{"-follow"},
		{"-follow", "x", "y"},
		{"-follow", "-parquet", "y", "x"},
	} {
		res := runDump(t, "", args...)
		require.Equal(t, exitUsage, res.status)
		require.Contains(t, res.stderr, "-parquet")
	}
	for _, tables := range []string{"", "event", "events,", "events,events,x"} {
		res := runDump(t, "", "-parquet", "x", "-tables", tables)
		require.Equal(t, exitUsage, res.status)
		require.Contains(t, res.stderr, "give some of messages, events, states")
	}
}
