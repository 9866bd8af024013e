package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// size is the size of a package.
type size struct{ files, hand, generated, identifiers int }

// identifier matches a line of a file in testdata/api that has an identifier.
var identifier = regexp.MustCompile(`(?m)^(?:func|type|    [A-Z][A-Za-z0-9]* |const [A-Z]|var [A-Z])`)

// measure returns the sizes of the packages of the library below root.
func measure(root string) (map[string]size, error) {
	packages := map[string]size{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (name == "testdata" || name == "examples" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		s := packages[filepath.ToSlash(dir)]
		s.files++
		if generated(text) {
			s.generated += code(text)
		} else {
			s.hand += code(text)
		}
		packages[filepath.ToSlash(dir)] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, s := range packages {
		text, err := os.ReadFile(filepath.Join(root, "testdata", "api", strings.ReplaceAll(name, "/", "_")+".txt"))
		if err != nil {
			return nil, err
		}
		s.identifiers = len(identifier.FindAll(text, -1))
		packages[name] = s
	}
	return packages, nil
}

func total(packages map[string]size) (all size) {
	for _, s := range packages {
		all.files += s.files
		all.hand += s.hand
		all.generated += s.generated
		all.identifiers += s.identifiers
	}
	return all
}

func generated(text []byte) bool { return bytes.HasPrefix(text, []byte("// Code generated ")) }

// code returns the number of lines that are neither blank nor comments.
func code(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// documentation returns the number of lines that go doc prints about a package.
func documentation(root, name string) (int, error) {
	cmd := exec.Command("go", "doc", "-all", "./"+path.Clean(name))
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go doc: %w", err)
	}
	return bytes.Count(out, []byte("\n")), nil
}
