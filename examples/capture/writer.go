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

// ErrTooLong means that a datagram does not fit into an IP packet.
var ErrTooLong = errors.New("capture: datagram too long for UDP")

// Writer writes a capture. It is not safe for concurrent use.
type Writer struct {
	ng     *pcapgo.NgWriter
	packet gopacket.SerializeBuffer
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
	return &Writer{ng: ng, packet: gopacket.NewSerializeBuffer()}, nil
}

// maxData is the length of the longest datagram of UDP over IPv4.
const maxData = math.MaxUint16 - 20 - udpHeader

// Datagram writes a datagram as it is on the wire. Missing is the number of bytes at its end that
// are not known. The checksum is that of zeros in their place.
func (w *Writer) Datagram(at time.Time, src, dst netip.AddrPort, data []byte, missing int) error {
	if missing < 0 || missing > maxData-len(data) {
		return ErrTooLong
	}
	data = append(data[:len(data):len(data)], make([]byte, missing)...)
	if err := w.serialize(src, dst, data); err != nil {
		return err
	}
	packet := w.packet.Bytes()
	if w.err == nil {
		w.err = w.ng.WritePacket(gopacket.CaptureInfo{
			Timestamp: at, CaptureLength: len(packet) - missing, Length: len(packet),
		}, packet[:len(packet)-missing])
	}
	return w.err
}

// serialize sets the packet: IPv4 if both addresses are, else IPv6.
func (w *Writer) serialize(src, dst netip.AddrPort, data []byte) error {
	const hops, protocol = 64, layers.IPProtocolUDP
	var ip interface {
		gopacket.NetworkLayer
		gopacket.SerializableLayer
	}
	if from, to := src.Addr().Unmap(), dst.Addr().Unmap(); from.Is4() && to.Is4() {
		ip = &layers.IPv4{Version: 4, TTL: hops, Protocol: protocol, SrcIP: from.AsSlice(), DstIP: to.AsSlice()}
	} else {
		from, to := src.Addr().As16(), dst.Addr().As16()
		ip = &layers.IPv6{Version: 6, HopLimit: hops, NextHeader: protocol, SrcIP: from[:], DstIP: to[:]}
	}
	udp := &layers.UDP{SrcPort: layers.UDPPort(src.Port()), DstPort: layers.UDPPort(dst.Port())}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		return err
	}
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	return gopacket.SerializeLayers(w.packet, options, ip, udp, gopacket.Payload(data))
}

// Flush writes buffered packets. It returns the first error since the beginning.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.ng.Flush()
	}
	return w.err
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
