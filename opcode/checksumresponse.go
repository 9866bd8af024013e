package opcode

import (
	"fmt"

	"github.com/bcwire/bcwire/stream"
)

// Hash is the hash of a name or of the content of a file.
type Hash uint32

// String returns "0x7e0ce243".
func (h Hash) String() string { return fmt.Sprintf("0x%08x", uint32(h)) }

// depthError is a [stream.ErrLimit] of nested directories.
type depthError string

const errDepth depthError = "nested deeper than 16 directories"

func (e depthError) Error() string { return string(e) }
func (depthError) Unwrap() error   { return stream.ErrLimit }

// MaxDepth is the maximum depth of a [ChecksumTree], including its root. The game's files need 3.
const MaxDepth = 16

// ChecksumResponse sends the hashes of the client's files to the host; it answers a [ChecksumRequest].
//
//	offset  size  field
//	0       1     0x21
//	1       1     Index of the request
//	2       4     RefHash of the game's version, if Index is 0
//	2, 6    4     DirHash, unless NoDirHash
//	6, 10   n     Tree, unless NoFiles
//
// If no file of the client matches the request, the engine does not answer: it builds a response
// without Tree, whose DirHash is the directory's hash plus 1, or missing if Index is 0, and discards
// it. A client of package checksum answers with an empty Tree.
type ChecksumResponse struct {
	Index     uint8
	RefHash   Hash
	DirHash   Hash
	NoDirHash bool // the payload ends after RefHash; only if Index is 0
	NoFiles   bool // the payload ends before Tree
	Tree      ChecksumTree
}

// ChecksumTree holds the hashes of the files in a directory and in its subdirectories.
//
//	offset  size  field
//	0       2+8n  number of Files, Files
//	2+8n    1+m   number of Dirs, Dirs: first all NameHashes, then all Trees
type ChecksumTree struct {
	Files []FileChecksum
	Dirs  []DirChecksum
}

// FileChecksum holds the hashes of a file in a [ChecksumTree].
type FileChecksum struct{ NameHash, ContentHash Hash }

// DirChecksum holds the hashes of a subdirectory in a [ChecksumTree].
type DirChecksum struct {
	NameHash Hash
	Tree     ChecksumTree
}

func (*ChecksumResponse) authorize(authority) *authError { return nil }

func (m *ChecksumResponse) Walk(c *stream.Codec) {
	if c.Decoding() {
		m.reset()
	}
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
		stream.Resize(c, &m.Tree.Dirs, 0)
		return
	}
	c.Group("Tree")
	m.Tree.walk(c, 1)
	c.End()
}

// maxKeptTree is the maximum size in bytes of the lists that decoding into a ChecksumResponse
// reuses. Decoding drops larger lists, so that peers cannot make them grow without limit. A
// directory counts as 1 KiB: each decoding visits all directories, even for a payload of two bytes.
const maxKeptTree = 64 << 10

// reset clears the message and keeps the memory of its tree, up to maxKeptTree.
func (m *ChecksumResponse) reset() {
	if m.Tree.memory(maxKeptTree) > maxKeptTree {
		m.Tree = ChecksumTree{}
	}
	*m = ChecksumResponse{Tree: m.Tree}
}

// memory returns the capacity of all lists in bytes. It stops as soon as the sum exceeds most.
func (t *ChecksumTree) memory(most int) int {
	const file, dir = 8, 1 << 10
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

// reuse is [stream.Resize] without zeroing the elements, so that their memory can be reused. The walk
// of an element must overwrite all of it.
func reuse[E any](c *stream.Codec, list *[]E, n int) {
	if c.Decoding() {
		if n > cap(*list) {
			*list = make([]E, n)
		}
		*list = (*list)[:n]
	}
}

func (t *ChecksumTree) walk(c *stream.Codec, depth int) {
	if depth > MaxDepth {
		c.Fail(errDepth)
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
	const leastDir = 4 + 2 + 1 // a name and an empty tree
	n = c.Field("Dirs").Count8(len(t.Dirs), leastDir)
	reuse(c, &t.Dirs, n)
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
