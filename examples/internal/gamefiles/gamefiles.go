// Package gamefiles reads the hashes of the game's files.
package gamefiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bcwire/bcwire/checksum"
)

// errNoGame means that a directory has no file that a host compares.
var errNoGame = errors.New(`no files of the game: give the directory that has "scripts"`)

// Open returns the manifest in a file, or that of an installation of the game in a directory; see [Scan].
func Open(name string) (*checksum.Manifest, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Scan(name)
	}
	return Load(f, name)
}

// Scan returns the manifest of an installation of the game. If some files cannot be read, it returns the manifest of the
// others with an error.
func Scan(dir string) (*checksum.Manifest, error) {
	name := dir
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	m, err := checksum.Scan(os.DirFS(dir), checksum.Rounds())
	m.Name = name
	for i := range m.Rounds {
		for range m.Rounds[i].Tree.All() {
			return m, err
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, errNoGame)
	}
	return m, err
}

// Load reads a manifest with a name for errors.
func Load(r io.Reader, name string) (*checksum.Manifest, error) {
	m, err := checksum.LoadManifest(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
