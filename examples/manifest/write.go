package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/gamefiles"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

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
	return p.scanned(gamefiles.Scan(dir))
}

// scanned prints an error about files of a manifest that could not be read.
func (p *program) scanned(m *checksum.Manifest, err error) (*checksum.Manifest, error) {
	if m == nil || err == nil {
		return m, err
	}
	p.complain(err)
	p.incomplete = true
	return m, nil
}

// open returns the manifest for an argument of -compare.
func (p *program) open(name string) (*checksum.Manifest, error) {
	switch name {
	case "-":
		return gamefiles.Load(p.stdin, "stdin")
	case "vanilla":
		return checksum.Vanilla(), nil
	}
	return p.scanned(gamefiles.Open(name))
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
