package checksum

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// find returns the path on the disk of a path in any case. It prefers an exact match. Its
// error is a [*ScanError].
func find(fsys fs.FS, name string) (string, error) {
	if fsys == nil {
		return "", scanError(name, fs.ErrNotExist)
	}
	at := "."
	for element := range strings.SplitSeq(name, "/") {
		next := path.Join(at, element)
		_, err := fs.Stat(fsys, next)
		if err != nil {
			next, err = findFold(fsys, at, element, err)
		}
		if err != nil {
			return "", scanError(name, err)
		}
		at = next
	}
	return at, nil
}

// findFold looks for an element in any case. It returns the error missing if there is none.
func findFold(fsys fs.FS, at, element string, missing error) (string, error) {
	entries, err := fs.ReadDir(fsys, at)
	for _, e := range entries {
		if strings.EqualFold(e.Name(), element) && e.Name() != element {
			return path.Join(at, e.Name()), nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", missing
}

// read returns the content of a regular file of at most most bytes.
func read(fsys fs.FS, name string, most int) ([]byte, error) {
	at, err := find(fsys, name)
	if err != nil {
		return nil, err
	}
	info, err := fs.Stat(fsys, at)
	switch {
	case err != nil:
		return nil, scanError(name, err)
	case !info.Mode().IsRegular():
		return nil, scanError(name, ErrIrregular)
	}
	f, err := fsys.Open(at)
	if err != nil {
		return nil, scanError(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = tooMany(max(info.Size(), int64(len(data))), "bytes", int64(most))
	}
	if err != nil {
		return nil, scanError(name, err)
	}
	return data, nil
}
