package capture

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/bcwire/bcwire/gamespy"
)

// Lengths of headers.
const (
	ipv4Header = 20
	ipv6Header = 40
)

// ErrTooLong means that a datagram does not fit into an IP packet.
var ErrTooLong = errors.New("capture: datagram too long for UDP")

// Writer writes a capture. It is not safe for concurrent use.
type Writer struct {
	ng     *pcapgo.NgWriter
	packet []byte
	err    error
}

// NewWriter begins a capture.
func NewWriter(w io.Writer) (*Writer, error) {
	ng, err := pcapgo.NewNgWriterInterface(w, pcapgo.NgInterface{
		LinkType:            layers.LinkTypeRaw,
		TimestampResolution: 9,
	}, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "bcwire"}})
	if err != nil {
		return nil, err
	}
	return &Writer{ng: ng}, nil
}

// Datagram writes a datagram as it is on the wire. Missing is the number of bytes at its end that
// are not known.
func (w *Writer) Datagram(at time.Time, src, dst netip.AddrPort, data []byte, missing int) error {
	if missing < 0 || udpHeader+len(data)+missing > math.MaxUint16-ipv4Header {
		return ErrTooLong
	}
	w.packet = AppendUDP(w.packet[:0], src, dst, data, missing)
	return w.write(at, w.packet, missing)
}

// Packet writes a packet that begins with an IP header.
func (w *Writer) Packet(at time.Time, packet []byte) error { return w.write(at, packet, 0) }

func (w *Writer) write(at time.Time, packet []byte, missing int) error {
	if w.err == nil {
		w.err = w.ng.WritePacket(gopacket.CaptureInfo{
			Timestamp: at, CaptureLength: len(packet), Length: len(packet) + missing,
		}, packet)
	}
	return w.err
}

// AppendUDP appends the IP packet with a datagram, of which some bytes are missing at the end.
func AppendUDP(b []byte, src, dst netip.AddrPort, data []byte, missing int) []byte {
	length := udpHeader + len(data) + missing
	b = appendIP(b, src.Addr(), dst.Addr(), length)
	b = binary.BigEndian.AppendUint16(b, src.Port())
	b = binary.BigEndian.AppendUint16(b, dst.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = append(b, 0, 0) // no checksum
	return append(b, data...)
}

// Flush writes buffered packets. It returns the first error since the beginning.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.ng.Flush()
	}
	return w.err
}

// appendIP appends the header of an IP packet with a UDP datagram of some length.
func appendIP(b []byte, src, dst netip.Addr, length int) []byte {
	const udp, hops = 17, 64
	if src.Unmap().Is4() && dst.Unmap().Is4() {
		start := len(b)
		b = append(b, 0x45, 0)
		b = binary.BigEndian.AppendUint16(b, uint16(ipv4Header+length))
		b = append(b, 0, 0, 0, 0, hops, udp, 0, 0)
		b = append(b, src.Unmap().AsSlice()...)
		b = append(b, dst.Unmap().AsSlice()...)
		binary.BigEndian.PutUint16(b[start+10:], checksum(b[start:]))
		return b
	}
	b = append(b, 0x60, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	b = append(b, udp, hops)
	source, destination := src.As16(), dst.As16()
	return append(append(b, source[:]...), destination[:]...)
}

// checksum returns the checksum of an IPv4 header whose own checksum is zero.
func checksum(header []byte) uint16 {
	var sum uint32
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > math.MaxUint16 {
		sum = sum>>16 + sum&math.MaxUint16
	}
	return ^uint16(sum)
}

// Addresses makes up addresses for clients that are known by a name only. The zero value is ready
// to use.
type Addresses struct{ numbers map[string]uint32 }

// Server is the made-up address of the server.
func (*Addresses) Server() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), gamespy.DefaultPort)
}

// Client returns the address of a client, the same one for the same name.
func (a *Addresses) Client(name string) netip.AddrPort {
	const firstPort, ports = 40000, 20000
	n, ok := a.numbers[name]
	if !ok {
		if a.numbers == nil {
			a.numbers = map[string]uint32{}
		}
		n = uint32(len(a.numbers)) + 1
		a.numbers[name] = n
	}
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], 10<<24|(n+1)&0xFFFFFF)
	return netip.AddrPortFrom(netip.AddrFrom4(ip), firstPort+uint16(n%ports))
}

// Time returns a number of seconds as a time. Numbers that no capture can hold are cut.
func Time(seconds float64) time.Time {
	const most = 1e9
	if !(seconds > 0) {
		seconds = 0
	}
	return time.Unix(0, 0).Add(time.Duration(min(seconds, most) * float64(time.Second)))
}
