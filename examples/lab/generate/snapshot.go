package main

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// snapshot returns the hash of each file below root, without hidden directories.
func snapshot(root string) (map[string][sha256.Size]byte, error) {
	files := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		files[filepath.ToSlash(name)] = sha256.Sum256(text)
		return err
	})
	return files, err
}

// differences returns the files that are new, changed or gone, sorted.
func differences(before, after map[string][sha256.Size]byte) []string {
	names := map[string]bool{}
	for name, hash := range after {
		if old, ok := before[name]; !ok || old != hash {
			names[name] = true
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
