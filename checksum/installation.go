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
	MaxFiles = 12 << 10  // a response has no room for more
	MaxBytes = 256 << 20 // of all files together
)

// Installation is the game on a disk, or what a program takes for it: for a client who
// answers with the files that are there, and to make a manifest of.
//
// Links are followed. To keep to a directory, wherever links lead, take the FS of an
// [os.Root].
type Installation struct {
	FS       fs.FS  // its root is the directory that has "scripts" in it
	Version  string // of the game; empty means GameVersion
	MaxFiles int    // files and directories in a scan; <= 0 means MaxFiles
	MaxBytes int64  // of the files in a scan; <= 0 means MaxBytes
	MaxDepth int    // of directories in a scan; <= 0 means 16
}

// Scan returns the hashes of the files that a round asks for, sorted by their names as
// bytes; directories without such files are left out. Names on the disk are found
// whatever their case, as on Windows, and hashed as they are spelled there.
//
// What cannot be read is missing in the tree: the error joins a [*ScanError] for each; it is
// [fs.ErrNotExist] if there is no directory of that name at all. A limit ends the scan.
func (in *Installation) Scan(r Round) (*Tree, error) {
	s := scanner{
		fsys:    in.FS,
		pattern: newPattern(r.Filter),
		recurse: r.Recursive,
		limits: scanLimits{
			files: cmp.Or(max(in.MaxFiles, 0), MaxFiles),
			bytes: min(cmp.Or(max(in.MaxBytes, 0), MaxBytes), math.MaxInt64-1),
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

// Response scans and returns the response to a request. There is always one: with an
// error, it is for the files that could be read. That there is no such directory is no
// error.
func (in *Installation) Response(m *opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	r := NewRound(m)
	tree, err := in.Scan(r)
	if e, ok := err.(*ScanError); ok && errors.Is(e, fs.ErrNotExist) { // alone, it is the directory
		err = nil
	}
	return r.Response(in.version(), tree), err
}

// Manifest scans all rounds and returns the manifest of what is there. With an error it
// is for the files that could be read; the error joins a [*ScanError] for each of the
// others.
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
