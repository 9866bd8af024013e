package capture

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"
)

// snap is the header of LLC and SNAP before IPv4.
var snap = []byte{0xAA, 0xAA, 3, 0, 0, 0, 8, 0}

// dot11 is the header of a frame of 802.11 from a station, and dot11QoS that of a frame with a quality of service.
var (
	dot11    = slices.Concat([]byte{0x08, 0x01, 0, 0}, make([]byte, 20))
	dot11QoS = slices.Concat([]byte{0x88, 0x01, 0, 0}, make([]byte, 22))
	sequence = []byte{0xDE, 0xAD, 0xBE, 0xEF} // check sequence
)

// radiotap returns a header with the field of flags.
func radiotap(flags byte) []byte { return []byte{0, 0, 9, 0, 2, 0, 0, 0, flags} }

// attribute returns an attribute of the log of Linux.
func attribute(order binary.AppendByteOrder, typ uint16, value []byte) []byte {
	b := order.AppendUint16(order.AppendUint16(nil, uint16(4+len(value))), typ)
	return slices.Concat(b, value, make([]byte, -len(value)&3))
}

// pktap returns a header of macOS before a link type.
func pktap(length uint32, link uint32) []byte {
	b := little.AppendUint32(little.AppendUint32(little.AppendUint32(nil, length), 1), link)
	return append(b, make([]byte, int(length)-len(b))...)
}

func ethernet(t layers.EthernetType) []byte {
	return binary.BigEndian.AppendUint16(make([]byte, 12), uint16(t))
}

