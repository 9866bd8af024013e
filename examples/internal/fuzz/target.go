package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// target is a fuzz target.
type target struct {
	repository string // directory
	module     string // directory of its module
	pkg        string // import path
	dir        string
	name       string
}

func (t target) String() string { return t.short() + " " + t.name }

// short returns the package without the module.
func (t target) short() string { return strings.TrimPrefix(t.pkg, "github.com/bcwire/bcwire/") }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// discover returns the targets of both modules whose package and name match.
func discover(ctx context.Context, match *regexp.Regexp) (targets []target, err error) {
	library, err := goCommand(ctx, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire")
	if err != nil {
		return nil, err
	}
	repository := strings.TrimSpace(library)
	for _, module := range []string{repository, filepath.Join(repository, "examples")} {
		list, err := goCommand(ctx, module, "list", "-f", "{{.ImportPath}} {{.Dir}}", "./...")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			pkg, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
			names, err := targetNames(dir)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if t := (target{repository, module, pkg, dir, name}); match.MatchString(t.String()) {
					targets = append(targets, t)
				}
			}
		}
	}
	if len(targets) == 0 {
		return nil, errors.New("no target matches")
	}
	return targets, nil
}

// targetNames returns the names of the targets in the test files of a directory.
func targetNames(dir string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names, nil
}
