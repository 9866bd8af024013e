package capture

import (
	"bytes"
	"container/list"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket/ip4defrag"
	"github.com/gopacket/gopacket/ip6defrag"
	"github.com/gopacket/gopacket/layers"
)

// Limits of fragments that wait for others.
const (
	maxWaiting   = 16 << 20         // bytes, with fragmentCost for each
	fragmentCost = 512              // bytes
	maxWait      = 30 * time.Second // then another packet may have the same number
)

// fragments reassembles packets of IP. Each packet has a defragmenter of its own: those of gopacket have no limits.
type fragments struct {
	packets map[packetID]*list.Element
	oldest  list.List // of *partial, in the order of their first fragments
	bytes   int
	notes   *notes
}

// packetID identifies a packet of IP.
type packetID struct {
	src, dst netip.Addr
	number   uint32
	protocol layers.IPProtocol // of IPv4
}

// partial is a packet of which fragments are missing.
type partial struct {
	packetID
	ip4   *ip4defrag.IPv4Defragmenter
	ip6   *ip6defrag.IPv6Defragmenter
	at    time.Time
	first int // number of the first fragment
	bytes int
}

// add4 adds a fragment of IPv4, and returns the packet if it is complete, else nil.
func (f *fragments) add4(h *layers.IPv4, p *packet) *layers.IPv4 {
	own := *h // without p.data, which the next packet overwrites
	own.Payload = bytes.Clone(h.Payload)
	x := f.partial(packetID{address(h.SrcIP), address(h.DstIP), uint32(h.Id), h.Protocol}, p, len(own.Payload))
	if x.ip4 == nil {
		x.ip4 = ip4defrag.NewIPv4Defragmenter()
	}
	whole, err := x.ip4.DefragIPv4WithTimestamp(&own, p.at)
	if whole != nil || err != nil {
		f.remove(x, err != nil)
	}
	return whole
}

// add6 adds a fragment of IPv6, and returns the packet if it is complete, else nil.
func (f *fragments) add6(h *layers.IPv6, x *layers.IPv6Fragment, p *packet) *layers.IPv6 {
	if x.FragmentOffset == 0 && !x.MoreFragments { // complete, whatever else has the number: RFC 6946
		return &layers.IPv6{BaseLayer: x.BaseLayer, NextHeader: x.NextHeader}
	}
	own := *x
	own.Payload = bytes.Clone(x.Payload)
	part := f.partial(packetID{address(h.SrcIP), address(h.DstIP), x.Identification, 0}, p, len(own.Payload))
	if part.ip6 == nil {
		part.ip6 = ip6defrag.NewIPv6Defragmenter()
	}
	whole := part.ip6.DefragIPv6(h, &own)
	if whole != nil {
		f.remove(part, false)
	}
	return whole
}

// partial returns the packet with an ID, to which a fragment is added. It makes room first.
func (f *fragments) partial(id packetID, p *packet, size int) *partial {
	if e := f.packets[id]; e != nil && e.Value.(*partial).at.Sub(p.at).Abs() > maxWait {
		f.remove(e.Value.(*partial), true)
	}
	size += fragmentCost
	for f.bytes+size > maxWaiting && f.oldest.Len() > 0 {
		f.remove(f.oldest.Front().Value.(*partial), true)
	}
	e := f.packets[id]
	if e == nil {
		if f.packets == nil {
			f.packets = map[packetID]*list.Element{}
		}
		e = f.oldest.PushBack(&partial{packetID: id, at: p.at, first: p.number})
		f.packets[id] = e
	}
	x := e.Value.(*partial)
	x.bytes += size
	f.bytes += size
	return x
}

// remove removes a packet, which is complete or lost.
func (f *fragments) remove(x *partial, lost bool) {
	f.oldest.Remove(f.packets[x.packetID])
	delete(f.packets, x.packetID)
	f.bytes -= x.bytes
	if lost {
		f.notes.add(fragmentsUnread, 0, x.first)
	}
}

// finish gives up the packets that are not complete.
func (f *fragments) finish() {
	for f.oldest.Len() > 0 {
		f.remove(f.oldest.Front().Value.(*partial), true)
	}
}
