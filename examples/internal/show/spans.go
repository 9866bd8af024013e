package show

import (
	"fmt"

	"github.com/bcwire/bcwire/transport"
)

// span is a part of a datagram, or of a payload put together from several.
type span struct {
	offset int
	raw    []byte // empty: a packed bool, whose byte another span shows
	label  string
	value  string
	err    error
}

// spans cuts bytes into parts.
type spans struct {
	rest   []byte
	offset int
	list   []span
}

// take cuts off the next n bytes, or what is there of them.
func (s *spans) take(n int, label, value string) []byte {
	if len(s.rest) == 0 {
		return nil
	}
	n = min(n, len(s.rest))
	raw := s.rest[:n]
	s.list = append(s.list, span{offset: s.offset, raw: raw, label: label, value: value})
	s.rest = s.rest[n:]
	s.offset += n
	return raw
}

// fail cuts off all that is left, as what err is about.
func (s *spans) fail(label string, err error) {
	s.list = append(s.list, span{offset: s.offset, raw: s.rest, label: label, err: err})
	s.offset += len(s.rest)
	s.rest = nil
}

// headSpans returns those of the datagram's header.
func (p *Packet) headSpans() []span {
	s := spans{rest: p.Data[:min(2, len(p.Data))]}
	s.take(1, "PeerID", fmt.Sprint(p.peer))
	if len(p.Data) > 1 {
		s.take(1, "Count", fmt.Sprint(p.Data[1]))
	}
	return s.list
}

// spans returns those of a message.
func (r *record) spans() []span {
	s := spans{rest: r.raw, offset: r.offset}
	if r.typ == "GameSpy" {
		s.take(len(r.raw), "Text", printable(gamespyText(r)))
		return s.list
	}
	if len(r.raw) > 0 {
		s.header(&r.msg)
	}
	s.body(r)
	if len(s.rest) > 0 || r.err != nil && !s.failed() {
		s.fail("", r.err)
	}
	return s.list
}

func (s *spans) failed() bool {
	return len(s.list) > 0 && s.list[len(s.list)-1].err != nil
}

// header cuts off the header of a message, as far as it is there.
func (s *spans) header(m *transport.Message) {
	s.take(1, "Type", m.Type.String())
	switch {
	case m.Type == transport.TypeAck:
		if len(s.rest) >= 2 {
			s.take(2, "Seq", fmt.Sprint(m.Seq))
		}
		return
	case m.Type == transport.TypeDoNothing, !m.Short && !hasFlags(m.Type):
		return
	case m.Short:
		s.take(1, "Length", fmt.Sprint(m.Len()))
		return
	}
	if len(s.rest) < 2 {
		return
	}
	s.take(2, "Flags+Length", flagText(m, s.rest))
	if m.Reliable && len(s.rest) >= 2 {
		s.take(2, "Seq", fmt.Sprint(m.Seq))
	}
	if m.Fragment {
		s.take(1, "FragIndex", fmt.Sprint(m.FragIndex))
	}
	if m.Fragment && m.FragIndex == 0 {
		s.take(1, "FragTotal", fmt.Sprint(m.FragTotal))
	}
}

// hasFlags says whether messages of a type have flags and a length of two bytes.
func hasFlags(t transport.Type) bool {
	switch t {
	case transport.TypeNameChange, transport.TypeConnect, transport.TypeBoot, transport.TypeDisconnect, transport.TypeData:
		return true
	}
	return false
}

func flagText(m *transport.Message, raw []byte) string {
	length := int(raw[0]) | int(raw[1])<<8&0x3F00
	if m.Type == transport.TypeData {
		length &= 0x1FFF
	}
	text := fmt.Sprintf("length %d", length)
	for _, f := range []struct {
		set  bool
		name string
	}{{m.Reliable, "reliable"}, {m.HighPriority, "high priority"}, {m.Fragment, "fragment"}} {
		if f.set {
			text += ", " + f.name
		}
	}
	return text
}
