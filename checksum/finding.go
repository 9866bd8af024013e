package checksum

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// Kind is the kind of a [Finding].
type Kind uint8

// Kinds of findings.
const (
	KindWrongVersion Kind = iota + 1 // the version of the game differs
	KindWrongDir                     // the hash of the directory differs; in Compare also the filter or Recursive
	KindNoFiles                      // files are expected, but there are none
	KindMissing                      // an expected file is missing
	KindMismatch                     // the content of a file differs
	KindExtra                        // a file or directory is unexpected or a duplicate
)

// String returns the kind in words, such as "missing".
func (k Kind) String() string {
	if k < KindWrongVersion || k > KindExtra {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return [...]string{"version differs", "directory differs", "no files", "missing", "differs", "not expected"}[k-1]
}

// A Finding is a difference between the expected and the actual files.
type Finding struct {
	Round uint8 // index of the round
	Kind  Kind

	// Path is the path of the file, such as "scripts/ships/Galaxy.pyc". An unknown name is replaced by
	// its hash, as in "scripts/ships/0x0c8a2d6f". For KindNoFiles the path ends with the filter. For
	// KindWrongDir it is the directory, for KindWrongVersion the expected version.
	Path string

	// Want and Got are the compared hashes, or nil. They alias the compared values and
	// must not be modified.
	Want, Got []opcode.Hash
}

// String returns a text such as "scripts/ships/Galaxy.pyc: differs: 0x11223344, want 0x3f712bbf".
func (f Finding) String() string {
	s := f.Path + ": " + f.Kind.String()
	switch {
	case len(f.Want) > 0 && len(f.Got) > 0:
		s += ": " + hashes(f.Got) + ", want " + hashes(f.Want)
	case len(f.Got) > 0:
		s += ": " + hashes(f.Got)
	}
	return s
}

func hashes(list []opcode.Hash) string {
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.String()
	}
	return strings.Join(texts, " or ")
}
