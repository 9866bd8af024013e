package capture

import (
	"encoding/binary"
	"fmt"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// Link types without a name in gopacket, as https://www.tcpdump.org/linktypes.html lists them.
const (
	linkRawBSD     layers.LinkType = 12
	linkRawOpenBSD layers.LinkType = 14
	linkEnc        layers.LinkType = 109
	linkAVS        layers.LinkType = 163
	linkPPI        layers.LinkType = 192
	linkPPPWithDir layers.LinkType = 204
	linkNFLOG      layers.LinkType = 239
	linkPKTAP      layers.LinkType = 258

	otherLinks layers.LinkType = 1<<16 - 1 // in a note
)

// contents has the link types whose packets are a header of a fixed length and a layer of gopacket.
var contents = map[layers.LinkType]struct {
	header int
	layer  gopacket.Decoder
}{
	layers.LinkTypeNull:        {0, layers.LinkTypeNull},
	layers.LinkTypeLoop:        {0, layers.LinkTypeLoop},
	layers.LinkTypeEthernet:    {0, layers.LinkTypeEthernet},
	layers.LinkTypeFDDI:        {0, layers.LinkTypeFDDI},
	layers.LinkTypeLinuxSLL:    {0, layers.LinkTypeLinuxSLL},
	layers.LinkTypeLinuxSLL2:   {0, layers.LinkTypeLinuxSLL2},
	layers.LinkTypePFLog:       {0, layers.LinkTypePFLog},
	layers.LinkTypePPPEthernet: {0, layers.LayerTypePPPoE},
	layers.LinkTypeATM_RFC1483: {0, layers.LayerTypeLLC},
	layers.LinkTypeIPOverFC:    {16, layers.LayerTypeLLC},
	layers.LinkTypeRaw:         {0, layers.LinkTypeRaw},
	layers.LinkTypeIPv4:        {0, layers.LinkTypeRaw},
	layers.LinkTypeIPv6:        {0, layers.LinkTypeRaw},
	linkRawBSD:                 {0, layers.LinkTypeRaw},
	linkRawOpenBSD:             {0, layers.LinkTypeRaw},
	layers.LinkTypeSLIP:        {16, layers.LinkTypeRaw},
	linkEnc:                    {12, layers.LinkTypeRaw},
	linkPPPWithDir:             {1, layers.LinkTypePPP},
}

// open returns the first layer of a packet that gopacket decodes, and its bytes. The layer is nil if packets of the
// link type are not read, or if the header of the link type is malformed.
func open(link layers.LinkType, data []byte) (layer gopacket.Decoder, rest []byte) {
	if c, ok := contents[link]; ok {
		return c.layer, from(data, c.header)
	}
	switch link {
	case layers.LinkTypePPP, layers.LinkTypePPP_HDLC, layers.LinkTypeC_HDLC:
		if len(data) > 0 && (data[0] == 0x0F || data[0] == 0x8F) { // addresses of Cisco
			return etherType(data, 2)
		}
		return layers.LinkTypePPP, data
	case layers.LinkTypeIPOver1394:
		return etherType(data, 16)
	case layers.LinkTypeIEEE802_11:
		return wireless(data)
	case layers.LinkTypeIEEE80211Radio:
		p := gopacket.NewPacket(data, layers.LayerTypeRadioTap, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
		h, ok := p.Layer(layers.LayerTypeRadioTap).(*layers.RadioTap)
		if !ok {
			return nil, nil
		}
		if !h.RadioTapValues[0].Flags.FCS() {
			return layers.LayerTypeDot11, h.Payload // gopacket has added a check sequence
		}
		return wireless(h.Payload)
	case layers.LinkTypePrismHeader:
		return wireless(from(data, int(number(data, 4, binary.LittleEndian))))
	case linkAVS:
		return wireless(from(data, int(number(data, 4, binary.BigEndian))))
	case linkPPI:
		header := int(number(data, 0, binary.LittleEndian) >> 16)
		return inside(data, header, number(data, 4, binary.LittleEndian))
	case linkPKTAP, layers.LinkTypeApplePKTAP:
		if link != linkPKTAP && number(data, 4, binary.LittleEndian) != layers.PKTRecPacket {
			return nil, nil // a type for private use, which macOS is not the only one to use
		}
		header := int(number(data, 0, binary.LittleEndian))
		return inside(data, header, number(data, 8, binary.LittleEndian))
	case linkNFLOG:
		return nflog(data)
	}
	return nil, nil
}

// number returns the 32-bit number at an offset, or 0.
func number(data []byte, offset int, order binary.ByteOrder) uint32 {
	if len(data) < offset+4 {
		return 0
	}
	return order.Uint32(data[offset:])
}

// etherType returns the layer of the EtherType at an offset.
func etherType(data []byte, offset int) (gopacket.Decoder, []byte) {
	if len(data) < offset+2 {
		return nil, nil
	}
	return layers.EthernetType(binary.BigEndian.Uint16(data[offset:])), data[offset+2:]
}

// inside returns the layer after a header that has the link type of what follows.
func inside(data []byte, header int, link uint32) (gopacket.Decoder, []byte) {
	const shortest = 8
	if header < shortest || header > len(data) || link > uint32(otherLinks) {
		return nil, nil
	}
	return open(layers.LinkType(link), data[header:])
}

// wireless returns the layer of 802.11. Gopacket takes the last four bytes of a frame for the check sequence, which
// only some captures have. Four more bytes are right for both: the length in the header of IP tells where the packet
// ends.
func wireless(frame []byte) (gopacket.Decoder, []byte) {
	return layers.LayerTypeDot11, append(frame[:len(frame):len(frame)], 0, 0, 0, 0)
}

// nflog returns the packet in a message of the log of Linux. The message is a header of four bytes, and attributes in
// the byte order of the computer that captured it.
func nflog(data []byte) (gopacket.Decoder, []byte) {
	const header, payload = 4, 9
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for rest := from(data, header); len(rest) >= header; {
			length := int(order.Uint16(rest))
			if length < header || length > len(rest) {
				break
			}
			if order.Uint16(rest[2:]) == payload {
				return layers.LinkTypeRaw, rest[header:length]
			}
			rest = from(rest, (length+3)&^3)
		}
	}
	return nil, nil
}

// names are the link types that may be unread in a capture of a computer. Others have their number only.
var names = map[layers.LinkType]string{
	layers.LinkTypeFRelay: "Frame Relay", layers.LinkTypeLinuxUSB: "USB", layers.LinkTypeIEEE80211Radio: "802.11 with radiotap",
	linkPPI: "PPI", linkNFLOG: "NFLOG", linkPKTAP: "PKTAP",
	187: "Bluetooth", 189: "USB", 195: "802.15.4", 201: "Bluetooth", 227: "CAN", 230: "802.15.4", 249: "USBPcap", 251: "Bluetooth",
	252: "exported PDUs of Wireshark", 253: "netlink", 254: "Bluetooth", 256: "Bluetooth", 283: "802.15.4",
}

// nameOf returns a link type with its name, if that is known.
func nameOf(link layers.LinkType) string {
	if link == otherLinks {
		return "other link types"
	}
	if name, ok := names[link]; ok {
		return fmt.Sprintf("link type %d (%s)", link, name)
	}
	return fmt.Sprintf("link type %d", link)
}
