package checksum

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// entry is the name of a file or directory, also in Windows-1252.
type entry struct {
	name string
	text stream.Text
}

func (e *entry) hash() opcode.Hash { return TextHash(e.text) }

// list returns the files that match the filter and the directories to scan, both sorted.
func (s *scanner) list(at string) (files, dirs []entry) {
	entries, err := fs.ReadDir(s.fsys, at)
	if err != nil {
		s.fault(at, err)
	}
	for _, e := range entries {
		wanted := s.pattern.match(e.Name())
		if !wanted && !s.recurse {
			continue
		}
		full := path.Join(at, e.Name())
		mode, err := s.mode(full, e)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !wanted: // a broken link
		case err != nil:
			s.fault(full, err)
		case mode.IsDir() && !s.recurse, !mode.IsDir() && !wanted:
		case checkName(e.Name()) != nil:
			s.fault(full, ErrName)
		case mode.IsDir():
			dirs = append(dirs, entry{e.Name(), text(e.Name())})
		case mode.IsRegular():
			files = append(files, entry{e.Name(), text(e.Name())})
		default:
			s.fault(full, ErrIrregular)
		}
	}
	slices.SortFunc(dirs, compareEntries)
	slices.SortFunc(files, compareEntries)
	return s.pattern.choose(files), dirs
}

// mode returns the type of an entry. It follows links.
func (s *scanner) mode(full string, e fs.DirEntry) (fs.FileMode, error) {
	if e.IsDir() || e.Type().IsRegular() {
		return e.Type(), nil
	}
	info, err := fs.Stat(s.fsys, full)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

func compareEntries(a, b entry) int { return bytes.Compare(a.text, b.text) }
