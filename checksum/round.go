package checksum

import (
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// transfer is the index of the last round. In this round, the host sends the files that differ.
const transfer uint8 = 0xFF

// A Round is a request for the hashes of files. In a [Manifest], it has the expected files.
type Round struct {
	Index     uint8
	Dir       string // as in the request: "scripts/"
	Filter    string // name or pattern such as "*.pyc"; empty means all files
	Recursive bool   // includes subdirectories
	Tree      *Tree  // nil if the files are unknown
}

// Rounds returns the five rounds of the game in order, without trees:
//
//	index  dir                  filter        recursive
//	0      scripts/             App.pyc       no
//	1      scripts/             Autoexec.pyc  no
//	2      scripts/ships        *.pyc         yes
//	3      scripts/mainmenu     *.pyc         no
//	255    Scripts/Multiplayer  *.pyc         yes
//
// A response has the hash of Dir, with slashes as separators and without a trailing slash. The
// case counts.
func Rounds() []Round {
	return []Round{
		{Index: 0, Dir: "scripts/", Filter: "App.pyc"},
		{Index: 1, Dir: "scripts/", Filter: "Autoexec.pyc"},
		{Index: 2, Dir: "scripts/ships", Filter: "*.pyc", Recursive: true},
		{Index: 3, Dir: "scripts/mainmenu", Filter: "*.pyc"},
		{Index: transfer, Dir: "Scripts/Multiplayer", Filter: "*.pyc", Recursive: true},
	}
}

// roundNumber returns the position of an index in the order of the rounds, or -1.
func roundNumber(index uint8) int {
	switch {
	case index < 4:
		return int(index)
	case index == transfer:
		return 4
	}
	return -1
}

// newRound returns the round of a request.
func newRound(m *opcode.ChecksumRequest) Round {
	return Round{Index: m.Index, Dir: m.Dir.String(), Filter: m.Filter.String(), Recursive: m.Recursive}
}

func (r *Round) request() *opcode.ChecksumRequest {
	return &opcode.ChecksumRequest{Index: r.Index, Dir: text(r.Dir), Filter: text(r.Filter), Recursive: r.Recursive}
}

// response returns the response with the hashes of a tree. Only the first round contains the hash
// of the version.
func (r *Round) response(version opcode.Hash, t *Tree) *opcode.ChecksumResponse {
	m := &opcode.ChecksumResponse{Index: r.Index, DirHash: r.dirHash()}
	if r.Index == 0 {
		m.RefHash = version
	}
	if !t.empty() {
		m.Tree = t.checksums(1)
	}
	return m
}

// dir returns Dir in the form that is hashed.
func (r *Round) dir() stream.Text { return normalize(text(r.Dir)) }

func (r *Round) dirHash() opcode.Hash { return textHash(r.dir()) }

// path returns the directory and the filter, such as "scripts/ships/*.pyc".
func (r *Round) path() string { return below(r.dir().String(), r.Filter) }

// root returns the path of Dir in the installation.
func (r *Round) root() (string, error) {
	dir, err := stream.NewText(r.Dir)
	if err != nil {
		return "", nameError{}
	}
	return LocalPath(normalize(dir))
}

// asks reports whether two rounds request the same files.
func (r *Round) asks(other *Round) bool {
	return strings.EqualFold(r.dir().String(), other.dir().String()) &&
		strings.EqualFold(r.Filter, other.Filter) && r.Recursive == other.Recursive
}
