package opcode

import "github.com/bcwire/bcwire/stream"

// ChecksumRequest asks a joining client for the hashes of its files. The five
// rounds have the indices 0, 1, 2, 3 and 255.
//
//	offset  size  field
//	0       1     0x20
//	1       1     Index, of the round
//	2       2+n   Dir, "scripts/ships"
//	4+n     2+m   Filter, "*.pyc"; empty means all files
//	6+n+m   1     Recursive, packed
type ChecksumRequest struct {
	Index     uint8
	Dir       stream.Text
	Filter    stream.Text
	Recursive bool
}

func (m *ChecksumRequest) Walk(c *stream.Codec) {
	c.Field("Index").Uint8(&m.Index)
	c.Field("Dir").String16(&m.Dir)
	c.Field("Filter").String16(&m.Filter)
	c.Field("Recursive").Bool(&m.Recursive)
}

// ChecksumComplete tells a joining client that its files are accepted. It is in one datagram with
// [Settings] and [GameInit]. The stock client ignores it.
//
//	offset  size  field
//	0       1     0x28
type ChecksumComplete struct{}

func (*ChecksumComplete) Walk(*stream.Codec) {}

// SystemChecksumFailed refuses a joining client because a file differs. The
// client leaves. Some documents give it the opcode 0x23.
//
//	offset  size  field
//	0       1     0x22
//	1       2+n   Name of the first such file
type SystemChecksumFailed struct{ Name stream.Text }

func (m *SystemChecksumFailed) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
}

// VersionMismatch refuses a joining client with another version of the game.
// The client leaves. Some documents give it the opcode 0x22.
//
//	offset  size  field
//	0       1     0x23
//	1       2+n   Name of the host's version, "60"
type VersionMismatch struct{ Name stream.Text }

func (m *VersionMismatch) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
}

// FileTransfer sends a file to a joining client whose copy differs. The client
// asks its user before the first file, and answers each with [FileTransferAck].
//
//	offset  size  field
//	0       1     0x25
//	1       2+n   Name, a relative path with slashes
//	3+n     m     Data, to the end
//
// The message has at most transport.MaxPayload bytes. Do not trust Name: LocalPath of package checksum converts it to a
// path within the installation.
type FileTransfer struct {
	Name stream.Text
	Data []byte
}

func (m *FileTransfer) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
	c.Field("Data").Rest(&m.Data, nil)
}

// FileTransferAck tells the host that a file has arrived.
//
//	offset  size  field
//	0       1     0x27
type FileTransferAck struct{}

func (*FileTransferAck) authorize(authority) *authError { return nil }

func (*FileTransferAck) Walk(*stream.Codec) {}
