package checksum

import (
	"cmp"
	"errors"
	"io/fs"
	"math"

	"github.com/bcwire/bcwire/opcode"
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
