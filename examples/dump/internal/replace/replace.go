// Package replace creates the files that take their name when they are complete.
package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular means that a file cannot be replaced, for example because it is a directory.
var ErrNotRegular = errors.New("not a regular file")

// Temp creates a temporary file in the directory of a name. The caller writes it, and renames it to
// the name or removes it. An error has the name, not the name of the temporary file. It wraps
// [ErrNotRegular] if a directory or a device has the name.
func Temp(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &fs.PathError{Op: "create", Path: name, Err: e.Err}
	}
	return temp, err
}
