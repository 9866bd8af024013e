package show

import (
	"strconv"

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
	s.take(1, "PeerID", strconv.Itoa(int(p.peer)))
	if len(p.Data) > 1 {
		s.take(1, "Count", strconv.Itoa(int(p.Data[1])))
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
	s.message(r)
	if len(s.rest) > 0 || r.err != nil && !s.failed() {
		s.fail("", r.err)
	}
	return s.list
}

func (s *spans) failed() bool {
	return len(s.list) > 0 && s.list[len(s.list)-1].err != nil
}

// message cuts off the fields of a message. Those of a payload stand for the payload, and
// what could not be read is left.
func (s *spans) message(r *record) {
	var m transport.Message
	fields, _ := m.Dissect(r.raw) // its error is the record's
	for _, f := range fields {
		switch {
		case f.Offset >= len(r.raw)-len(r.msg.Body) && len(r.parts) > 0:
			s.list = append(s.list, payloadSpans(r, s.offset)...)
			s.offset, s.rest = s.offset+len(s.rest), nil
			return
		case f.Err == nil:
			if f.Path == "Payload" {
				f.Path = "Body"
			}
			s.take(f.Size, f.Path, fieldText(f))
		}
	}
}
