package checksum

import (
	"fmt"
	"slices"
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

// String returns a text such as "scripts/ships/Akira.pyc: differs: 0x11223344, want 0xccd37170".
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

// Compare returns the differences between two manifests. Files are equal if they have a
// content in common, or if one is unverified. It does not compare rounds without a tree. If
// a round lacks all files, [KindNoFiles] is the only finding of the round. An additional directory
// is one finding, or none without files.
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
			found = append(found, Finding{w.Index, KindWrongDir, w.Dir, []opcode.Hash{w.dirHash()}, []opcode.Hash{g.dirHash()}})
		default:
			found = append(found, w.compare(w.Tree, g.Tree)...)
		}
	}
	return found
}

// VerifyResponse compares a response with the manifest. It returns all differences in the order of
// the manifest, with unexpected files at the end of each directory. If the manifest expects files,
// a response without files gives [KindNoFiles] instead of a finding for each file. If the manifest
// has no tree for the round, any files are accepted, but a duplicate name is a finding.
func (m *Manifest) VerifyResponse(response *opcode.ChecksumResponse) []Finding {
	i := roundNumber(response.Index)
	if i < 0 {
		return nil
	}
	return m.verify(&m.all()[i], response)
}

func (m *Manifest) verify(r *Round, response *opcode.ChecksumResponse) (found []Finding) {
	var got Tree
	if !response.NoFiles { // without files, the hashes have no meaning
		got = newTree(&response.Tree, 1)
		found = append(found, m.head(r, response)...)
	}
	return append(found, r.compare(r.Tree, &got)...)
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
	add(KindWrongDir, r.dir().String(), r.dirHash(), response.DirHash)
	return found
}

// comparison collects the differences between two trees of a round.
type comparison struct {
	round uint8
	found []Finding
}

// compare returns the differences between two trees of the round. If want is nil, only
// duplicate names differ.
func (r *Round) compare(want, got *Tree) []Finding {
	if want != nil && got.empty() && !want.empty() {
		return []Finding{{Round: r.Index, Kind: KindNoFiles, Path: r.path()}}
	}
	return r.compareEach(want, got)
}

// compareEach is compare, but reports every missing file if got is empty.
func (r *Round) compareEach(want, got *Tree) []Finding {
	c := comparison{round: r.Index}
	c.tree(r.dir().String(), want, got, 1)
	return c.found
}

func (c *comparison) add(k Kind, path string, want, got []opcode.Hash) {
	if len(c.found) == cap(c.found) { // doubles, because a peer may make it long
		c.found = slices.Grow(c.found, max(4, len(c.found)))
	}
	c.found = append(c.found, Finding{Round: c.round, Kind: k, Path: path, Want: want, Got: got})
}

func (c *comparison) tree(at string, want, got *Tree, depth int) {
	if depth > maxDepth {
		return
	}
	wanted := new(Tree)
	if want != nil {
		wanted = want
	}
	c.files(at, wanted, got, want != nil)
	wantDirs, gotDirs := index(wanted.Dirs, dirName), index(got.Dirs, dirName)
	for i := range wanted.Dirs {
		w, sub := &wanted.Dirs[i], new(Tree)
		if g := gotDirs[w.NameHash]; g != nil {
			sub = &g.Tree
		}
		c.tree(below(at, w.label()), &w.Tree, sub, depth+1)
	}
	for i := range got.Dirs {
		g := &got.Dirs[i]
		name := below(at, g.label())
		switch {
		case gotDirs[g.NameHash] != g:
			c.add(KindExtra, name, nil, nil)
		case want == nil:
			c.tree(name, nil, &g.Tree, depth+1)
		case wantDirs[g.NameHash] == nil && !g.Tree.empty():
			c.add(KindExtra, name, nil, nil)
		}
	}
}

// files compares the files of a directory. If known is false, any file is expected.
func (c *comparison) files(at string, want, got *Tree, known bool) {
	wanted, have := index(want.Files, fileName), index(got.Files, fileName)
	for i := range want.Files {
		w := &want.Files[i]
		switch g := have[w.NameHash]; {
		case g == nil:
			c.add(KindMissing, below(at, w.label()), w.sure(), nil)
		case !w.agrees(g):
			c.add(KindMismatch, below(at, w.label()), w.Content, g.Content)
		}
	}
	for i := range got.Files {
		g := &got.Files[i]
		if have[g.NameHash] != g || known && wanted[g.NameHash] == nil {
			c.add(KindExtra, below(at, g.label()), nil, g.Content)
		}
	}
}

// sure returns the content that a file must have, or nil if it is unverified.
func (f *File) sure() []opcode.Hash {
	if f.Unverified {
		return nil
	}
	return f.Content
}

func fileName(f *File) opcode.Hash { return f.NameHash }
func dirName(d *Dir) opcode.Hash   { return d.NameHash }

// index returns the elements of a list by name hash. The first of several duplicates
// counts.
func index[E any](list []E, name func(*E) opcode.Hash) map[opcode.Hash]*E {
	m := make(map[opcode.Hash]*E, len(list))
	for i := range list {
		if h := name(&list[i]); m[h] == nil {
			m[h] = &list[i]
		}
	}
	return m
}
