package capture

import (
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

const udpHeader = 8 // bytes

// maxStacks is the number of stacks of layers in a packet: after a tag of a VLAN that gopacket does not know, and in a
// reassembled packet, another one begins.
const maxStacks = 16

// udpReader finds the UDP datagrams in packets, and notes the packets that it cannot read.
type udpReader struct {
	notes     *notes
	fragments fragments
}

// datagram returns the UDP datagram in a packet, or nil. In a tunnel, it is the innermost one.
func (u *udpReader) datagram(p *packet) (found *Datagram) {
	first, data := open(p.link, p.data)
	switch {
	case first == nil:
		u.notes.add(linkUnread, p.link, p.number)
		return nil
	case len(data) == 0:
		u.fail(p, nil)
		return nil
	}
	var src, dst netip.Addr
	var ip6 *layers.IPv6
	for i := 0; first != nil && i < maxStacks; i++ {
		var next gopacket.Decoder // of another stack
		var rest []byte
		var below gopacket.Layer
		for _, layer := range gopacket.NewPacket(data, first, gopacket.DecodeOptions{Lazy: true, NoCopy: true}).Layers() {
			switch l := layer.(type) {
			case *layers.Ethernet:
				next, rest = oldTag(l.EthernetType, l.Payload)
			case *layers.Dot1Q:
				next, rest = oldTag(l.Type, l.Payload)
			case *layers.Dot11:
				if l.DataLayer != nil && l.Flags.WEP() { // whatever encrypts it
					u.notes.add(encryptedUnread, 0, p.number)
					return nil
				}
			case *layers.IPv4:
				src, dst = address(l.SrcIP), address(l.DstIP)
				if l.Flags&layers.IPv4MoreFragments != 0 || l.FragOffset != 0 {
					if whole := u.fragments.add4(l, p); whole != nil {
						next, rest = whole.Protocol, whole.Payload
					}
				}
			case *layers.IPv6:
				src, dst, ip6 = address(l.SrcIP), address(l.DstIP), l
			case *layers.IPv6Fragment:
				if ip6 == nil {
					break
				}
				if whole := u.fragments.add6(ip6, l, p); whole != nil {
					next, rest = whole.NextHeader, whole.Payload
				}
			case *layers.UDP:
				if len(l.Contents) == udpHeader && (l.Length == 0 || l.Length >= udpHeader) {
					found = &Datagram{
						Src:     netip.AddrPortFrom(src, uint16(l.SrcPort)),
						Dst:     netip.AddrPortFrom(dst, uint16(l.DstPort)),
						Data:    l.Payload,
						Missing: max(0, int(l.Length)-udpHeader-len(l.Payload)),
					}
				}
			case *gopacket.DecodeFailure:
				if found == nil && next == nil {
					u.fail(p, below)
				}
			}
			below = layer
		}
		first, data = next, rest
	}
	return found
}

// oldTag returns the layer after a tag of a VLAN with one of the types before IEEE 802.1ad, which gopacket does not know.
func oldTag(t layers.EthernetType, payload []byte) (gopacket.Decoder, []byte) {
	if t == 0x9100 || t == 0x9200 || t == 0x9300 {
		return layers.LayerTypeDot1Q, payload
	}
	return nil, nil
}

// fail notes a packet whose layers end below UDP, if UDP may have followed.
func (u *udpReader) fail(p *packet, below gopacket.Layer) {
	switch {
	case !leads(below):
	case len(p.data) < p.length:
		u.notes.add(cutUnread, 0, p.number)
	default:
		u.notes.add(malformedUnread, 0, p.number)
	}
}

// leads reports whether a layer, after which decoding has failed, leads to UDP. Malformed headers of IP and UDP are such
// layers themselves.
func leads(below gopacket.Layer) bool {
	switch l := below.(type) {
	case nil, *layers.UDP:
		return true
	case *layers.IPv4:
		if l.Version == 0 { // not decoded
			return true
		}
	case *layers.IPv6:
		if l.Version == 0 || l.Length == 0 {
			return true
		}
	}
	next, ok := below.(interface{ NextLayerType() gopacket.LayerType })
	if !ok {
		return false
	}
	switch t := next.NextLayerType(); t {
	case layers.LayerTypeIPv4, layers.LayerTypeIPv6, layers.LayerTypeUDP, layers.LayerTypeDot1Q, layers.LayerTypePPPoE, layers.LayerTypePPP:
		return true
	default:
		return layers.LayerClassIPv6Extension.Contains(t)
	}
}

func address(ip []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}
