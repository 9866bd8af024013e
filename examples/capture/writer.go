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
	"github.com/bcwire/bcwire/transport/recording"
)

// ErrTooLong means that a datagram is too long for UDP.
var ErrTooLong = errors.New("capture: datagram too long for UDP")

// Writer writes datagrams as a pcapng capture of IP packets. It buffers them: call Flush at the end. A Writer is not
// safe for concurrent use.
type Writer struct {
	ng        *pcapgo.NgWriter
	packet    gopacket.SerializeBuffer
	addresses addresses
	err       error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer {
	ng, err := pcapgo.NewNgWriterInterface(w, pcapgo.NgInterface{
		LinkType:            layers.LinkTypeRaw,
		TimestampResolution: 9,
	}, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "bcwire"}})
	return &Writer{ng: ng, packet: gopacket.NewSerializeBuffer(), err: err}
}

// Write writes a datagram. Its Data must be as on the wire. The time of the packet is At, or Time after 1970 if At is
// zero. The packet goes from Src to Dst. If one of them is invalid, Write makes up both from Dir and Client: the
// server has the address 10.0.0.1:22101, and each Client an address of its own. The last Missing bytes of the packet
// are missing, and its checksum is that of zeros in their place. Write returns [ErrTooLong] if the datagram is too
// long for UDP, else the first error of the capture.
func (w *Writer) Write(d *Datagram) error {
	src, dst := d.Src, d.Dst
	if !src.IsValid() || !dst.IsValid() {
		src, dst = w.addresses.of(d.Client), madeUpServer
		if d.Dir == recording.ToClient {
			src, dst = dst, src
		}
	}
	at := d.At
	if at.IsZero() {
		at = time.Unix(0, 0).Add(recording.Datagram{Seconds: d.Time}.Time())
	}
	return w.write(at, src, dst, d.Data, d.Missing)
}

// The first and the last time of a packet. A capture cannot hold others.
var earliest, latest = time.Unix(0, 0), time.Unix(0, math.MaxInt64)

// within returns a time, or the nearest that a capture can hold.
func within(at time.Time) time.Time {
	switch {
	case at.Before(earliest):
		return earliest
	case at.After(latest):
		return latest
	}
	return at
}

// Flush writes buffered packets. It returns the first error of the capture.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.ng.Flush()
	}
	return w.err
}

// maxData is the length of the longest datagram of UDP over IPv4.
const maxData = math.MaxUint16 - 20 - udpHeader

func (w *Writer) write(at time.Time, src, dst netip.AddrPort, data []byte, missing int) error {
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
			Timestamp: within(at), CaptureLength: len(packet) - missing, Length: len(packet),
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

// madeUpServer is the address of a server whose address is unknown.
var madeUpServer = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), gamespy.DefaultPort)

// addresses holds made-up addresses of clients.
type addresses struct{ numbers map[string]uint32 }

// of returns the address of a client, the same one for the same name.
func (a *addresses) of(client string) netip.AddrPort {
	const firstPort, ports = 40000, 20000
	n, ok := a.numbers[client]
	if !ok {
		if a.numbers == nil {
			a.numbers = map[string]uint32{}
		}
		n = uint32(len(a.numbers)) + 1
		a.numbers[client] = n
	}
	var ip [4]byte
	binary.BigEndian.PutUint32(ip[:], 10<<24|(n+1)&0xFFFFFF)
	return netip.AddrPortFrom(netip.AddrFrom4(ip), firstPort+uint16(n%ports))
}
