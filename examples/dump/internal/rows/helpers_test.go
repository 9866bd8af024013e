package rows

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
)

// The recordings of the project, from this directory. Rejoins has two matches.
const (
	battleFile  = "../../../../testdata/battle.jsonl"
	rejoinsFile = "../../../../testdata/rejoins.jsonl"
)

// fill writes the datagrams of a recording for which the function is nil or true.
func fill(t *testing.T, s *Source, file string, chosen func(*capture.Datagram) bool) {
	t.Helper()
	in, err := new(capture.Opener).Open(t.Context(), file)
	require.NoError(t, err)
	defer in.Close()
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		if chosen == nil || chosen(d) {
			require.NoError(t, s.Datagram(d))
		}
	}
}

// tablesOf writes a recording to files and returns their rows, messages in the order of the recording.
func tablesOf(t *testing.T, file string, o Options, chosen func(*capture.Datagram) bool) ([]Message, []Event, []State) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.parquet")
	o.Tables = Tables
	target, err := Open(name, o)
	require.NoError(t, err)
	s, err := target.Begin("source")
	require.NoError(t, err)
	fill(t, s, file, chosen)
	require.NoError(t, s.End(""))
	require.NoError(t, target.Close())
	messages := read[Message](t, name)
	slices.SortFunc(messages, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.Datagram, b.Datagram), cmp.Compare(a.Index, b.Index))
	})
	return messages, read[Event](t, strings.Replace(name, "x.", "x.events.", 1)), read[State](t, strings.Replace(name, "x.", "x.states.", 1))
}

// battle returns the rows of the recorded battle.
func battle(t *testing.T) ([]Message, []Event, []State) {
	t.Helper()
	theBattle.once.Do(func() {
		theBattle.messages, theBattle.events, theBattle.states = tablesOf(t, battleFile, Options{}, nil)
	})
	return slices.Clone(theBattle.messages), theBattle.events, theBattle.states
}

var theBattle struct {
	once     sync.Once
	messages []Message
	events   []Event
	states   []State
}

func read[R any](t *testing.T, name string) []R {
	t.Helper()
	all, err := parquet.ReadFile[R](name)
	require.NoError(t, err)
	return all
}

// files returns the files below a directory, with slashes.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	}))
	slices.Sort(names)
	return names
}

// open opens a target that must exist in the end.
func open(t *testing.T, name string, tables ...string) *Target {
	t.Helper()
	target, err := Open(name, Options{Tables: tables, Workers: 2})
	require.NoError(t, err)
	return target
}

func begin(t *testing.T, target *Target, source string) *Source {
	t.Helper()
	s, err := target.Begin(source)
	require.NoError(t, err)
	return s
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func requireText(t *testing.T, name, want string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}
