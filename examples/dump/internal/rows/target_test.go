package rows

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/dump/internal/replace"
)

// Files replace the files before when they are complete, and not earlier.
func TestFilesReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.parquet")
	before := []string{"x.events.parquet", "x.parquet"}
	for _, file := range before {
		writeText(t, filepath.Join(dir, file), "before")
	}
	for _, complete := range []bool{false, true} {
		target := open(t, name, Messages, Events)
		s := begin(t, target, "a")
		fill(t, s, rejoinsFile, nil)
		for _, file := range before {
			requireText(t, filepath.Join(dir, file), "before")
		}
		for _, file := range files(t, dir)[:2] { // the temporary files begin with a dot
			require.False(t, strings.HasSuffix(file, ".parquet"), file)
		}
		if !complete {
			target.Discard()
			require.Equal(t, before, files(t, dir))
			continue
		}
		require.NoError(t, s.End(""))
		require.NoError(t, target.Close())
		require.Equal(t, before, files(t, dir))
		require.NotEmpty(t, read[Message](t, name))
		require.NotEmpty(t, read[Event](t, filepath.Join(dir, "x.events.parquet")))
	}
	require.NoError(t, open(t, name, Tables...).Close(), "no input has begun")
	require.NotEmpty(t, read[Message](t, name))
}

// A name without .parquet is the name of the messages, too.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	target := open(t, filepath.Join(dir, "x.out"), Tables...)
	require.NoError(t, begin(t, target, "a").End(""))
	require.NoError(t, target.Close())
	require.Equal(t, []string{"x.out", "x.out.events.parquet", "x.out.states.parquet"}, files(t, dir))
}

func TestNotReplaceable(t *testing.T) {
	_, err := Open(os.DevNull, Options{Tables: Tables})
	require.ErrorIs(t, err, replace.ErrNotRegular)
	_, err = Open(filepath.Join(t.TempDir(), "missing", "x.parquet"), Options{Tables: Tables})
	require.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "file")
	writeText(t, file, "")
	_, err = Open(file+"/", Options{Tables: Tables})
	require.Error(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "x.states.parquet"), 0o700))
	_, err = Open(filepath.Join(dir, "x.parquet"), Options{Tables: Tables})
	require.ErrorIs(t, err, replace.ErrNotRegular)
	require.Empty(t, files(t, dir), "the temporary files of the other tables")
}

// A directory has a file for each table, source and match. Each row has the source and the match of its path.
func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "matches")
	target := open(t, dir+"/", Tables...)
	require.True(t, IsDirectory(dir))
	s := begin(t, target, "a")
	fill(t, s, rejoinsFile, nil)
	require.NoError(t, s.End("the input"))
	s = begin(t, target, "b")
	fill(t, s, rejoinsFile, nil)
	s.Discard()
	require.NoError(t, target.Close())
	target.Discard()
	got := files(t, dir)
	for _, table := range Tables {
		require.Contains(t, got, "table="+table+"/source=a/match=0/part-0.parquet")
	}
	messages := 0
	for _, name := range got {
		require.NotContains(t, name, "source=b")
		match := int32(strings.Count(name, "match=1"))
		if !strings.HasPrefix(name, "table="+Messages) {
			continue
		}
		for _, r := range read[Message](t, filepath.Join(dir, name)) {
			require.Equal(t, "a", r.Source)
			require.Equal(t, match, r.Match)
			messages++
		}
	}
	all, _, _ := tablesOf(t, rejoinsFile, Options{}, nil)
	require.Equal(t, len(all), messages)
}

// A source is complete if all chosen tables are there, of the same input and version.
func TestComplete(t *testing.T) {
	dir := t.TempDir()
	target := open(t, dir, Messages, Events)
	require.False(t, target.Complete("a", "the input"))
	require.NoError(t, begin(t, target, "a").End("the input"))
	require.True(t, target.Complete("a", "the input"))
	require.False(t, target.Complete("a", "another input"))
	require.False(t, target.Complete("a", ""))
	require.False(t, target.Complete("b", "the input"))
	require.True(t, open(t, dir, Events).Complete("a", "the input"))
	require.False(t, open(t, dir, Tables...).Complete("a", "the input"), "no states")

	require.NoError(t, begin(t, target, "a").End(""), "an input with an error")
	require.False(t, target.Complete("a", ""))
	require.False(t, target.Complete("a", "the input"))

	name := filepath.Join(dir, "table=events", "source=a", "match=0", "part-0.parquet")
	for name, file := range map[string]func() error{
		"no Parquet": func() error { return os.WriteFile(name, []byte("PAR1"), 0o600) },
		"another version": func() error {
			return parquet.WriteFile(name, []Event{{Event: "join"}}, parquet.KeyValueMetadata(VersionKey, "1"), parquet.KeyValueMetadata(inputKey, "the input"))
		},
	} {
		require.NoError(t, begin(t, target, "a").End("the input"))
		require.True(t, target.Complete("a", "the input"))
		require.NoError(t, file())
		require.False(t, target.Complete("a", "the input"), name)
	}
}

