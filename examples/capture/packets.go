package capture

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// clock returns times relative to the first packet of the first capture. The files of a
// rotated capture therefore have continuous times.
type clock struct{ start time.Time }

func (c *clock) seconds(t time.Time) float64 {
	if t.IsZero() { // a simple packet block of pcapng has no time
		return 0
	}
	if c.start.IsZero() {
		c.start = t
	}
	return t.Sub(c.start).Seconds()
}

// packetReader is implemented by the readers of both capture formats.
type packetReader interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
}

func (in *Reader) pcap() iter.Seq2[*Datagram, error] {
	r, err := pcapgo.NewReader(in.r)
	if err != nil {
		return failWith(captureError("capture header", err))
	}
	link := r.LinkType()
	return in.capture(r, func(gopacket.CaptureInfo) layers.LinkType { return link })
}

func (in *Reader) pcapng() iter.Seq2[*Datagram, error] {
	r, err := pcapgo.NewNgReader(&packetBlocks{r: in.r}, pcapgo.NgReaderOptions{WantMixedLinkType: true, SkipUnknownVersion: true})
	if err != nil {
		return failWith(captureError("capture header", err))
	}
	return in.capture(r, func(ci gopacket.CaptureInfo) layers.LinkType {
		link, _ := ci.AncillaryData[0].(layers.LinkType)
		return link
	})
}

// capture iterates over the UDP payloads of a capture. It ends at the first packet that
// cannot be read, because the beginning of the next packet is unknown.
func (in *Reader) capture(r packetReader, link func(gopacket.CaptureInfo) layers.LinkType) iter.Seq2[*Datagram, error] {
	return func(yield func(*Datagram, error) bool) {
		for n := 1; ; n++ {
			data, ci, err := r.ReadPacketData()
			if err == io.EOF && ci.CaptureLength == 0 {
				return
			}
			if err != nil {
				yield(nil, captureError(fmt.Sprintf("packet %d", n), err))
				return
			}
			d := udp(data, link(ci))
			at := in.clock.seconds(ci.Timestamp)
			if d == nil {
				continue
			}
			if in.port != 0 && d.Src.Port() != in.port && d.Dst.Port() != in.port {
				in.skipped++
				continue
			}
			d.Number, d.Time = n, at
			if !yield(d, nil) {
				return
			}
		}
	}
}

// captureError returns an error with the place in the capture.
func captureError(place string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the capture is truncated: %w", place, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: %w", place, err)
}

const udpHeader = 8 // bytes

// udp returns the UDP datagram in a packet, or nil. In a tunnel, it is the innermost one.
func udp(data []byte, link layers.LinkType) *Datagram {
	p := gopacket.NewPacket(data, link, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
	var found *Datagram
	var src, dst netip.Addr
	for _, layer := range p.Layers() {
		switch l := layer.(type) {
		case *layers.IPv4:
			src, dst = address(l.SrcIP), address(l.DstIP)
		case *layers.IPv6:
			src, dst = address(l.SrcIP), address(l.DstIP)
		case *layers.UDP:
			if len(l.Contents) < udpHeader {
				return nil // the capture has truncated the header
			}
			found = &Datagram{
				Src:     netip.AddrPortFrom(src, uint16(l.SrcPort)),
				Dst:     netip.AddrPortFrom(dst, uint16(l.DstPort)),
				Data:    l.Payload,
				Missing: max(0, int(l.Length)-udpHeader-len(l.Payload)),
			}
		}
	}
	return found
}

func address(ip []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}
