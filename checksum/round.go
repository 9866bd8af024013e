package checksum

import (
	"strings"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Default timeouts of a host.
const (
	RoundTimeout    = 30 * time.Second // for a response; the client may read its disk
	TransferTimeout = 5 * time.Minute  // for the acknowledgement of a file; the client may ask its user
	RejectionGrace  = 5 * time.Second  // after a rejection, before the host disconnects the client
)

// Transfer is the index of the last round. In this round, the host sends the files that differ.
const Transfer uint8 = 0xFF

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
func Rounds() []Round {
	return []Round{
		{Index: 0, Dir: "scripts/", Filter: "App.pyc"},
		{Index: 1, Dir: "scripts/", Filter: "Autoexec.pyc"},
		{Index: 2, Dir: "scripts/ships", Filter: "*.pyc", Recursive: true},
		{Index: 3, Dir: "scripts/mainmenu", Filter: "*.pyc"},
		{Index: Transfer, Dir: "Scripts/Multiplayer", Filter: "*.pyc", Recursive: true},
	}
}

// NewRound returns the round of a request.
func NewRound(m *opcode.ChecksumRequest) Round {
	return Round{Index: m.Index, Dir: m.Dir.String(), Filter: m.Filter.String(), Recursive: m.Recursive}
}

// Request returns the request for the round.
func (r *Round) Request() *opcode.ChecksumRequest {
	return &opcode.ChecksumRequest{Index: r.Index, Dir: text(r.Dir), Filter: text(r.Filter), Recursive: r.Recursive}
}

// DirHash returns the hash of Dir in a response with files. It hashes Dir with slashes as separators
// and without a trailing slash, and keeps the case.
func (r *Round) DirHash() opcode.Hash { return TextHash(normalize(text(r.Dir))) }

// Response returns the response with the hashes of a tree. If the tree has no files, the response
// has no tree, and its DirHash is 1 higher than r.DirHash(), in every round. Only the first round
// contains the hash of the version.
func (r *Round) Response(version string, t *Tree) *opcode.ChecksumResponse {
	m := &opcode.ChecksumResponse{Index: r.Index, DirHash: r.DirHash()}
	if r.Index == 0 {
		m.RefHash = TextHash(text(version))
	}
	if t.empty() {
		m.NoFiles = true
		m.DirHash++ // as in the engine's code, which has no DirHash in round 0
		return m
	}
	m.Tree = t.Checksums()
	return m
}

// root returns the path of Dir in the installation.
func (r *Round) root() (string, error) {
	dir, err := stream.NewText(r.Dir)
	if err != nil {
		return "", ErrName
	}
	return localPath(normalize(dir))
}

// asks reports whether two rounds request the same files.
func (r *Round) asks(other *Round) bool {
	a, b := normalize(text(r.Dir)), normalize(text(other.Dir))
	return strings.EqualFold(a.String(), b.String()) &&
		strings.EqualFold(r.Filter, other.Filter) && r.Recursive == other.Recursive
}
