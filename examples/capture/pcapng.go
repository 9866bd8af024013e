package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"time"

	"github.com/gopacket/gopacket/layers"
)

// Types of blocks.
const (
	blockInterface = 0x00000001
	blockPacket    = 0x00000002 // obsolete
	blockSimple    = 0x00000003
	blockEnhanced  = 0x00000006
	blockSection   = 0x0A0D0D0A
)

// Lengths in bytes. A block has its type, its length, a body, and its length again.
const (
	minBlock      = 12
	blockHead     = 8
	blockTail     = 4
	sectionBody   = 16 // without options
	interfaceBody = 8  // without options
	packetBody    = 20 // before the data
	simpleBody    = 4  // before the data
	maxOptions    = 64 << 10
	maxInterfaces = 4096 // of a section; packets of others are not read
)

// pcapng reads a capture in the format pcapng. The package pcapgo of gopacket reads neither the minor versions, nor
// resolutions of times that are powers of 2, nor what follows a malformed block.
type pcapng struct {
	r          *bufio.Reader
	notes      *notes
	order      binary.ByteOrder
	unknown    bool // the section has an unknown version
	interfaces []device
	data       []byte
}

// device is an interface of a section.
type device struct {
	described  bool // false if the block is malformed
	link       layers.LinkType
	snapLength uint32
	resolution byte  // of times: bit 7 is set for a power of 2 instead of 10
	offset     int64 // of times in seconds
}

// isPcapng reports whether head begins with the type of a section header. Both byte orders
// have the same.
func isPcapng(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0x0A, 0x0D, 0x0D, 0x0A})
}

var errSection = errors.New("malformed section header of pcapng")

// byteOrder returns the byte order of a section.
func byteOrder(magic []byte) (binary.ByteOrder, error) {
	switch binary.BigEndian.Uint32(magic) {
	case 0x1A2B3C4D:
		return binary.BigEndian, nil
	case 0x4D3C2B1A:
		return binary.LittleEndian, nil
	}
	return nil, errSection
}

// next reads blocks until a packet.
func (f *pcapng) next(p *packet) error {
	for {
		head, err := f.r.Peek(minBlock)
		switch {
		case err == io.EOF && len(head) > 0:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case isPcapng(head):
			if f.order, err = byteOrder(head[8:]); err != nil {
				return err
			}
		case begins(head):
			return io.EOF
		}
		typ, length := f.order.Uint32(head), f.order.Uint32(head[4:])
		if length < minBlock {
			return fmt.Errorf("malformed block: its length must be at least %d bytes, not %d; the rest is not read", minBlock, length)
		}
		found, err := f.block(p, typ, int64(length)-minBlock)
		if found || err != nil {
			return err
		}
	}
}

// block reads a block with a body of a size, and reports whether it is a packet that can be read.
func (f *pcapng) block(p *packet, typ uint32, size int64) (found bool, err error) {
	limit := int64(0)
	switch {
	case typ == blockSection:
		limit = sectionBody
	case typ == blockInterface && !f.unknown:
		limit = interfaceBody + maxOptions
	case typ == blockPacket, typ == blockSimple, typ == blockEnhanced:
		limit = packetBody + maxPacket
	}
	_, _ = f.r.Discard(blockHead) // it is buffered
	if f.data, err = read(f.r, f.data, size, limit); err != nil {
		return false, err
	}
	tail, err := f.r.Peek(blockTail)
	switch {
	case err == io.EOF:
		return false, io.ErrUnexpectedEOF
	case err != nil:
		return false, err
	}
	if int64(f.order.Uint32(tail)) != size+minBlock {
		f.notes.add(blockLengths, 0, p.number)
	}
	_, _ = f.r.Discard(blockTail) // it is buffered
	switch {
	case typ == blockSection:
		return false, f.section(f.data)
	case typ == blockInterface && !f.unknown && len(f.interfaces) < maxInterfaces:
		f.interfaces = append(f.interfaces, f.device(f.data))
	case typ == blockPacket, typ == blockSimple, typ == blockEnhanced:
		return f.packet(p, typ, f.data, size), nil
	}
	return false, nil
}

// section begins a section.
func (f *pcapng) section(body []byte) error {
	if len(body) < sectionBody {
		return errSection
	}
	const major = 1 // the minor versions 0 and 2 are the same
	f.unknown, f.interfaces = f.order.Uint16(body[4:]) != major, nil
	return nil
}

// device returns the interface that a block describes.
func (f *pcapng) device(body []byte) (d device) {
	if len(body) < interfaceBody {
		return device{}
	}
	d = device{described: true, link: layers.LinkType(f.order.Uint16(body)), snapLength: f.order.Uint32(body[4:]), resolution: 6}
	const end, resolution, offset = 0, 9, 14
	for rest := body[interfaceBody:]; len(rest) >= 4; {
		code, length := f.order.Uint16(rest), int(f.order.Uint16(rest[2:]))
		if code == end || 4+length > len(rest) {
			break
		}
		switch value := rest[4 : 4+length]; {
		case code == resolution && length >= 1:
			d.resolution = value[0]
		case code == offset && length >= 8:
			d.offset = int64(f.order.Uint64(value))
		}
		rest = from(rest, 4+(length+3)&^3)
	}
	return d
}

// packet reads the first bytes of the body of a block with a packet. It reports whether the packet can be read.
func (f *pcapng) packet(p *packet, typ uint32, body []byte, size int64) bool {
	header := int64(packetBody)
	if typ == blockSimple {
		header = simpleBody
	}
	switch {
	case f.unknown:
		return f.unread(p, versionUnread)
	case size < header:
		return f.unread(p, blockUnread)
	}
	index := uint32(0)
	switch typ {
	case blockPacket:
		index = uint32(f.order.Uint16(body))
	case blockEnhanced:
		index = f.order.Uint32(body)
	}
	if uint64(index) >= uint64(len(f.interfaces)) || !f.interfaces[index].described {
		return f.unread(p, interfaceUnread)
	}
	d := &f.interfaces[index]
	var captured, length uint32
	if typ == blockSimple {
		length = f.order.Uint32(body)
		captured = uint32(min(int64(length), size-header))
		if d.snapLength > 0 {
			captured = min(captured, d.snapLength)
		}
	} else {
		p.at = d.time(uint64(f.order.Uint32(body[4:]))<<32 | uint64(f.order.Uint32(body[8:])))
		captured, length = f.order.Uint32(body[12:]), f.order.Uint32(body[16:])
	}
	if int64(captured) > size-header {
		return f.unread(p, blockUnread)
	}
	p.link = d.link
	p.set(body[header:min(header+int64(captured), int64(len(body)))], captured, length, f.notes)
	return true
}

func (f *pcapng) unread(p *packet, k kind) bool {
	f.notes.add(k, 0, p.number)
	return false
}

// time returns a time of the interface.
func (d *device) time(ticks uint64) time.Time {
	const second = uint64(time.Second)
	exponent, unit := d.resolution&0x7F, uint64(1)
	if d.resolution > exponent { // of 2
		ticks >>= max(exponent, 63) - 63
		unit <<= min(exponent, 63)
	} else {
		for ; exponent > 19; exponent-- { // more than an uint64 holds
			ticks /= 10
		}
		for ; exponent > 0; exponent-- {
			unit *= 10
		}
	}
	high, low := bits.Mul64(ticks%unit, second)
	nanoseconds, _ := bits.Div64(high, low, unit)
	return time.Unix(int64(ticks/unit)+d.offset, int64(nanoseconds))
}
