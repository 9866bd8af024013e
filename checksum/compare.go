package checksum

import (
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

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
	c.tree(normalize(text(r.Dir)).String(), want, got, 1)
	return c.found
}

// path returns the directory and the filter, such as "scripts/ships/*.pyc".
func (r *Round) path() string { return below(normalize(text(r.Dir)).String(), r.Filter) }

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
