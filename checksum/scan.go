package checksum

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

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
