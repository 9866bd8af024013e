package checksum

import (
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// Kind is what a [Finding] is about.
type Kind uint8

// The kinds of findings.
const (
	KindWrongVersion Kind = iota + 1 // the version of the game differs
	KindWrongDir                     // a client has hashed another name than that of the directory
	KindNoFiles                      // there are none at all
	KindMissing                      // a file is expected and is not there
	KindMismatch                     // the content of a file differs
	KindExtra                        // a file or directory is not expected, or is there a second time
)

// String returns the kind in a word or two, "missing".
func (k Kind) String() string {
	if k < KindWrongVersion || k > KindExtra {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return [...]string{"version differs", "directory differs", "no files", "missing", "differs", "not expected"}[k-1]
}

// Finding is a difference between what is expected and what is there.
type Finding struct {
	Round uint8 // its index
	Kind  Kind

	// Path is that of the file in the installation, "scripts/ships/Galaxy.pyc". A name that
	// is not known, as of files that a client alone has, is there as its hash,
	// "scripts/ships/0x0c8a2d6f". Of KindNoFiles it ends with the filter,
	// "scripts/ships/*.pyc"; of KindWrongDir it is the directory, of KindWrongVersion the
	// version that is expected.
	Path string

	// Want and Got are the hashes of the content, or of what the Kind says, empty where
	// there is none. They belong to what was compared: do not change them.
	Want, Got []opcode.Hash
}

// String returns the finding in a line,
// "scripts/ships/Galaxy.pyc: differs: 0x11223344, want 0x3f712bbf".
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
