package checksum

import (
	"iter"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// maxDepth limits the depth of trees, as in package opcode. The files of the game have
// depth 3.
const maxDepth = opcode.MaxDepth

// A Tree contains the hashes of the files in a directory, and the names that are known.
type Tree struct {
	Files []File
	Dirs  []Dir
}

// A File is a file in a [Tree].
type File struct {
	Name     string        // empty if unknown
	NameHash opcode.Hash   // [StringHash] of Name in Windows-1252
	Content  []opcode.Hash // accepted hashes; several in a manifest for several builds

	// Unverified means that Content is uncertain. Other content is not a difference.
	Unverified bool
}

// A Dir is a directory in a [Tree].
type Dir struct {
	Name     string // empty if unknown
	NameHash opcode.Hash
	Tree     Tree
}

// newTree returns the tree of a response, or of its directory at a depth.
func newTree(t *opcode.ChecksumTree, depth int) (tree Tree) {
	if depth > maxDepth {
		return tree // a decoded response is never this deep
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

// checksums returns the tree for a response, with the first Content of each file.
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
		if depth <= maxDepth { // one level too many, which the encoder refuses
			d.Tree = t.Dirs[i].Tree.checksums(depth + 1)
		}
		tree.Dirs = append(tree.Dirs, d)
	}
	return tree
}

// All iterates over all files of the tree and their paths in it. An unknown name is
// replaced by its hash, such as "0xe9dd9fa2".
func (t *Tree) All() iter.Seq2[string, *File] {
	return func(yield func(string, *File) bool) {
		if t != nil {
			t.walk("", 1, yield)
		}
	}
}

// walk reports whether to continue.
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

// empty reports whether the tree has no files at any depth.
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

// agrees reports whether two files may have the same content.
func (f *File) agrees(other *File) bool {
	return f.Unverified || other.Unverified ||
		slices.ContainsFunc(f.Content, func(h opcode.Hash) bool { return slices.Contains(other.Content, h) })
}
