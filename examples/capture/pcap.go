package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/gopacket/gopacket/layers"
)

// maxPacket is the number of bytes of a packet that are read. Wireshark has the same limit.
const maxPacket = 256 << 10

// packet is a packet of a capture.
type packet struct {
	number int
	at     time.Time // that of the packet before, if the packet has none
	link   layers.LinkType
	data   []byte // what was captured, until the next packet is read
	length int    // on the wire
}

// clock returns times relative to the first packet of the first capture. The files of a
// rotated capture therefore have continuous times.
type clock struct{ start time.Time }

func (c *clock) seconds(t time.Time) float64 {
	if c.start.IsZero() {
		c.start = t
	}
	return float64(t.Sub(c.start)) / float64(time.Second) // rounded once, unlike Duration.Seconds
}

// captures iterates over the UDP payloads of a capture, and of those that follow in the same input. It ends at the
// first packet whose length cannot be read, because the beginning of the next packet is unknown.
func (in *Reader) captures(r *bufio.Reader) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		u := udpReader{notes: &in.notes, fragments: fragments{notes: &in.notes}}
		defer u.fragments.finish()
		p := packet{number: in.numbers}
		for {
			next, err := packets(r, &in.notes)
			if err != nil {
				yield(nil, captureError("capture header", err))
				return
			}
			for p.number++; ; p.number++ {
				if err = next(&p); err != nil {
					break
				}
				in.numbers = p.number
				d := in.datagram(&u, &p)
				if d != nil && !yield(d, nil) {
					return
				}
			}
			if err != io.EOF {
				yield(nil, captureError(fmt.Sprintf("packet %d", p.number), err))
				return
			}
			if _, err = r.Peek(1); err == io.EOF {
				return
			}
			p.number--
		}
	}
}

// datagram returns the UDP payload of a packet, or nil.
func (in *Reader) datagram(u *udpReader, p *packet) *Datagram {
	d, at := u.datagram(p), in.clock.seconds(p.at)
	switch {
	case d == nil:
		return nil
	case in.port != 0 && d.Src.Port() != in.port && d.Dst.Port() != in.port:
		in.skipped++
		return nil
	case d.Missing > 0:
		in.notes.add(dataMissing, 0, p.number)
	}
	d.Number, d.Time, d.At = p.number, at, p.at
	return d
}

// packets begins to read a capture. It returns a function that reads the next packet, and fails with io.EOF where the
// capture ends or another one begins.
func packets(r *bufio.Reader, n *notes) (next func(*packet) error, err error) {
	if head, _ := r.Peek(4); isPcapng(head) {
		return (&pcapng{r: r, notes: n}).next, nil
	}
	f := pcap{r: r, notes: n}
	return f.next, f.header()
}

// begins reports whether a capture begins with 12 bytes, which a packet does not.
func begins(head []byte) bool {
	if isPcapng(head[:4]) {
		_, err := byteOrder(head[8:])
		return err == nil
	}
	version := head[4:8]
	return isPcap(head[:4]) && (bytes.Equal(version, []byte{2, 0, 4, 0}) || bytes.Equal(version, []byte{0, 2, 0, 4}))
}

// captureError returns an error with the place in the capture.
func captureError(place string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the capture is truncated: %w", place, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: %w", place, err)
}

// isPcap reports whether head begins with a magic number of pcap. There are four: for two byte
// orders, and for microseconds and nanoseconds.
func isPcap(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch binary.BigEndian.Uint32(head) {
	case 0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1:
		return true
	}
	return false
}

// pcap reads a capture in the format pcap.
type pcap struct {
	r       *bufio.Reader
	notes   *notes
	order   binary.ByteOrder
	unit    time.Duration // of the fractions of seconds
	old     bool          // version 2.3 or before
	longest uint32        // packet
	link    layers.LinkType
	data    []byte
}

// Sizes of headers in bytes.
const (
	pcapHeader   = 24
	packetHeader = 16
)

// longestPacket is the largest length of a packet, if the capture says that it has such packets. The limit of libpcap is
// the same.
const longestPacket = 128 << 20

func (f *pcap) header() error {
	b := make([]byte, pcapHeader)
	if _, err := io.ReadFull(f.r, b); err != nil {
		return err
	}
	f.order, f.unit = binary.ByteOrder(binary.LittleEndian), time.Microsecond
	if b[0] == 0xA1 {
		f.order = binary.BigEndian
	}
	if f.order.Uint32(b) == 0xA1B23C4D {
		f.unit = time.Nanosecond
	}
	major, minor := f.order.Uint16(b[4:]), f.order.Uint16(b[6:])
	if major != 2 {
		return fmt.Errorf("version %d.%d of pcap is unknown: convert the capture, for example with editcap", major, minor)
	}
	f.old = minor < 4
	f.longest = max(maxPacket, min(f.order.Uint32(b[16:]), longestPacket))
	const linkBits = 1<<26 - 1 // the others are about check sequences
	f.link = layers.LinkType(min(f.order.Uint32(b[20:])&linkBits, uint32(otherLinks)))
	return nil
}

func (f *pcap) next(p *packet) error {
	head, err := f.r.Peek(packetHeader)
	switch {
	case len(head) == packetHeader && begins(head):
		return io.EOF
	case len(head) > 0 && err == io.EOF:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	seconds, fraction, captured, length := f.order.Uint32(head), f.order.Uint32(head[4:]), f.order.Uint32(head[8:]), f.order.Uint32(head[12:])
	if f.old && captured > length { // they were exchanged in old versions
		captured, length = length, captured
	}
	if captured > f.longest {
		return fmt.Errorf("%d bytes are too long for a packet: the capture is damaged here, and the rest is not read", captured)
	}
	_, _ = f.r.Discard(packetHeader) // it is buffered
	p.at, p.link = time.Unix(int64(seconds), int64(fraction)*int64(f.unit)), f.link
	f.data, err = read(f.r, f.data, int64(captured), maxPacket)
	p.set(f.data, captured, length, f.notes)
	return err
}

// set sets the data and the length of a packet.
func (p *packet) set(data []byte, captured, length uint32, n *notes) {
	if captured > length {
		n.add(lengthWrong, 0, p.number)
	}
	p.data, p.length = data, int(max(captured, length))
}

// read reads the first bytes of a part of an input, and skips the rest. It returns the bytes in the memory of buf.
func read(r *bufio.Reader, buf []byte, size, limit int64) ([]byte, error) {
	n := min(size, limit)
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	_, err := io.ReadFull(r, buf)
	if err == nil && n < size {
		_, err = io.CopyN(io.Discard, r, size-n)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buf, err
}

// from returns the bytes from an offset, or nil.
func from(data []byte, offset int) []byte {
	if offset < 0 || offset > len(data) {
		return nil
	}
	return data[offset:]
}
