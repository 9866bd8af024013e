package opcode

import "github.com/bcwire/bcwire/stream"

// ChecksumRequest asks a joining client for the hashes of its files. The host sends five
// in turn: 0, 1, 2, 3 and 255.
//
//	offset  size  field
//	0       1     0x20
//	1       1     Index, of the round
//	2       2+n   Dir, "scripts/ships"
//	4+n     2+m   Filter, "*.pyc"; empty means all files
//	6+n+m   1     Recursive, packed
//
// Evidence: observed. Engine name: DO_CHECKSUM.
type ChecksumRequest struct {
	Index     uint8
	Dir       stream.Text
	Filter    stream.Text
	Recursive bool
}

// Walk implements [Message].
func (m *ChecksumRequest) Walk(c *stream.Codec) {
	c.Field("Index").Uint8(&m.Index)
	c.Field("Dir").String16(&m.Dir)
	c.Field("Filter").String16(&m.Filter)
	c.Field("Recursive").Bool(&m.Recursive)
}
