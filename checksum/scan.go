package checksum

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Limits of the scan of a round.
const (
	maxFiles = 12 << 10  // files and directories; more do not fit a response
	maxBytes = 256 << 20 // of all files
)

// Scan returns a manifest of the game in a file system whose root contains the directory "scripts".
// It has the hashes of the files that match each round, sorted by name; see [Rounds]. It omits
// directories without such files. Matching ignores case; names are hashed as spelled on the disk.
// Links are followed; the FS of an [os.Root] confines them.
//
// The error joins an error with the path for each file that cannot be read. The trees lack these
// files. If the directory of a round does not exist, the error wraps [fs.ErrNotExist]. If a round
// exceeds 12,288 files and directories or 256 MiB, its scan stops and the error wraps [stream.ErrLimit].
// Scan omits directories deeper than 16; the error then wraps [stream.ErrLimit], too.
func Scan(fsys fs.FS, rounds []Round) (*Manifest, error) {
	m := &Manifest{GameVersion: gameVersion, Rounds: slices.Clone(rounds)}
	var errs []error
	for i := range m.Rounds {
		s := scanner{fsys: fsys, limits: scanLimits{maxFiles, maxBytes, maxDepth}}
		m.Rounds[i].Tree = s.round(&m.Rounds[i])
		errs = append(errs, s.errs...)
	}
	return m, errors.Join(errs...)
}

// scanner reads the directories and files of a round.
type scanner struct {
	fsys    fs.FS
	pattern pattern
	recurse bool
	limits  scanLimits
	files   int   // files and directories read so far
	bytes   int64 // bytes read so far

	full  bool          // a limit is exceeded, and the scan ends
	above []fs.FileInfo // parents of the current directory
	buf   []byte
	errs  []error
}

type scanLimits struct {
	files int
	bytes int64
	depth int
}

func (s *scanner) fault(path string, err error) { s.errs = append(s.errs, pathError(path, err)) }

// round returns the tree of a round.
func (s *scanner) round(r *Round) *Tree {
	tree := new(Tree)
	root, err := r.root()
	switch {
	case err != nil:
		s.fault(r.Dir, err)
		return tree
	case len(r.Filter) > maxName:
		s.fault(r.Filter, nameError{})
		return tree
	}
	at, err := find(s.fsys, root)
	if err != nil {
		s.fault(root, err)
		return tree
	}
	for above := at; above != "."; {
		above = path.Dir(above)
		if info, err := fs.Stat(s.fsys, above); err == nil {
			s.above = append(s.above, info)
		}
	}
	s.pattern, s.recurse = newPattern(r.Filter), r.Recursive
	*tree = s.dir(at, 1)
	return tree
}

// count counts a file or directory and reports whether it may be read.
func (s *scanner) count(path string) bool {
	if s.full {
		return false
	}
	if s.files == s.limits.files {
		s.full = true
		s.fault(path, moreThan(s.limits.files, "files and directories"))
		return false
	}
	s.files++
	return true
}

// dir returns the tree of a directory.
func (s *scanner) dir(at string, depth int) (tree Tree) {
	if s.full {
		return tree
	}
	info, err := fs.Stat(s.fsys, at)
	switch {
	case err != nil:
		s.fault(at, err)
		return tree
	case slices.ContainsFunc(s.above, func(d fs.FileInfo) bool { return os.SameFile(d, info) }):
		s.fault(at, errLoop)
		return tree
	case depth > s.limits.depth:
		s.fault(at, moreThan(s.limits.depth, "nested directories"))
		return tree
	case !s.count(at):
		return tree
	}
	s.above = append(s.above, info)
	defer func() { s.above = s.above[:len(s.above)-1] }()
	files, dirs := s.list(at)
	for _, f := range files {
		if h, ok := s.file(path.Join(at, f.name)); ok {
			tree.Files = append(tree.Files, File{Name: f.name, NameHash: f.hash(), Content: []opcode.Hash{h}})
		}
	}
	for _, d := range dirs {
		if sub := s.dir(path.Join(at, d.name), depth+1); !sub.empty() {
			tree.Dirs = append(tree.Dirs, Dir{Name: d.name, NameHash: d.hash(), Tree: sub})
		}
	}
	return tree
}

// file returns the hash of a file, and whether it could be read.
func (s *scanner) file(name string) (opcode.Hash, bool) {
	if !s.count(name) {
		return 0, false
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		s.fault(name, err)
		return 0, false
	}
	defer f.Close()
	if s.buf == nil {
		s.buf = make([]byte, 32<<10)
	}
	h := new(digest)
	n, err := io.CopyBuffer(h, io.LimitReader(f, s.limits.bytes-s.bytes+1), s.buf)
	s.bytes += n
	if err == nil && s.bytes > s.limits.bytes {
		s.full = true
		err = moreThan(s.limits.bytes, "bytes")
	}
	if err != nil {
		s.fault(name, err)
		return 0, false
	}
	return opcode.Hash(h.hash()), true
}

// entry is the name of a file or directory, also in Windows-1252.
type entry struct {
	name string
	text stream.Text
}

func (e *entry) hash() opcode.Hash { return textHash(e.text) }

// list returns the files that match the filter and the directories to scan, both sorted.
func (s *scanner) list(at string) (files, dirs []entry) {
	entries, err := fs.ReadDir(s.fsys, at)
	if err != nil {
		s.fault(at, err)
	}
	for _, e := range entries {
		wanted := s.pattern.match(e.Name())
		if !wanted && !s.recurse {
			continue
		}
		full := path.Join(at, e.Name())
		mode, err := s.mode(full, e)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !wanted: // a broken link
		case err != nil:
			s.fault(full, err)
		case mode.IsDir() && !s.recurse, !mode.IsDir() && !wanted:
		case checkName(e.Name()) != nil:
			s.fault(full, nameError{})
		case mode.IsDir():
			dirs = append(dirs, entry{e.Name(), text(e.Name())})
		case mode.IsRegular():
			files = append(files, entry{e.Name(), text(e.Name())})
		default:
			s.fault(full, errIrregular)
		}
	}
	slices.SortFunc(dirs, compareEntries)
	slices.SortFunc(files, compareEntries)
	return s.pattern.choose(files), dirs
}

// mode returns the type of an entry. It follows links.
func (s *scanner) mode(full string, e fs.DirEntry) (fs.FileMode, error) {
	if e.IsDir() || e.Type().IsRegular() {
		return e.Type(), nil
	}
	info, err := fs.Stat(s.fsys, full)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

func compareEntries(a, b entry) int { return bytes.Compare(a.text, b.text) }
