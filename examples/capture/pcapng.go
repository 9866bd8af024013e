package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the interfaces in a section of a pcapng capture. The reader retains all interfaces.
// One takes at least 20 bytes in the file, and many times as much in memory.
const (
	maxInterfaces     = 4096
	maxInterfaceBytes = 1 << 20
)

// Errors of the blocks of a pcapng capture.
var (
	errInterfaces = fmt.Errorf("section with more than %d interfaces, or %d bytes of interface blocks", maxInterfaces, maxInterfaceBytes)
	errBlock      = fmt.Errorf("malformed block: its length must be at least %d bytes", minBlock)
)

// Types of blocks.
const (
	blockInterface = 0x00000001
	blockPacket    = 0x00000002 // obsolete
	blockSimple    = 0x00000003
	blockEnhanced  = 0x00000006
	blockSection   = 0x0A0D0D0A
)

// minBlock is the length of the shortest block: its type, and its length twice.
const minBlock = 12

// packetBlocks passes on the blocks of a pcapng capture that packets need. It skips others,
// such as host names, which the reader would retain in memory. Beyond the limits it fails.
type packetBlocks struct {
	r              *bufio.Reader
	order          binary.ByteOrder
	rest           uint32 // bytes of the current block that are not yet passed on
	interfaces     int    // in the section
	interfaceBytes int64  // in the section
}

// Read implements [io.Reader].
func (b *packetBlocks) Read(p []byte) (int, error) {
	for b.rest == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	if int64(len(p)) > int64(b.rest) {
		p = p[:b.rest]
	}
	n, err := b.r.Read(p)
	b.rest -= uint32(n)
	return n, err
}

// next begins the next block, or skips it.
func (b *packetBlocks) next() error {
	head, err := b.r.Peek(minBlock)
	if err != nil {
		b.rest = uint32(len(head)) // the reader reports the truncated capture
		if len(head) > 0 {
			return nil
		}
		return err
	}
	if binary.BigEndian.Uint32(head) == blockSection { // the same in both byte orders
		b.order = binary.LittleEndian
		if binary.BigEndian.Uint32(head[8:]) == 0x1A2B3C4D {
			b.order = binary.BigEndian
		}
		b.interfaces, b.interfaceBytes = 0, 0
	}
	length := b.order.Uint32(head[4:])
	if length < minBlock {
		return fmt.Errorf("%w, not %d", errBlock, length)
	}
	switch b.order.Uint32(head) {
	case blockSection, blockPacket, blockSimple, blockEnhanced:
	case blockInterface:
		b.interfaces++
		b.interfaceBytes += int64(length)
		if b.interfaces > maxInterfaces || b.interfaceBytes > maxInterfaceBytes {
			return errInterfaces
		}
	default:
		_, err := io.CopyN(io.Discard, b.r, int64(length))
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("block of %d bytes: %w", length, io.ErrUnexpectedEOF)
		}
		return err
	}
	b.rest = length
	return nil
}
