package checksum

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// A Manifest lists the expected files of the game. A client without the game can answer with it.
type Manifest struct {
	Name        string
	GameVersion string // empty means the constant GameVersion
	Note        string
	Rounds      []Round // in ascending order of Index, without duplicates
}

// Round returns the round with an index, or nil.
func (m *Manifest) Round(index uint8) *Round {
	for i := range m.Rounds {
		if m.Rounds[i].Index == index {
			return &m.Rounds[i]
		}
	}
	return nil
}

// VerifyResponse compares a response with the manifest. It returns all differences in the order of
// the manifest, with unexpected files at the end of each directory. If the manifest expects files,
// a response without files gives [KindNoFiles] instead of a finding for each file. If the manifest
// has no tree for the round, any files are accepted, but a duplicate name is a finding.
func (m *Manifest) VerifyResponse(response *opcode.ChecksumResponse) []Finding {
	r := m.Round(response.Index)
	if r == nil {
		i := roundIndex(response.Index)
		if i < 0 {
			return nil
		}
		r = &Rounds()[i]
	}
	return m.verify(r, response)
}

func (m *Manifest) verify(r *Round, response *opcode.ChecksumResponse) (found []Finding) {
	got := new(Tree)
	if !response.NoFiles { // without files, the hashes have no meaning
		got = NewTree(&response.Tree)
		found = append(found, m.head(r, response)...)
	}
	return append(found, r.compare(r.Tree, got)...)
}

// head compares the fields before the tree.
func (m *Manifest) head(r *Round, response *opcode.ChecksumResponse) (found []Finding) {
	add := func(k Kind, path string, want, got opcode.Hash) {
		if want != got {
			found = append(found, Finding{r.Index, k, path, []opcode.Hash{want}, []opcode.Hash{got}})
		}
	}
	if r.Index == 0 {
		add(KindWrongVersion, m.version(), m.refHash(), response.RefHash)
	}
	add(KindWrongDir, normalize(text(r.Dir)).String(), r.DirHash(), response.DirHash)
	return found
}

func (m *Manifest) version() string {
	if m.GameVersion == "" {
		return GameVersion
	}
	return m.GameVersion
}

func (m *Manifest) refHash() opcode.Hash { return TextHash(text(m.version())) }

// Verify scans an installation and compares it with the manifest. It returns the
// differences and the errors of [Installation.Scan].
func (m *Manifest) Verify(in *Installation) ([]Finding, error) {
	var found []Finding
	var errs []error
	for i := range m.Rounds {
		r := &m.Rounds[i]
		if r.Tree == nil {
			continue
		}
		tree, err := in.Scan(*r)
		found = append(found, r.compare(r.Tree, tree)...)
		errs = append(errs, err)
	}
	return found, errors.Join(errs...)
}

// Compare returns the differences between two manifests. Files are equal if they have a
// content in common, or if one is unverified. It does not compare rounds without a tree.
func Compare(want, got *Manifest) []Finding {
	var found []Finding
	if w, g := want.refHash(), got.refHash(); w != g {
		found = append(found, Finding{0, KindWrongVersion, want.version(), []opcode.Hash{w}, []opcode.Hash{g}})
	}
	for i := range want.Rounds {
		w := &want.Rounds[i]
		g := got.Round(w.Index)
		switch {
		case g == nil || w.Tree == nil || g.Tree == nil:
		case !w.asks(g):
			found = append(found, Finding{w.Index, KindWrongDir, w.Dir, []opcode.Hash{w.DirHash()}, []opcode.Hash{g.DirHash()}})
		default:
			found = append(found, w.compare(w.Tree, g.Tree)...)
		}
	}
	return found
}

// Response answers a request, without files if the round is unknown. The error is nil.
func (m *Manifest) Response(request *opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	r := NewRound(request)
	for i := range m.Rounds {
		if known := &m.Rounds[i]; known.asks(&r) {
			return r.Response(m.version(), known.Tree), nil
		}
	}
	return r.Response(m.version(), nil), nil
}

// roundIndex returns the position of an index in the order of the rounds, or -1.
func roundIndex(index uint8) int {
	switch {
	case index < 4:
		return int(index)
	case index == Transfer:
		return 4
	}
	return -1
}

//go:embed vanilla.json
var vanilla string

// Vanilla returns a new manifest of the stock game, version 1.1. It has 136 hashes: 35 come from a
// stock client's response, and 101, all in scripts/ships, are Unverified; see Note.
func Vanilla() *Manifest {
	m, _ := LoadManifest(strings.NewReader(vanilla)) // a test checks that it is valid
	return m
}