// A killed run leaves a hidden directory without files of Parquet. The next run of the source removes it. The
// directories of other sources and of living runs stay.
func TestKilledRun(t *testing.T) {
	dir := t.TempDir()
	var left []string
	for _, source := range []string{"a", "a-2"} {
		s := begin(t, open(t, dir, Tables...), source)
		fill(t, s, rejoinsFile, nil)
		temp := s.sinks.(*partitions).temp
		killed := strings.Replace(temp, owner(), strings.TrimSuffix(owner(), strconv.Itoa(os.Getpid()))+"999999999", 1)
		require.NoError(t, os.Rename(temp, killed))
		left = append(left, filepath.Base(killed))
	}
	writeText(t, filepath.Join(dir, hidden("a")+"lock"), strings.Split(left[0], "=")[2])
	for _, name := range files(t, dir) {
		require.True(t, strings.HasPrefix(name, ".source=a") && !strings.HasSuffix(name, ".parquet"), name)
	}
	living := begin(t, open(t, dir, Tables...), "a")
	s := begin(t, open(t, dir, Tables...), "a")
	fill(t, s, rejoinsFile, nil)
	require.NoError(t, s.End("the input"))
	require.NoDirExists(t, filepath.Join(dir, left[0]))
	require.DirExists(t, filepath.Join(dir, left[1]))
	fill(t, living, rejoinsFile, nil)
	require.NoError(t, living.End("the input"))
	for _, name := range files(t, dir) {
		require.True(t, strings.HasPrefix(name, "table=") || strings.HasPrefix(name, left[1]), name)
	}
}

// Two jobs write the same source at the same time. The result is as with one job.
func TestTwoJobs(t *testing.T) {
	want := filepath.Join(t.TempDir(), "want")
	s := begin(t, open(t, want+"/", Tables...), "a")
	fill(t, s, rejoinsFile, nil)
	require.NoError(t, s.End("the input"))
	for _, input := range []string{"the input", ""} { // the second one has an error
		dir := t.TempDir()
		var jobs sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			s := begin(t, open(t, dir, Tables...), "a")
			fill(t, s, rejoinsFile, nil)
			jobs.Go(func() { errs[i] = s.End(input) })
		}
		jobs.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, input != "", open(t, dir, Tables...).Complete("a", "the input"))
		require.Equal(t, files(t, want), files(t, dir))
	}
}

// Many matches do not need many open files. A match that continues has another part.
func TestManyMatches(t *testing.T) {
	dir := t.TempDir()
	target := open(t, dir, Events)
	p, err := newPartitions(target, "a")
	require.NoError(t, err)
	const matches = 50
	write := func(match int32) {
		out, err := p.of(match)
		require.NoError(t, err)
		require.NoError(t, out.events.add(Event{Match: match, Event: "join"}))
		require.LessOrEqual(t, len(p.open), maxOpen)
	}
	for i := range int32(matches) {
		write(i)
		write(max(i-3, 0))
	}
	write(1)
	require.NoError(t, p.end("the input"))
	require.True(t, target.Complete("a", "the input"))
	rows := 0
	for _, name := range files(t, dir) {
		rows += len(read[Event](t, filepath.Join(dir, name)))
	}
	require.Equal(t, 2*matches+1, rows)
	require.Len(t, files(t, dir), matches+1)
	require.Contains(t, files(t, dir), "table=events/source=a/match=1/part-1.parquet")
}

// Matches whose files are closed take no memory, and an input has a limited number of files.
func TestMemoryOfMatches(t *testing.T) {
	target := open(t, t.TempDir(), Messages)
	p, err := newPartitions(target, "a")
	require.NoError(t, err)
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	write := func(match int32) {
		out, err := p.of(match)
		require.NoError(t, err)
		require.NoError(t, out.messages.add(Message{Match: match, Name: "RestartGame"}))
	}
	for i := range int32(2 * maxOpen) {
		write(i)
	}
	before := heap()
	for i := range int32(100) {
		write(2*maxOpen + i)
	}
	require.Less(t, heap(), before+10<<20)
	p.closed = make([]place, maxParts-len(p.open)-1)
	write(1000)
	_, err = p.of(1001)
	require.ErrorIs(t, err, ErrParts)
	p.discard()
}

// A source replaces the files of an earlier run, also the files of matches that it does not have.
func TestSourceReplaces(t *testing.T) {
	dir := t.TempDir()
	target := open(t, dir, Events)
	for _, matches := range []int32{5, 2} {
		p, err := newPartitions(target, "a")
		require.NoError(t, err)
		for i := range matches {
			_, err := p.of(i)
			require.NoError(t, err)
		}
		require.NoError(t, p.end("the input "+string('0'+rune(matches))))
		require.Len(t, files(t, dir), int(matches))
	}
}
