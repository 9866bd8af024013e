package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the interfaces in a section of a pcapng capture. The reader keeps all of them, in
// many times the 20 bytes that one takes in the file.
const (
	maxInterfaces     = 4096
	maxInterfaceBytes = 1 << 20
)

// Errors of the blocks of a pcapng capture.
var (
	errInterfaces = fmt.Errorf("a section has more than %d interfaces, or more than %d bytes about them", maxInterfaces, maxInterfaceBytes)
	errBlock      = errors.New("impossible length of a block")
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

// packetBlocks passes on the blocks of a pcapng capture that packets need. Others, such as
// names of hosts, would be kept in memory by the reader. At the limits it fails.
type packetBlocks struct {
	r          *bufio.Reader
	order      binary.ByteOrder
	rest       uint32 // of the block that is passed on
	interfaces int    // in the section
	bytes      int64  // of them
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

// next looks at the beginning of a block.
func (b *packetBlocks) next() error {
	head, err := b.r.Peek(minBlock)
	if err != nil {
		b.rest = uint32(len(head)) // the reader reports a capture that is cut short
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
		b.interfaces, b.bytes = 0, 0
	}
	length := b.order.Uint32(head[4:])
	if length < minBlock {
		return fmt.Errorf("%w: %d bytes", errBlock, length)
	}
	switch b.order.Uint32(head) {
	case blockSection, blockPacket, blockSimple, blockEnhanced:
	case blockInterface:
		b.interfaces++
		b.bytes += int64(length)
		if b.interfaces > maxInterfaces || b.bytes > maxInterfaceBytes {
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
