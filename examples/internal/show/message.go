package show

import (
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// systemMessage decodes a message that is not Data.
func (p *Packet) systemMessage(r *record, s *session) {
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
	if s.channel(p.Datagram, p.peer).duplicate(m) {
		r.note("repeated", "")
	}
}

// dialectOf returns the difference of a system message from the stock form, or "".
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

// openBCDisconnect is the type of the short message with which OpenBC disconnects. The stock
// game has no such type.
const openBCDisconnect transport.Type = 0x06

// shortMeaning returns the meaning of a message in the short form if its type is misleading.
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
		tree.put("PeerID", b.PeerID)
	case transport.NameChange:
		tree.put("PeerID", b.PeerID)
		tree.put("IP", netip.AddrFrom4(b.IP))
		tree.put("Name", b.Name)
	case transport.Boot:
		tree.put("Reason", b.Reason)
		tree.put("PeerID", b.PeerID)
	case transport.Disconnect:
		tree.put("PeerID", b.PeerID)
		tree.put("IP", netip.AddrFrom4(b.IP))
	case transport.DoNothing:
		tree.put("Raw", b.Raw)
	}
}

// dataMessage decodes a Data message.
func (p *Packet) dataMessage(r *record, s *session) {
	d, err := s.channel(p.Datagram, p.peer).deliver(instant(p.Time), &r.msg)
	r.err = err
	r.notes = append(r.notes, d.notes...)
	if r.msg.HighPriority {
		r.note("high priority", "")
	}
	if err != nil || !d.whole {
		return
	}
	r.whole = true
	m, err := r.dissect(d.payload)
	r.err = err
	if err == nil {
		r.message = m
		r.noteForms(m)
		s.ships.splitSubsystems(r)
		s.ships.nameParts(r)
	}
}

// dissectHead decodes the fields of a truncated message if its header is complete. If the
// header is truncated, the Body of the message is a part of the header.
func (r *record) dissectHead() {
	m := &r.msg
	if !errors.Is(r.err, io.ErrUnexpectedEOF) || m.Type != transport.TypeData || m.Fragment {
		return
	}
	if len(m.Body) > 0 && m.Len() == len(r.raw) {
		_, _ = r.dissect(m.Body) // r.err reports that the payload is truncated
	}
}

// dissect decodes a payload. Bytes after the last field are not an error; they give a note.
func (r *record) dissect(payload []byte) (opcode.Message, error) {
	r.payload = payload
	m, parts, err := opcode.Dissect(payload)
	r.parts = parts
	if len(payload) > 0 {
		r.code, r.hasCode = opcode.Code(payload[0]), true
		r.name = codeName(r.code)
	}
	if !errors.Is(err, stream.ErrTrailing) {
		return m, err
	}
	r.trailing = parts[len(parts)-1].Raw
	r.note("trailing bytes", trailingText(r.trailing)+" after the last field")
	return m, nil
}

// codeName returns the name of an opcode, or "Unknown" if it has none.
func codeName(c opcode.Code) string {
	if name := c.String(); name != hexCode(c) {
		return name
	}
	return "Unknown"
}

func hexCode(c opcode.Code) string { return "0x" + c.Hex() }

// noteForms adds notes about payloads without a layout and about forms that the stock game
// does not send.
func (r *record) noteForms(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.Unknown:
		r.note(unknownKind(r), "")
	case *opcode.TorpedoFire:
		if m.Form != opcode.TorpedoStock {
			r.note("dialect", "dialect: "+m.Form.String())
		}
	case *opcode.DeletePlayerAnim:
		switch m.Form {
		case opcode.NameOpenBC:
			r.note("dialect", "dialect: length of two bytes")
		case opcode.NameRaw:
			r.note("payload does not fit", "")
		}
	case *opcode.Settings:
		if m.Opaque {
			r.note("payload does not fit", "the rest is not a new name")
		}
	case *opcode.ObjectCreate:
		if m.Opaque {
			r.note("payload does not fit", "the rest is not a torpedo")
		}
	case *opcode.NewPlayerInGame:
		if m.Bare {
			r.note("dialect", "dialect: opcode alone")
		}
	case *opcode.BootPlayer:
		r.note("dialect", "dialect: the stock game does not send it")
	}
}

func unknownKind(r *record) string {
	if r.name == "Unknown" {
		return "unknown opcode"
	}
	return "payload without a layout"
}

func trailingText(b []byte) string {
	const shown = 16
	if len(b) > shown {
		return fmt.Sprintf("%d bytes %x...", len(b), b[:shown])
	}
	return fmt.Sprintf("%d bytes %x", len(b), b)
}
