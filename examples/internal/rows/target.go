package rows

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// Target is where the rows of several matches go: a file, or a directory with a file for each
// match. The directory has the form DIR/match=NAME/part-0.parquet, whose files engines find by
// their match.
type Target struct {
	name  string
	dir   bool
	match string
	made  string // the directory of the match, if Begin has made it
	file  *File  // nil if there is none
	begun bool   // a match has begun
}

// part is the name of the file of a match.
const part = "part-0.parquet"

// Open returns the target with a name: a directory if the name ends in a slash or is one, else a
// file. It creates the file or the directory.
func Open(name string) (*Target, error) {
	t := &Target{name: name}
	info, err := os.Stat(name)
	t.dir = err == nil && info.IsDir() || os.IsPathSeparator(name[len(name)-1]) || strings.HasSuffix(name, "/")
	if t.dir {
		return t, os.MkdirAll(name, 0o755)
	}
	t.file, err = Create(name)
	return t, err
}

// Begin begins a match, and completes the file of the match before if it has its own.
func (t *Target) Begin(match string) error {
	t.match, t.begun = match, true
	if !t.dir {
		return nil
	}
	if err := t.end(); err != nil {
		return err
	}
	dir := filepath.Join(t.name, "match="+match)
	switch err := os.Mkdir(dir, 0o755); {
	case err == nil:
		t.made = dir
	case !os.IsExist(err):
		return err
	}
	var err error
	t.file, err = Create(filepath.Join(dir, part))
	return err
}

// Packet writes the messages of a datagram.
func (t *Target) Packet(p *show.Packet) error {
	for _, m := range p.Messages {
		r, err := Of(t.match, p, m)
		if err == nil {
			err = t.file.Write(&r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// end completes the current file, if there is one.
func (t *Target) end() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	if err != nil {
		t.Discard()
	}
	t.made = ""
	return err
}

// Close completes the target. A file without any match does not replace the file before.
func (t *Target) Close() error {
	if !t.begun {
		t.Discard()
		return nil
	}
	return t.end()
}

// Discard removes the current file, which is not complete. In a directory, the files of the
// matches before stay.
func (t *Target) Discard() {
	if t.file != nil {
		t.file.Discard()
		t.file = nil
	}
	if t.made != "" {
		_ = os.Remove(t.made) // fails unless it is empty
		t.made = ""
	}
}
