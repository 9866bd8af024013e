package checksum

import (
	"errors"

	"github.com/bcwire/bcwire/opcode"
)

// Manifest is what the files of the game should be.
//
// It is a stand-in for an installation, too: a client without one answers from it.
type Manifest struct {
	Name        string
	GameVersion string // empty means the constant GameVersion
	Note        string
	Rounds      []Round // in ascending order of their indices, each once
}

// Round returns the round with an index, nil if it is not in the manifest.
func (m *Manifest) Round(index uint8) *Round {
	for i := range m.Rounds {
		if m.Rounds[i].Index == index {
			return &m.Rounds[i]
		}
	}
	return nil
}

// VerifyResponse compares a response with the manifest. It returns all that is different,
// in the order of the manifest and, in each directory, with what is not expected at the
// end; nil if nothing is. [Policy.Rejects] decides what matters.
//
// A response without any file is one finding, [KindNoFiles]. Of a round that is not in the
// manifest, or has no tree, nothing is expected but one name for each file.
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
	if !response.NoFiles { // else the hashes are of no account
		got = NewTree(&response.Tree)
		found = append(found, m.head(r, response)...)
	}
	return append(found, r.compare(r.Tree, got)...)
}

// head compares what comes before the tree.
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

// Verify scans an installation and compares it with the manifest. It returns what is
// different, and the errors of [Installation.Scan].
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

// Compare returns what is different in two manifests, where want is what is expected and
// got what is there. Files are alike if they have a content in common, or if it is
// doubtful in one of them; rounds, if one of them knows nothing of the files.
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

// Response returns the response to a request for files that are in the manifest, and one
// without files to any other. It does not fail.
func (m *Manifest) Response(request *opcode.ChecksumRequest) (*opcode.ChecksumResponse, error) {
	r := NewRound(request)
	for i := range m.Rounds {
		if known := &m.Rounds[i]; known.asks(&r) {
			return r.Response(m.version(), known.Tree), nil
		}
	}
	return r.Response(m.version(), nil), nil
}

// roundIndex returns the place of an index in the order of the rounds, -1 if there is no
// such round.
func roundIndex(index uint8) int {
	switch {
	case index < 4:
		return int(index)
	case index == Transfer:
		return 4
	}
	return -1
}
