package rows

import (
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
	Workers  Workers
	Classes  stateupdate.Catalogue // ship classes in addition to the game's
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
