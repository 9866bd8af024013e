package checksum

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Default limits of a scan.
const (
	maxFiles = 12 << 10  // more do not fit a response
	maxBytes = 256 << 20 // of all files
)

// An Installation is the game on a disk. Links are followed; the FS of an [os.Root] confines them.
type Installation struct {
	FS       fs.FS  // its root contains the directory "scripts"
	Version  string // version of the game; empty means GameVersion
	MaxFiles int    // limit of files and directories; the default is 12,288
	MaxBytes int64  // limit of all files; the default is 256 MiB
	MaxDepth int    // limit of nested directories; the default is 16
}

// Scan returns the hashes of the files that match a round, sorted by name. It omits directories
// without such files. Matching ignores case; names are hashed as spelled on the disk.
//
// The error joins a [*ScanError] for each file that cannot be read. The tree lacks these files. If
// the directory does not exist, the error wraps [fs.ErrNotExist]. If MaxFiles or MaxBytes is
// exceeded, Scan stops and the error wraps [ErrLimit]. Scan omits directories deeper than MaxDepth;
// the error then wraps [ErrDepth].
func (in *Installation) Scan(r Round) (*Tree, error) {
	s := scanner{
		fsys:    in.FS,
		pattern: newPattern(r.Filter),
		recurse: r.Recursive,
		limits: scanLimits{
			files: cmp.Or(max(in.MaxFiles, 0), maxFiles),
			bytes: min(cmp.Or(max(in.MaxBytes, 0), maxBytes), math.MaxInt64-1),
			depth: cmp.Or(max(in.MaxDepth, 0), maxDepth),
		},
	}
	root, err := r.root()
	switch {
	case err != nil:
		return &Tree{}, scanError(r.Dir, err)
	case len(r.Filter) > maxName:
		return &Tree{}, scanError(r.Filter, ErrName)
	}
	root, err = find(in.FS, root)
	if err != nil {
		return &Tree{}, err
	}
	tree := s.root(root)
	return &tree, errors.Join(s.errs...)
}

// Response scans the files and returns the response to a request. On error the response has
// the files that could be read. A missing directory is not an error.
func (in *Installation) Response(m *opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	r := NewRound(m)
	tree, err := in.Scan(r)
	if e, ok := err.(*ScanError); ok && errors.Is(e, fs.ErrNotExist) { // a single error is about the directory
		err = nil
	}
	return r.Response(in.version(), tree), err
}

// Manifest scans all rounds. It returns all readable files and the errors of [Installation.Scan].
func (in *Installation) Manifest(name string) (*Manifest, error) {
	m := &Manifest{Name: name, GameVersion: in.version(), Rounds: Rounds()}
	var errs []error
	for i := range m.Rounds {
		tree, err := in.Scan(m.Rounds[i])
		m.Rounds[i].Tree = tree
		errs = append(errs, err)
	}
	return m, errors.Join(errs...)
}

func (in *Installation) version() string {
	if in.Version == "" {
		return GameVersion
	}
	return in.Version
}

// scanner reads directories and files.
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

// scanLimits are the limits of a scan.
type scanLimits struct {
	files int
	bytes int64
	depth int
}

func (s *scanner) fault(path string, err error) {
	s.full = s.full || errors.Is(err, ErrLimit)
	s.errs = append(s.errs, scanError(path, err))
}

// count counts a file or directory and reports whether it may be read.
func (s *scanner) count(path string) bool {
	if s.full {
		return false
	}
	if s.files == s.limits.files {
		s.fault(path, moreThan(ErrLimit, s.limits.files, "files and directories"))
		return false
	}
	s.files++
	return true
}

// root returns the tree of the scanned directory.
func (s *scanner) root(at string) Tree {
	for above := at; above != "."; {
		above = path.Dir(above)
		if info, err := fs.Stat(s.fsys, above); err == nil {
			s.above = append(s.above, info)
		}
	}
	return s.dir(at, 1)
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
		s.fault(at, ErrLoop)
		return tree
	case depth > s.limits.depth:
		s.fault(at, moreThan(ErrDepth, s.limits.depth, "directories"))
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
	h := New()
	n, err := io.CopyBuffer(h, io.LimitReader(f, s.limits.bytes-s.bytes+1), s.buf)
	s.bytes += n
	if err == nil && s.bytes > s.limits.bytes {
		err = moreThan(ErrLimit, s.limits.bytes, "bytes")
	}
	if err != nil {
		s.fault(name, err)
		return 0, false
	}
	return opcode.Hash(h.Sum32()), true
}

// entry is the name of a file or directory, also in Windows-1252.
type entry struct {
	name string
	text stream.Text
}

func (e *entry) hash() opcode.Hash { return TextHash(e.text) }

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
			s.fault(full, ErrName)
		case mode.IsDir():
			dirs = append(dirs, entry{e.Name(), text(e.Name())})
		case mode.IsRegular():
			files = append(files, entry{e.Name(), text(e.Name())})
		default:
			s.fault(full, ErrIrregular)
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
