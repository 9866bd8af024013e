package rows

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/dump/internal/replace"
	"github.com/bcwire/bcwire/stateupdate"
)

// Options are the options of a [Target].
type Options struct {
	Tables   []string // the chosen ones
	NoFields bool     // the column fields of messages is NULL
	Plain    bool     // the datagrams are not enciphered
	// Passwords writes the passwords of players into files that only their owner can read.
	Passwords bool
	Workers   int                   // goroutines that render the rows of an input, besides those that decode and write; 0 is one for everything
	Classes   stateupdate.Catalogue // ship classes in addition to the game's
}

func (o *Options) has(table string) bool { return slices.Contains(o.Tables, table) }

// Target is where the rows of several inputs go: a file for each table, or a directory. The directory has the
// form DIR/table=messages/source=NAME/match=0/part-0.parquet, whose files engines find by their source and
// match.
type Target struct {
	name    string
	options Options
	dir     bool
	all     *sink // of the files; nil in a directory
	begun   bool  // an input has begun
}

// Open returns the target with a name: a directory if the name ends in a slash or is one, else files. It
// creates the directory or the temporary files.
func Open(name string, o Options) (*Target, error) {
	t := &Target{name: name, options: o, dir: IsDirectory(name)}
	if t.dir {
		return t, os.MkdirAll(name, 0o755)
	}
	var err error
	// Programs that read all files of a directory take those that end in .parquet. Temporary names do not.
	t.all, err = newSink(&t.options, func(table string) (*os.File, error) { return replace.Temp(t.file(table)) })
	return t, err
}

// IsDirectory reports whether a target is a directory. Its inputs can be written at once.
func IsDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() || os.IsPathSeparator(name[len(name)-1]) || strings.HasSuffix(name, "/")
}

// file returns the name of the file of a table.
func (t *Target) file(table string) string {
	if table == Messages {
		return t.name
	}
	return strings.TrimSuffix(t.name, ".parquet") + "." + table + ".parquet"
}

// Begin begins the rows of an input, given its name in the column source. In files, the input before must
// have ended.
func (t *Target) Begin(source string) (*Source, error) {
	if t.dir {
		p, err := newPartitions(t, source)
		return newSource(source, t.options, p), err
	}
	t.begun = true
	return newSource(source, t.options, (*shared)(t)), nil
}

// shared is the target of an input that shares files with others.
type shared Target

func (f *shared) of(int32) (*sink, error) { return f.all, nil }
func (f *shared) end(string) error        { return nil }
func (f *shared) discard()                {}

// Close completes the files. Without any input, it does not replace the files before.
func (t *Target) Close() error {
	if t.all == nil {
		return nil
	}
	if !t.begun {
		t.all.discard()
		return nil
	}
	if err := t.all.close(); err != nil {
		return err
	}
	for _, table := range t.options.Tables {
		if err := os.Rename(t.all.temps[table].Name(), t.file(table)); err != nil {
			t.all.discard()
			return err
		}
	}
	return nil
}

// Discard removes files that are not complete. In a directory, the files of inputs that have ended stay.
func (t *Target) Discard() {
	if t.all != nil {
		t.all.discard()
	}
}

// sink is the chosen tables of a match, or of all matches. Tables that are not chosen are nil.
type sink struct {
	messages *table[Message]
	events   *table[Event]
	states   *table[State]
	chosen   []anyTable
	temps    map[string]*os.File // by table
	private  bool                // only the owner may read the files
}

// anyTable is a table of any rows.
type anyTable interface {
	close() error
	describe(input string)
	wait() error
}

// newSink creates the temporary files of the chosen tables.
func newSink(o *Options, create func(table string) (*os.File, error)) (*sink, error) {
	s := &sink{temps: map[string]*os.File{}, private: o.Passwords}
	for _, name := range o.Tables {
		f, err := create(name)
		if err != nil {
			s.discard()
			return nil, err
		}
		s.temps[name] = f
		s.open(name, f, o.Workers > 0)
	}
	return s, nil
}

func (s *sink) open(table string, w io.Writer, concurrent bool) {
	switch table {
	case Messages:
		s.messages = newTable(w, (*Message).key, concurrent)
		s.chosen = append(s.chosen, s.messages)
	case Events:
		s.events = newTable(w, (*Event).key, concurrent)
		s.chosen = append(s.chosen, s.events)
	case States:
		s.states = newTable(w, (*State).key, concurrent)
		s.chosen = append(s.chosen, s.states)
	}
}

// describe adds a description of the input to the metadata.
func (s *sink) describe(input string) {
	for _, t := range s.chosen {
		t.describe(input)
	}
}

// close completes the temporary files. The caller renames them. After an error they are removed.
func (s *sink) close() (err error) {
	for _, t := range s.chosen {
		if err = t.close(); err != nil {
			break
		}
	}
	for _, f := range s.temps {
		if err == nil && !s.private {
			err = f.Chmod(0o644)
		}
		if closing := f.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		s.discard()
	}
	return err
}

// discard removes the temporary files.
func (s *sink) discard() {
	for _, t := range s.chosen {
		_ = t.wait() // the file is removed
	}
	for _, f := range s.temps {
		f.Close()
		os.Remove(f.Name())
	}
}
