package capture

import (
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

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
