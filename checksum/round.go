package checksum

import (
	"strings"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// How long a host waits by default. An exchange has no clock: who drives it has.
const (
	RoundTimeout    = 30 * time.Second // for a response; the client may have to read its disk
	TransferTimeout = 5 * time.Minute  // for the acknowledgement of a file; the client asks its user
	RejectionGrace  = 5 * time.Second  // after a rejection, before the client is dismissed
)

// Transfer is the index of the last round. Files that differ there are sent to the
// client; in the others they are the end of its join.
const Transfer uint8 = 0xFF

// Round is what a host asks a client for in one request, and in a [Manifest] what it
// expects.
type Round struct {
	Index     uint8
	Dir       string // as the request spells it, "scripts/"
	Filter    string // a name or a pattern, "*.pyc"; empty means all files
	Recursive bool   // the directories below Dir, too
	Tree      *Tree  // nil: nothing is known of the files
}

// Rounds returns the five rounds of the game in their order, without trees:
//
//	index  dir                  filter        recursive
//	0      scripts/             App.pyc       no
//	1      scripts/             Autoexec.pyc  no
//	2      scripts/ships        *.pyc         yes
//	3      scripts/mainmenu     *.pyc         no
//	255    Scripts/Multiplayer  *.pyc         yes
//
// Evidence: observed.
func Rounds() []Round {
	return []Round{
		{Index: 0, Dir: "scripts/", Filter: "App.pyc"},
		{Index: 1, Dir: "scripts/", Filter: "Autoexec.pyc"},
		{Index: 2, Dir: "scripts/ships", Filter: "*.pyc", Recursive: true},
		{Index: 3, Dir: "scripts/mainmenu", Filter: "*.pyc"},
		{Index: Transfer, Dir: "Scripts/Multiplayer", Filter: "*.pyc", Recursive: true},
	}
}

// NewRound returns the round that a request asks for.
func NewRound(m *opcode.ChecksumRequest) Round {
	return Round{Index: m.Index, Dir: m.Dir.String(), Filter: m.Filter.String(), Recursive: m.Recursive}
}

// Request returns the request.
func (r *Round) Request() *opcode.ChecksumRequest {
	return &opcode.ChecksumRequest{Index: r.Index, Dir: text(r.Dir), Filter: text(r.Filter), Recursive: r.Recursive}
}

// DirHash returns the hash of the directory as a response has it: of the whole path as
// the request spells it, with slashes and without one at the end.
func (r *Round) DirHash() opcode.Hash { return TextHash(normalize(text(r.Dir))) }

// Response returns the response with the hashes of the files of a tree: without them if
// there are none. The version is that of the game, [GameVersion]; the first round alone
// has it.
func (r *Round) Response(version string, t *Tree) *opcode.ChecksumResponse {
	m := &opcode.ChecksumResponse{Index: r.Index, DirHash: r.DirHash()}
	if r.Index == 0 {
		m.RefHash = TextHash(text(version))
	}
	if t.empty() {
		m.NoFiles = true
		m.DirHash++ // so the game does
		return m
	}
	m.Tree = t.Checksums()
	return m
}

// root returns the path of the directory in the installation.
func (r *Round) root() (string, error) {
	dir, err := stream.NewText(r.Dir)
	if err != nil {
		return "", ErrName
	}
	return LocalPath(normalize(dir))
}

// asks says whether two rounds ask for the same files.
func (r *Round) asks(other *Round) bool {
	a, b := normalize(text(r.Dir)), normalize(text(other.Dir))
	return strings.EqualFold(a.String(), b.String()) &&
		strings.EqualFold(r.Filter, other.Filter) && r.Recursive == other.Recursive
}
