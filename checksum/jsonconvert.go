package checksum

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
)

func (j *manifestJSON) manifest() (*Manifest, error) {
	if j.Schema != schema {
		return nil, bad("schema", fmt.Errorf("%.80q, must be %q", j.Schema, schema))
	}
	m := &Manifest{Name: j.Name, GameVersion: j.GameVersion, Note: j.Note}
	if want := m.refHash(); j.RefHash != nil && opcode.Hash(*j.RefHash) != want {
		return nil, bad("ref_hash", fmt.Errorf("must be %v, the hash of game_version", want))
	}
	for i := range j.Rounds {
		r, err := j.Rounds[i].round()
		if err != nil {
			return nil, bad(fmt.Sprintf("round %d", r.Index), err)
		}
		m.Rounds = append(m.Rounds, r)
	}
	return m, nil
}

func (j *roundJSON) round() (Round, error) {
	r := Round{Index: j.Index, Dir: j.Dir, Filter: j.Filter, Recursive: j.Recursive}
	if want := r.DirHash(); j.DirHash != nil && opcode.Hash(*j.DirHash) != want {
		return r, fmt.Errorf("dir_hash must be %[2]v, the hash of dir %.80[1]q", r.Dir, want)
	}
	if j.Tree == nil {
		return r, nil
	}
	tree, err := j.Tree.tree(1)
	r.Tree = &tree
	return r, err
}

func (j *treeJSON) tree(depth int) (t Tree, err error) {
	if depth > maxDepth {
		return t, moreThan(ErrDepth, maxDepth, "directories")
	}
	for _, f := range j.Files {
		file := File{Name: f.Name, Unverified: f.Verified != nil && !*f.Verified}
		if file.NameHash, err = f.NameHash.fill(f.Name); err != nil {
			return t, fmt.Errorf("%.80q: %w", f.Name, err)
		}
		for _, h := range f.ContentHash {
			file.Content = append(file.Content, opcode.Hash(h))
		}
		t.Files = append(t.Files, file)
	}
	for i := range j.Dirs {
		d := &j.Dirs[i]
		dir := Dir{Name: d.Name}
		if dir.NameHash, err = d.NameHash.fill(d.Name); err != nil {
			return t, fmt.Errorf("%.80q: %w", d.Name, err)
		}
		if dir.Tree, err = d.tree(depth + 1); err != nil {
			return t, err
		}
		t.Dirs = append(t.Dirs, dir)
	}
	return t, nil
}

func (m *Manifest) json() *manifestJSON {
	ref := hashJSON(m.refHash())
	j := &manifestJSON{
		Schema: schema, Name: m.Name, GameVersion: m.version(), RefHash: &ref, Note: m.Note,
		Rounds: []roundJSON{},
	}
	for i := range m.Rounds {
		r := &m.Rounds[i]
		hash := hashJSON(r.DirHash())
		round := roundJSON{r.Index, r.Dir, r.Filter, r.Recursive, &hash, nil}
		if r.Tree != nil {
			tree := r.Tree.json()
			round.Tree = &tree
		}
		j.Rounds = append(j.Rounds, round)
	}
	return j
}

func (t *Tree) json() treeJSON {
	j := treeJSON{Files: []fileJSON{}, Dirs: []dirJSON{}}
	for i := range t.Files {
		f := &t.Files[i]
		name, verified := hashJSON(f.NameHash), !f.Unverified
		file := fileJSON{f.Name, &name, nil, &verified}
		for _, h := range f.Content {
			file.ContentHash = append(file.ContentHash, hashJSON(h))
		}
		j.Files = append(j.Files, file)
	}
	for i := range t.Dirs {
		d := &t.Dirs[i]
		name := hashJSON(d.NameHash)
		j.Dirs = append(j.Dirs, dirJSON{d.Name, &name, d.Tree.json()})
	}
	return j
}
