package show

import (
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// byteOutput shows every byte of each datagram once, with the field that it belongs to.
type byteOutput struct {
	w     io.Writer
	style style
}

// NewBytes returns an output of every byte of each datagram, with its field.
func NewBytes(w io.Writer, colour bool) Output {
	return &byteOutput{w: w, style: newStyle(colour)}
}

func (a *byteOutput) Finish(int) error { return nil }
func (a *byteOutput) Failed() bool     { return false }

func (a *byteOutput) Packet(p *Packet) error {
	var b strings.Builder
	s := a.style
	title := fmt.Sprintf("packet %d  %.3f s  %d bytes", p.Number, p.Time, len(p.Data))
	fmt.Fprintf(&b, "%s  %s %s peer %s\n", s.name.Sprint(title), p.Client, s.arrow(p.Dir), strings.TrimSpace(p.peerText()))
	if !p.gamespy {
		a.spans(&b, p.headSpans())
	}
	for _, r := range p.records {
		a.record(&b, r)
	}
	if len(p.trailing) > 0 {
		a.spans(&b, []span{{offset: len(p.Data) - len(p.trailing), raw: p.trailing, label: "trailing"}})
	}
	b.WriteByte('\n')
	_, err := io.WriteString(a.w, b.String())
	return err
}

// record prints the bytes of a message, and those of a payload that it completes.
func (a *byteOutput) record(b *strings.Builder, r *record) {
	s := a.style
	fmt.Fprintf(b, " %s %s", s.dim.Sprintf("[%d]", r.index), s.name.Sprint(r.title()))
	if text := r.noteText(); text != "" {
		b.WriteString("  " + s.note.Sprintf("(%s)", terminal.Line(text)))
	}
	b.WriteByte('\n')
	list := r.spans()
	a.spans(b, list)
	if r.msg.Fragment && r.whole {
		fmt.Fprintf(b, "  payload of %d bytes, put together\n", len(r.payload))
		a.spans(b, payloadSpans(r, 0))
	}
}

// spanWidth is the number of bytes in a line.
const spanWidth = 8

func (a *byteOutput) spans(b *strings.Builder, list []span) {
	for _, x := range list {
		a.span(b, x)
	}
}

func (a *byteOutput) span(b *strings.Builder, x span) {
	s := a.style
	raw := x.raw
	first := raw[:min(spanWidth, len(raw))]
	mark := "  "
	value := s.value.Sprint(x.value)
	if x.err != nil {
		mark = s.bad.Sprint("!!")
		value = s.bad.Sprint(terminal.Line(x.err.Error()))
	}
	line := fmt.Sprintf("  %s  %-*s %s %-20s %s", s.dim.Sprintf("%04x", x.offset), 3*spanWidth-1, hexPairs(first), mark, terminal.Line(x.label), value)
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	for at := spanWidth; at < len(raw); at += spanWidth {
		next := raw[at:min(at+spanWidth, len(raw))]
		fmt.Fprintf(b, "  %s  %s\n", s.dim.Sprintf("%04x", x.offset+at), hexPairs(next))
	}
}

func hexPairs(b []byte) string { return fmt.Sprintf("% x", b) }

// gamespyText returns GameSpy text, which is in Windows-1252 like the game's own.
func gamespyText(r *record) string { return stream.Text(r.raw).String() }

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
		case !r.msg.Fragment && len(r.parts) > 0 && f.Offset >= len(r.raw)-len(r.msg.Body):
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

// fieldText returns the value of a field of the transport.
func fieldText(f stream.Field) string {
	switch v := f.Value.(type) {
	case [4]byte:
		return netip.AddrFrom4(v).String()
	case objectid.PeerID:
		return strconv.Itoa(int(v))
	case transport.AckFlags:
		return ackText(v)
	case transport.UTF16Z:
		return short(v)
	case []byte:
		if f.Path == "Fragment" {
			return fmt.Sprintf("%d bytes", len(v))
		}
		return ""
	}
	return fmt.Sprint(f.Value)
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
