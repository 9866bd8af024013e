package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// target is a fuzz target.
type target struct {
	module string // directory of its module
	pkg    string // import path
	dir    string
	name   string
}

func (t target) String() string { return t.short() + " " + t.name }

// short returns the package without the module.
func (t target) short() string { return strings.TrimPrefix(t.pkg, "github.com/bcwire/bcwire/") }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// discover returns the targets of both modules whose package and name match.
func discover(ctx context.Context, match *regexp.Regexp) (targets []target, err error) {
	list, err := goCommand(ctx, ".", "list", "-f", "{{.Module.Dir}}\t{{.ImportPath}}\t{{.Dir}}", "github.com/bcwire/bcwire/...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		column := strings.Split(strings.TrimSpace(line), "\t")
		names, err := targetNames(column[2])
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if t := (target{column[0], column[1], column[2], name}); match.MatchString(t.String()) {
				targets = append(targets, t)
			}
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("-run %s: no target matches", match)
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
