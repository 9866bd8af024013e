package checksum

import (
	"iter"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// maxDepth is how deep trees may be nested, as in package opcode. The game's files need
// three.
const maxDepth = opcode.MaxDepth

// Tree is a directory with the hashes of its files, and with their names where they are
// known: of a scan, of a manifest, or of a client, who sends no names.
type Tree struct {
	Files []File
	Dirs  []Dir
}

// File is a file of a [Tree].
type File struct {
	Name     string        // empty: not known
	NameHash opcode.Hash   // of Name, as [TextHash] has it
	Content  []opcode.Hash // what its content may be; more than one in a manifest of several builds

	// Unverified says that Content is doubtful, so that other content is not held against
	// a client.
	Unverified bool
}

// Dir is a directory in a [Tree].
type Dir struct {
	Name     string // empty: not known
	NameHash opcode.Hash
	Tree     Tree
}

// NewTree returns the tree of a response.
func NewTree(t *opcode.ChecksumTree) *Tree {
	tree := newTree(t, 1)
	return &tree
}

func newTree(t *opcode.ChecksumTree, depth int) (tree Tree) {
	if depth > maxDepth {
		return tree // such a response does not decode
	}
	contents := make([]opcode.Hash, len(t.Files))
	tree.Files = slices.Grow(tree.Files, len(t.Files))
	for i, f := range t.Files {
		contents[i] = f.ContentHash
		tree.Files = append(tree.Files, File{NameHash: f.NameHash, Content: contents[i : i+1 : i+1]})
	}
	tree.Dirs = slices.Grow(tree.Dirs, len(t.Dirs))
	for i := range t.Dirs {
		d := &t.Dirs[i]
		tree.Dirs = append(tree.Dirs, Dir{NameHash: d.NameHash, Tree: newTree(&d.Tree, depth+1)})
	}
	return tree
}

// Checksums returns the tree as it is sent. Of several contents the first is.
func (t *Tree) Checksums() opcode.ChecksumTree { return t.checksums(1) }

func (t *Tree) checksums(depth int) (tree opcode.ChecksumTree) {
	for i := range t.Files {
		sum := opcode.FileChecksum{NameHash: t.Files[i].NameHash}
		if len(t.Files[i].Content) > 0 {
			sum.ContentHash = t.Files[i].Content[0]
		}
		tree.Files = append(tree.Files, sum)
	}
	for i := range t.Dirs {
		d := opcode.DirChecksum{NameHash: t.Dirs[i].NameHash}
		if depth <= maxDepth { // one more than can be sent: refused when it is
			d.Tree = t.Dirs[i].Tree.checksums(depth + 1)
		}
		tree.Dirs = append(tree.Dirs, d)
	}
	return tree
}

// All iterates over the files of the tree and the directories below it, with their paths in the tree,
// without the directory of the round.
// An element whose name is not known is in its path as its hash, "0xe9dd9fa2".
func (t *Tree) All() iter.Seq2[string, *File] {
	return func(yield func(string, *File) bool) {
		if t != nil {
			t.walk("", 1, yield)
		}
	}
}

// walk returns whether to go on.
func (t *Tree) walk(at string, depth int, yield func(string, *File) bool) bool {
	if depth > maxDepth {
		return true
	}
	for i := range t.Files {
		if f := &t.Files[i]; !yield(below(at, f.label()), f) {
			return false
		}
	}
	for i := range t.Dirs {
		if d := &t.Dirs[i]; !d.Tree.walk(below(at, d.label()), depth+1, yield) {
			return false
		}
	}
	return true
}

// empty says whether there are no files, at any depth.
func (t *Tree) empty() bool {
	for range t.All() {
		return false
	}
	return true
}

func (f *File) label() string { return label(f.Name, f.NameHash) }
func (d *Dir) label() string  { return label(d.Name, d.NameHash) }

func label(name string, hash opcode.Hash) string {
	if name == "" {
		return hash.String()
	}
	return name
}

// agrees says whether two files may be the same.
func (f *File) agrees(other *File) bool {
	return f.Unverified || other.Unverified ||
		slices.ContainsFunc(f.Content, func(h opcode.Hash) bool { return slices.Contains(other.Content, h) })
}
