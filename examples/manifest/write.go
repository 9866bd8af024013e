package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// errNoGame means that a directory has no file that a host compares.
var errNoGame = errors.New(`no files of the game: give the directory that has "scripts"`)

// write scans an installation and writes its manifest.
func (p *program) write(dir string) error {
	m, err := p.scan(dir)
	if err != nil {
		return err
	}
	if p.name != "" {
		m.Name = p.name
	}
	var b bytes.Buffer
	if err := m.Save(terminal.JSON(&b)); err != nil {
		return err
	}
	if p.out == "" {
		_, err = p.stdout.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(p.out, b.Bytes(), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s\n", terminal.Line(p.out), terminal.Plural(count(m), "file"))
	return err
}

// scan returns the manifest of an installation. It prints an error for each file that it cannot
// read.
func (p *program) scan(dir string) (*checksum.Manifest, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file, not the directory of a game; -compare reads manifests", dir)
	}
	name := dir
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	m, err := checksum.Scan(os.DirFS(dir), checksum.Rounds())
	m.Name = name
	switch {
	case count(m) == 0 && errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", dir, errNoGame)
	case err != nil:
		p.complain(err)
		p.incomplete = true
	}
	return m, nil
}

// open returns the manifest for an argument of -compare.
func (p *program) open(name string) (*checksum.Manifest, error) {
	switch info, err := os.Stat(name); {
	case name == "-":
		return load(p.stdin, "stdin")
	case name == "vanilla":
		return checksum.Vanilla(), nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return p.scan(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return load(f, name)
}

func load(r io.Reader, name string) (*checksum.Manifest, error) {
	m, err := checksum.LoadManifest(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// count returns the number of files in a manifest.
func count(m *checksum.Manifest) (n int) {
	for i := range m.Rounds {
		for range m.Rounds[i].Tree.All() {
			n++
		}
	}
	return n
}
