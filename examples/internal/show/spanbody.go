package show

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/bcwire/bcwire/transport"
)

// body cuts off the body of a message.
func (s *spans) body(r *record) {
	switch {
	case r.body != nil:
		s.system(r.body)
	case r.msg.Fragment && r.err == nil:
		s.take(len(s.rest), "piece", fmt.Sprintf("%d bytes", len(s.rest)))
	case len(r.parts) > 0:
		list := payloadSpans(r, s.offset)
		s.list = append(s.list, list...)
		s.offset, s.rest = s.offset+len(s.rest), nil
	case r.err == nil && len(s.rest) > 0:
		s.take(len(s.rest), "Body", "")
	}
}

// payloadSpans returns the spans of a payload that begins at base.
func payloadSpans(r *record, base int) []span {
	list := make([]span, len(r.parts))
	for i, f := range r.parts {
		x := span{offset: base + f.Offset, raw: f.Raw, label: strings.TrimPrefix(f.Path, subsystems+"."), err: f.Err}
		if f.Err == nil {
			x.value = short(f.Value)
			if i == 0 && f.Path == "Opcode" {
				x.value = r.title()
			}
			if more := detail(f.Value); more != "" {
				x.value += "  " + more
			}
		}
		if f.Bit >= 0 {
			x.value += fmt.Sprintf("  bit %d of 0x%04x", f.Bit, base+f.Offset)
		}
		list[i] = x
	}
	return list
}

// system cuts off the fields of a typed body.
func (s *spans) system(body transport.Body) {
	ip := func(b [4]byte) string { return netip.AddrFrom4(b).String() }
	switch b := body.(type) {
	case transport.Ack:
		s.take(1, "Flags", ackText(b.Flags))
		s.take(1, "FragIndex", fmt.Sprint(b.FragIndex))
	case transport.ConnectRequest:
		s.take(4, "LocalIP", ip(b.LocalIP))
		s.take(4, "ConnID", fmt.Sprint(b.ConnID))
		s.take(len(s.rest), "Password", short(b.Password))
	case transport.ConnectReply:
		s.take(1, "PeerID", fmt.Sprint(b.PeerID))
	case transport.NameChange:
		s.take(1, "PeerID", fmt.Sprint(b.PeerID))
		s.take(4, "IP", ip(b.IP))
		s.take(len(s.rest), "Name", short(b.Name))
	case transport.Boot:
		s.take(1, "Reason", short(b.Reason))
		s.take(1, "PeerID", fmt.Sprint(b.PeerID))
	case transport.Disconnect:
		s.take(1, "PeerID", fmt.Sprint(b.PeerID))
		s.take(4, "IP", ip(b.IP))
	case transport.DoNothing:
		s.take(len(s.rest), "Raw", "")
	}
}

func ackText(f transport.AckFlags) string {
	text := "of the game channel"
	if f&transport.AckSystem != 0 {
		text = "of the system channel"
	}
	if f&transport.AckFragment != 0 {
		text += ", a fragment"
	}
	return text
}
