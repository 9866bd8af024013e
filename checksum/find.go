package checksum

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// find returns the path on the disk of a path in any case. It prefers an exact match.
func find(fsys fs.FS, name string) (string, error) {
	if fsys == nil {
		return "", fs.ErrNotExist
	}
	at := "."
	for element := range strings.SplitSeq(name, "/") {
		next := path.Join(at, element)
		_, err := fs.Stat(fsys, next)
		if err != nil {
			next, err = findFold(fsys, at, element, err)
		}
		if err != nil {
			return "", err
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
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errIrregular
	}
	f, err := fsys.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = tooMany(max(info.Size(), int64(len(data))), "bytes", int64(most))
	}
	return data, err
}

// pattern is the filter of a round: a name, or a pattern with wildcards.
type pattern struct{ filter, lower string }

func newPattern(filter string) pattern {
	if filter == "" || filter == "*.*" { // also matches names without a dot
		filter = "*"
	}
	return pattern{filter, strings.ToLower(filter)}
}

// match reports whether a name matches as in the file search of Windows. The character *
// stands for any characters, ? for one character, and case does not count.
func (p *pattern) match(name string) bool {
	name = strings.ToLower(name)
	star, resume := -1, 0 // the last *, and the end of the name that it and the pattern before it match
	i, k := 0, 0
	for k < len(name) {
		_, size := utf8.DecodeRuneInString(name[k:])
		switch {
		case i < len(p.lower) && p.lower[i] == '*':
			star, resume = i, k
			i++
		case i < len(p.lower) && p.lower[i] == '?':
			i, k = i+1, k+size
		case i < len(p.lower) && p.lower[i] == name[k]:
			i, k = i+1, k+1
		case star >= 0:
			_, size = utf8.DecodeRuneInString(name[resume:])
			resume += size
			i, k = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(p.lower[i:], "*") == ""
}

// choose returns one file if the filter is a name, as on Windows. Of files that differ only
// in case, it prefers the exact one.
func (p *pattern) choose(files []entry) []entry {
	if len(files) < 2 || strings.ContainsAny(p.filter, "*?") {
		return files
	}
	i := slices.IndexFunc(files, func(e entry) bool { return e.name == p.filter })
	return files[max(i, 0):][:1]
}
