package opcode

import (
	"errors"
	"fmt"

	"github.com/bcwire/bcwire/stream"
)

// Hash is a hash of a name or of a file's content.
type Hash uint32

// String returns "0x7e0ce243".
func (h Hash) String() string { return fmt.Sprintf("0x%08x", uint32(h)) }

// ErrDepth says that a [ChecksumTree] is nested deeper than [MaxDepth].
var ErrDepth = errors.New("nested deeper than 16 directories")

// MaxDepth is how deep a [ChecksumTree] may be nested, itself included. The game's files
// need three.
const MaxDepth = 16

// ChecksumResponse answers a [ChecksumRequest] with the hashes of the client's files.
//
//	offset  size  field
//	0       1     0x21
//	1       1     Index of the request
//	2       4     RefHash of the game's version, if Index is 0
//	2, 6    4     DirHash, unless NoDirHash
//	6, 10   n     Tree, unless NoFiles
//
// A client without such files builds a response without a tree. Its DirHash is the hash of
// the directory plus 1 then, or missing if Index is 0. The published code does not send that
// response, so a host should be prepared for silence. Responses of many files come in
// fragments.
//
// Evidence: observed; documented (B) without a tree, by the engine's code of the client,
// FUN_006a5df0. Engine name: CHECKSUM.
type ChecksumResponse struct {
	Index     uint8
	RefHash   Hash
	DirHash   Hash
	NoDirHash bool // of Index 0: the payload ends after RefHash; NoFiles, too
	NoFiles   bool // the payload ends before Tree
	Tree      ChecksumTree
}

// ChecksumTree holds the hashes of the files of a directory and of those below it.
//
//	offset  size  field
//	0       2+8n  Files after their number
//	2+8n    1+m   Dirs after their number, first the names of all, then the trees of all
type ChecksumTree struct {
	Files []FileChecksum
	Dirs  []DirChecksum
}

// FileChecksum is a file of a [ChecksumTree].
type FileChecksum struct{ NameHash, ContentHash Hash }

// DirChecksum is a directory in a [ChecksumTree].
type DirChecksum struct {
	NameHash Hash
	Tree     ChecksumTree
}

func (*ChecksumResponse) authorize(*authority) {}

// Walk implements [Message].
func (m *ChecksumResponse) Walk(c *stream.Codec) {
	c.Field("Index").Uint8(&m.Index)
	if m.Index == 0 {
		m.RefHash.walk(c.Field("RefHash"))
		if c.Decoding() {
			m.NoDirHash = c.Remaining() == 0
		}
	}
	if m.Index != 0 || !m.NoDirHash {
		m.DirHash.walk(c.Field("DirHash"))
	}
	if c.Decoding() {
		m.NoFiles = c.Remaining() == 0
	}
	if m.NoFiles || m.Index == 0 && m.NoDirHash {
		stream.Resize(c, &m.Tree.Files, 0)
		stream.Reuse(c, &m.Tree.Dirs, 0)
		return
	}
	c.Group("Tree")
	m.Tree.walk(c, 1)
	c.End()
}

// MaxKeptTree is the size in bytes of the lists that decoding into a ChecksumResponse reuses.
// Decoding drops the lists of a larger tree, because a peer that sends other trees each time
// would make them grow for ever.
const MaxKeptTree = 64 << 10

// reset clears the message and keeps the memory of its tree, up to MaxKeptTree.
func (m *ChecksumResponse) reset() {
	if m.Tree.memory(MaxKeptTree) > MaxKeptTree {
		m.Tree = ChecksumTree{}
	}
	*m = ChecksumResponse{Tree: m.Tree}
}

// memory returns how many bytes all lists take, with what they have room for. It stops
// when that is more than most.
func (t *ChecksumTree) memory(most int) int {
	const file, dir = 8, 56
	dirs := t.Dirs[:cap(t.Dirs)]
	n := file*cap(t.Files) + dir*len(dirs)
	for i := 0; i < len(dirs) && n <= most; i++ {
		n += dirs[i].Tree.memory(most - n)
	}
	return n
}

func (h *Hash) walk(c *stream.Codec) {
	c.Uint32((*uint32)(h))
	stream.Show(c, *h)
}

func (t *ChecksumTree) walk(c *stream.Codec, depth int) {
	if depth > MaxDepth {
		c.Fail(ErrDepth)
		return
	}
	n := c.Field("Files").Count16(len(t.Files), 8)
	stream.Resize(c, &t.Files, n)
	for i := range n {
		c.Element("Files", i)
		t.Files[i].NameHash.walk(c.Field("NameHash"))
		t.Files[i].ContentHash.walk(c.Field("ContentHash"))
		c.End()
	}
	const leastDir = 4 + 2 + 1 // the name and an empty tree
	n = c.Field("Dirs").Count8(len(t.Dirs), leastDir)
	stream.Reuse(c, &t.Dirs, n)
	for i := range n {
		c.Element("Dirs", i)
		t.Dirs[i].NameHash.walk(c.Field("NameHash"))
		c.End()
	}
	for i := range n {
		c.Element("Dirs", i)
		c.Group("Tree")
		t.Dirs[i].Tree.walk(c, depth+1)
		c.End()
		c.End()
	}
}