// Packets of all link types that are read have the same datagrams.
func TestLinkTypes(t *testing.T) {
	match := recordedMatch(t)[:40]
	const noFCS, withFCS = 0, 0x10
	for _, c := range []struct {
		link          layers.LinkType
		name          string
		before, after []byte
	}{
		{layers.LinkTypeNull, "little endian", []byte{2, 0, 0, 0}, nil},
		{layers.LinkTypeLoop, "", []byte{0, 0, 0, 2}, nil},
		{layers.LinkTypeEthernet, "", ethernet(layers.EthernetTypeIPv4), nil},
		{layers.LinkTypeEthernet, "check sequence", ethernet(layers.EthernetTypeIPv4), sequence},
		{layers.LinkTypeEthernet, "VLAN", append(ethernet(layers.EthernetTypeDot1Q), 0, 7, 8, 0), nil},
		{layers.LinkTypeEthernet, "two tags", append(ethernet(layers.EthernetTypeQinQ), 0, 7, 0x81, 0, 0, 8, 8, 0), nil},
		{layers.LinkTypeEthernet, "0x9100", append(ethernet(0x9100), 0, 7, 8, 0), nil},
		{layers.LinkTypeEthernet, "0x9100, then 0x8100", append(ethernet(0x9100), 0, 7, 0x81, 0, 0, 8, 8, 0), nil},
		{layers.LinkTypeEthernet, "0x9200, then 0x9300", append(ethernet(0x9200), 0, 7, 0x93, 0, 0, 8, 8, 0), nil},
		{layers.LinkTypeEthernet, "0x8100, then 0x9100", append(ethernet(layers.EthernetTypeDot1Q), 0, 7, 0x91, 0, 0, 8, 8, 0), nil},
		{layers.LinkTypeFDDI, "", slices.Concat([]byte{0x50}, make([]byte, 12), snap), nil},
		{layers.LinkTypeLinuxSLL, "", slices.Concat([]byte{0, 0, 0, 1, 0, 6}, make([]byte, 8), []byte{8, 0}), nil},
		{layers.LinkTypeLinuxSLL2, "", slices.Concat([]byte{8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6}, make([]byte, 8)), nil},
		{layers.LinkTypePFLog, "", slices.Concat([]byte{61, 2}, make([]byte, 62)), nil},
		{layers.LinkTypePPP, "", []byte{0, 0x21}, nil},
		{layers.LinkTypePPP, "address", []byte{0xFF, 3, 0, 0x21}, nil},
		{layers.LinkTypePPP_HDLC, "", []byte{0xFF, 3, 0, 0x21}, nil},
		{layers.LinkTypePPP_HDLC, "Cisco", []byte{0x0F, 0, 8, 0}, nil},
		{layers.LinkTypeC_HDLC, "", []byte{0x8F, 0, 8, 0}, nil},
		{linkPPPWithDir, "", []byte{1, 0xFF, 3, 0, 0x21}, nil},
		{layers.LinkTypeATM_RFC1483, "", snap, nil},
		{layers.LinkTypeIPOverFC, "", slices.Concat(make([]byte, 16), snap), nil},
		{layers.LinkTypeIPOver1394, "", append(make([]byte, 16), 8, 0), nil},
		{layers.LinkTypeRaw, "", nil, nil},
		{linkRawBSD, "", nil, nil},
		{linkRawOpenBSD, "", nil, nil},
		{layers.LinkTypeIPv4, "", nil, nil},
		{layers.LinkTypeSLIP, "", make([]byte, 16), nil},
		{linkEnc, "", make([]byte, 12), nil},
		{layers.LinkTypeIEEE802_11, "without a check sequence", slices.Concat(dot11, snap), nil},
		{layers.LinkTypeIEEE802_11, "with a check sequence", slices.Concat(dot11, snap), sequence},
		{layers.LinkTypeIEEE802_11, "QoS, without", slices.Concat(dot11QoS, snap), nil},
		{layers.LinkTypeIEEE802_11, "QoS, with", slices.Concat(dot11QoS, snap), sequence},
		{layers.LinkTypeIEEE80211Radio, "without a check sequence", slices.Concat(radiotap(noFCS), dot11, snap), nil},
		{layers.LinkTypeIEEE80211Radio, "with a check sequence", slices.Concat(radiotap(withFCS), dot11, snap), sequence},
		{layers.LinkTypeIEEE80211Radio, "without, but with the flag", slices.Concat(radiotap(withFCS), dot11, snap), nil},
		{layers.LinkTypeIEEE80211Radio, "with, but without the flag", slices.Concat(radiotap(noFCS), dot11, snap), sequence},
		{layers.LinkTypePrismHeader, "without a check sequence", slices.Concat([]byte{0x44, 0, 0, 0, 24, 0, 0, 0}, make([]byte, 16), dot11, snap), nil},
		{linkAVS, "without a check sequence", slices.Concat([]byte{0x80, 0x21, 0x10, 1, 0, 0, 0, 64}, make([]byte, 56), dot11, snap), nil},
		{linkPPI, "802.11", slices.Concat([]byte{0, 0, 8, 0, 105, 0, 0, 0}, dot11, snap), nil},
		{linkPPI, "Ethernet", slices.Concat([]byte{0, 0, 8, 0, 1, 0, 0, 0}, ethernet(layers.EthernetTypeIPv4)), nil},
		{linkPKTAP, "Ethernet", append(pktap(156, 1), ethernet(layers.EthernetTypeIPv4)...), nil},
		{linkPKTAP, "loopback", append(pktap(108, 0), 2, 0, 0, 0), nil},
		{linkPKTAP, "raw", pktap(156, 12), nil},
		{layers.LinkTypeApplePKTAP, "raw", pktap(156, 12), nil},
	} {
		t.Run(fmt.Sprint(c.link, " ", c.name), func(t *testing.T) {
			var frames []frame
			for i := range match {
				frames = append(frames, frame{data: slices.Concat(c.before, packet4(t, &match[i]), c.after)})
			}
			in := readAll(pcapWith(t, c.link, frames...))
			require.NoError(t, in.err)
			require.Empty(t, in.notes)
			requireData(t, match, in.datagrams)
		})
	}
}

