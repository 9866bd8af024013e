package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/bcwire/bcwire/checksum"
)

// files returns the manifest to answer from, and says where it comes from. One of a
// directory may come with an error about files that could not be read.
func (o *options) files() (m *checksum.Manifest, from string, err error) {
	switch {
	case o.dir != "":
		return scan(o.dir)
	case o.manifest != "":
		m, err = load(o.manifest)
		return m, o.manifest, err
	}
	return checksum.Vanilla(), "the bundled manifest of the unmodified game", nil
}

var errNoFiles = errors.New(`nothing of the game in it: it needs to be the directory with "scripts"`)

func scan(dir string) (*checksum.Manifest, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	installation := checksum.Installation{FS: root.FS()}
	m, err := installation.Manifest(dir)
	n := count(m)
	if n == 0 {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // which has been said
		}
		return nil, "", errors.Join(fmt.Errorf("%s: %w", dir, errNoFiles), err)
	}
	return m, fmt.Sprintf("%s, %d of them", dir, n), err
}

// count returns the number of files in a manifest.
func count(m *checksum.Manifest) (n int) {
	for i := range m.Rounds {
		if t := m.Rounds[i].Tree; t != nil {
			for range t.All() {
				n++
			}
		}
	}
	return n
}

func load(name string) (*checksum.Manifest, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := checksum.LoadManifest(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
