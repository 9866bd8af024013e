package show

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/recording"
	"github.com/bcwire/bcwire/transport"
)

// system decodes a message that is not Data.
func (p *Packet) system(r *record, s *session) {
	m := &r.msg
	body, err := m.Decode()
	if dialect := dialectOf(m, body); dialect != "" {
		r.note("dialect", "dialect: "+dialect)
	}
	if !errors.Is(err, transport.ErrDialect) {
		r.err = err
	}
	r.body = body
	switch b := body.(type) {
	case transport.ConnectReply:
		r.typ, r.name = "ConnectReply", "ConnectReply"
	case transport.ConnectRequest:
		if p.Dir == recording.ToServer {
			s.connect(b.ConnID)
		}
	}
	if s.channel(p.Datagram, p.peer).repeated(m) {
		r.note("repeated", "")
	}
}

// dialectOf says what is not of the stock game about a system message, or nothing.
func dialectOf(m *transport.Message, body transport.Body) string {
	if ack, ok := body.(transport.Ack); ok {
		if odd := ack.Flags &^ (transport.AckFragment | transport.AckSystem); odd != 0 {
			return fmt.Sprintf("flags 0x%02x", uint8(odd))
		}
		return ""
	}
	switch {
	case m.Type == transport.TypeDoNothing:
		return ""
	case m.Short:
		return "length of one byte" + shortMeaning(m)
	case !m.Reliable:
		return "not reliable"
	case !m.HighPriority:
		return "not high priority"
	}
	return ""
}

// openBCDisconnect is with what OpenBC leaves, in the short form. The stock game has no such
// type.
const openBCDisconnect transport.Type = 0x06

// shortMeaning says what a message in the short form stands for, where its type misleads.
func shortMeaning(m *transport.Message) string {
	switch {
	case m.Type == openBCDisconnect:
		return ", a Disconnect"
	case m.Type == transport.TypeNameChange && len(m.Body) == 0:
		return ", a keepalive"
	}
	return ""
}

// systemFields puts the fields of a body into the tree.
func systemFields(tree *object, body transport.Body) {
	switch b := body.(type) {
	case transport.Ack:
		tree.put("Seq", b.Seq)
		tree.put("Flags", uint8(b.Flags))
		if b.Flags&transport.AckFragment != 0 {
			tree.put("FragIndex", b.FragIndex)
		}
	case transport.ConnectRequest:
		tree.put("LocalIP", netip.AddrFrom4(b.LocalIP))
		tree.put("ConnID", b.ConnID)
		tree.put("Password", b.Password)
	case transport.ConnectReply:
		tree.put("PeerID", int8(b.PeerID))
	case transport.NameChange:
		tree.put("PeerID", int8(b.PeerID))
		tree.put("IP", netip.AddrFrom4(b.IP))
		tree.put("Name", b.Name)
	case transport.Boot:
		tree.put("Reason", b.Reason)
		tree.put("PeerID", int8(b.PeerID))
	case transport.Disconnect:
		tree.put("PeerID", int8(b.PeerID))
		tree.put("IP", netip.AddrFrom4(b.IP))
	case transport.DoNothing:
		tree.put("Raw", b.Raw)
	}
}