// Headers that have the length of the packet, or that are for IPv6.
func TestLinkTypesWithLengths(t *testing.T) {
	match := recordedMatch(t)[:40]
	pppoe := func(ip []byte) []byte {
		return slices.Concat([]byte{0x11, 0, 0, 1}, binary.BigEndian.AppendUint16(nil, uint16(len(ip)+2)), []byte{0, 0x21}, ip)
	}
	for _, c := range []struct {
		link  layers.LinkType
		name  string
		frame func(d *Datagram) []byte
	}{
		{layers.LinkTypePPPEthernet, "", func(d *Datagram) []byte { return pppoe(packet4(t, d)) }},
		{layers.LinkTypeEthernet, "PPPoE", func(d *Datagram) []byte {
			return append(ethernet(layers.EthernetTypePPPoESession), pppoe(packet4(t, d))...)
		}},
		{linkNFLOG, "little endian", func(d *Datagram) []byte {
			return slices.Concat([]byte{2, 0, 0, 0}, attribute(binary.LittleEndian, 1, make([]byte, 4)), attribute(binary.LittleEndian, 10, []byte("in\x00")),
				attribute(binary.LittleEndian, 9, packet4(t, d)))
		}},
		{linkNFLOG, "big endian", func(d *Datagram) []byte {
			return slices.Concat([]byte{2, 0, 0, 0}, attribute(binary.BigEndian, 1, make([]byte, 4)), attribute(binary.BigEndian, 9, packet4(t, d)))
		}},
		{layers.LinkTypeIPv6, "", func(d *Datagram) []byte { return packet6(t, d) }},
		{layers.LinkTypeRaw, "IPv6", func(d *Datagram) []byte { return packet6(t, d) }},
		{layers.LinkTypeNull, "IPv6 of macOS", func(d *Datagram) []byte { return append([]byte{30, 0, 0, 0}, packet6(t, d)...) }},
		{layers.LinkTypeRaw, "IPv4 in IPv6", func(d *Datagram) []byte {
			return serialize(t, &layers.IPv6{Version: 6, NextHeader: layers.IPProtocolIPv4, SrcIP: player6, DstIP: host6}, gopacket.Payload(packet4(t, d)))
		}},
	} {
		t.Run(fmt.Sprint(c.link, " ", c.name), func(t *testing.T) {
			var frames []frame
			for i := range match {
				frames = append(frames, frame{data: c.frame(&match[i])})
			}
			in := readAll(pcapWith(t, c.link, frames...))
			require.NoError(t, in.err)
			require.Empty(t, in.notes)
			requireData(t, match, in.datagrams)
		})
	}
}

// A truncated frame of 802.11 has no bytes that were not captured.
func TestTruncatedWireless(t *testing.T) {
	datagram := recordedMatch(t)[10]
	for name, c := range map[string]struct {
		link   layers.LinkType
		before []byte
	}{
		"802.11":                  {layers.LinkTypeIEEE802_11, slices.Concat(dot11, snap)},
		"radiotap":                {layers.LinkTypeIEEE80211Radio, slices.Concat(radiotap(0), dot11, snap)},
		"radiotap, with the flag": {layers.LinkTypeIEEE80211Radio, slices.Concat(radiotap(0x10), dot11, snap)},
	} {
		data := append(c.before, packet4(t, &datagram)...)
		in := readAll(pcapWith(t, c.link, frame{data: data[:len(data)-7], length: len(data)}))
		require.NoError(t, in.err, name)
		require.Equal(t, 7, in.datagrams[0].Missing, name)
		require.Equal(t, datagram.Data[:len(datagram.Data)-7], in.datagrams[0].Data, name)
		require.Equal(t, []string{"1 datagram truncated by the capture; the first is number 1"}, in.notes, name)
	}
}

