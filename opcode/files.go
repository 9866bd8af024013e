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

// ChecksumComplete tells a joining client that its files are right and that none follow.
// The host sends it once, in one datagram with [Settings] and [GameInit]; the stock
// client ignores it.
//
//	offset  size  field
//	0       1     0x28
//
// Evidence: observed. Engine name: SEND_FILE_COMPLETED.
type ChecksumComplete struct{}

// Walk implements [Message].
func (*ChecksumComplete) Walk(*stream.Codec) {}

// SystemChecksumFailed tells a joining client that one of its files is not the host's.
// The client leaves. Some documents call it 0x23.
//
//	offset  size  field
//	0       1     0x22
//	1       2+n   Name of the first such file
//
// Evidence: documented. Engine name: SYSTEM_CHECKSUM_FAILED.
type SystemChecksumFailed struct{ Name stream.Text }

// Walk implements [Message].
func (m *SystemChecksumFailed) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
}

// VersionMismatch tells a joining client that it has another version of the game. The
// client leaves. Some documents call it 0x22.
//
//	offset  size  field
//	0       1     0x23
//	1       2+n   Name of the host's version, "60"
//
// Evidence: documented. Engine name: VERSION_DIFFERENT.
type VersionMismatch struct{ Name stream.Text }

// Walk implements [Message].
func (m *VersionMismatch) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
}

// FileTransfer sends a joining client a file that differs, and waits for
// [FileTransferAck]. The client's user is asked before the first one.
//
//	offset  size  field
//	0       1     0x25
//	1       2+n   Name, a relative path with slashes
//	3+n     m     Data, to the end
//
// The message travels in fragments, and its length is at most MaxPayload of package transport.
//
// Do not trust Name. LocalPath of package checksum returns the path of a file in the
// installation, and refuses absolute paths, drives, "..", devices and more. Do not write Data
// unless the user has agreed.
//
// Evidence: documented. Engine name: FILE.
type FileTransfer struct {
	Name stream.Text
	Data []byte
}

// Walk implements [Message].
func (m *FileTransfer) Walk(c *stream.Codec) {
	c.Field("Name").String16(&m.Name)
	c.Field("Data").Rest(&m.Data, nil)
}

// FileTransferAck tells the host that a file has arrived.
//
//	offset  size  field
//	0       1     0x27
//
// Evidence: documented. Engine name: FILE_RECEIVED_ACK.
type FileTransferAck struct{}

func (*FileTransferAck) authorize(*authority) {}

// Walk implements [Message].
func (*FileTransferAck) Walk(*stream.Codec) {}