// Packets that are not read are counted, by what they are. Those of other protocols are not.
func TestUnreadPackets(t *testing.T) {
	datagram := Datagram{Data: []byte{2, 0, 0, 0}}
	ip := packet4(t, &datagram)
	changed := func(offset int, value byte) []byte {
		b := slices.Clone(ip)
		b[offset] = value
		return b
	}
	tcp := serialize(t, &layers.IPv4{Version: 4, Protocol: layers.IPProtocolTCP, SrcIP: player4, DstIP: host4}, gopacket.Payload{1, 2, 3})
	encrypted := slices.Concat([]byte{0x08, 0x41, 0, 0}, make([]byte, 60))
	beacon := slices.Concat([]byte{0x80, 0, 0, 0}, make([]byte, 60))
	ack := slices.Concat([]byte{0xD4, 0, 0, 0}, make([]byte, 6))
	arp := append(ethernet(layers.EthernetTypeARP), make([]byte, 10)...)
	for name, c := range map[string]struct {
		link  layers.LinkType
		data  []byte
		cut   int // bytes of the data that were not captured
		notes string
	}{
		"USB":                   {220, ip, 0, "packet of link type 220 (USB) not read"},
		"Bluetooth":             {201, ip, 0, "packet of link type 201 (Bluetooth) not read"},
		"unknown":               {300, ip, 0, "packet of link type 300 not read"},
		"user":                  {layers.LinkTypeApplePKTAP, ip, 0, "packet of link type 149 not read"},
		"malformed PKTAP":       {linkPKTAP, make([]byte, 300), 0, "packet of link type 258 (PKTAP) not read"},
		"PKTAP in PKTAP":        {linkPKTAP, pktap(156, 258), 0, "packet of link type 258 (PKTAP) not read"},
		"PKTAP beyond":          {linkPKTAP, pktap(156, 1)[:100], 56, "packet of link type 258 (PKTAP) not read"},
		"malformed NFLOG":       {linkNFLOG, []byte{2, 0, 0, 0, 9, 9, 9, 9}, 0, "packet of link type 239 (NFLOG) not read"},
		"encrypted":             {layers.LinkTypeIEEE802_11, encrypted, 0, "encrypted frame of 802.11 not read"},
		"beacon":                {layers.LinkTypeIEEE802_11, beacon, 0, ""},
		"acknowledgement":       {layers.LinkTypeIEEE802_11, ack, 0, ""},
		"TCP":                   {layers.LinkTypeRaw, tcp, 0, ""},
		"ARP":                   {layers.LinkTypeEthernet, arp, 0, ""},
		"unknown EtherType":     {layers.LinkTypeEthernet, append(ethernet(0x88E5), ip...), 0, ""},
		"no bytes":              {layers.LinkTypeRaw, nil, 28, "packet not read: the capture has truncated the headers"},
		"cut in IP":             {layers.LinkTypeRaw, ip, len(ip) - 19, "packet not read: the capture has truncated the headers"},
		"cut in UDP":            {layers.LinkTypeRaw, ip, len(ip) - 27, "packet not read: the capture has truncated the headers"},
		"cut in IP in Ethernet": {layers.LinkTypeEthernet, append(ethernet(layers.EthernetTypeIPv4), ip...), len(ip) - 19, "packet not read: the capture has truncated the headers"},
		"cut in the data":       {layers.LinkTypeRaw, ip, 1, "datagram truncated by the capture"},
		"version 5 of IP":       {layers.LinkTypeRaw, changed(0, 0x55), 0, "malformed packet not read"},
		"length of IP":          {layers.LinkTypeRaw, changed(3, 10), 0, "malformed packet not read"},
		"header length of IP":   {layers.LinkTypeRaw, changed(0, 0x4F), 0, "malformed packet not read"},
		"length of UDP":         {layers.LinkTypeRaw, changed(25, 3), 0, "malformed packet not read"},
	} {
		t.Run(name, func(t *testing.T) {
			f := frame{data: c.data[:max(0, len(c.data)-c.cut)], length: max(len(c.data), c.cut)}
			in := readAll(pcapWith(t, c.link, f, f))
			if c.notes == "" {
				require.Empty(t, in.notes)
				return
			}
			require.Len(t, in.notes, 1)
			noun := regexp.MustCompile(`^(packet|datagram|encrypted frame|malformed packet) `)
			require.Contains(t, in.notes[0], noun.ReplaceAllString(c.notes, "2 ${1}s "))
			require.Contains(t, in.notes[0], "; the first is number 1")
		})
	}
}

// A hostile capture has all link types. The notes are bounded, and their numbers add up.
func TestManyLinkTypes(t *testing.T) {
	capture := slices.Concat(section(1, 0))
	for i := range 2 * maxNotes {
		capture = slices.Concat(capture, deviceWith(layers.LinkType(1000+i)), enhanced(uint32(i), 0, 1, []byte{1}))
	}
	in := readAll(capture)
	require.ErrorIs(t, in.err, ErrEmpty)
	require.Len(t, in.notes, maxNotes+1)
	require.Contains(t, in.notes[maxNotes], fmt.Sprintf("%d packets of other link types not read", maxNotes))
}
