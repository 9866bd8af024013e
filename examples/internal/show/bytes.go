package show

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// byteOutput prints every byte of each datagram once, with its field.
type byteOutput struct {
	w     io.Writer
	style style
}

// NewBytes returns an output that prints every byte of each datagram with its field.
func NewBytes(w io.Writer, colour bool) Output {
	return &byteOutput{w: w, style: newStyle(colour)}
}

func (o *byteOutput) Finish(int) error { return nil }
func (o *byteOutput) Failed() bool     { return false }

func (o *byteOutput) Packet(p *Packet) error {
	var b strings.Builder
	s := o.style
	title := fmt.Sprintf("packet %d  %.3f s  %d bytes", p.Number, p.Time, len(p.Data))
	fmt.Fprintf(&b, "%s  %s %s peer %s\n", s.name.Sprint(title), p.Client, s.arrow(p.Dir), strings.TrimSpace(p.peerText()))
	head, messages := p.frame()
	o.spans(&b, head)
	for i, r := range p.Messages {
		o.record(&b, p, r, messages[i])
	}
	if len(p.trailing) > 0 {
		o.spans(&b, []span{{Field: stream.Field{Path: "trailing", Offset: len(p.Data) - len(p.trailing), Raw: p.trailing}}})
	}
	b.WriteByte('\n')
	_, err := io.WriteString(o.w, b.String())
	return err
}

// record prints the bytes of a message. If it completes a fragmented payload, the payload
// follows.
func (o *byteOutput) record(b *strings.Builder, p *Packet, r *Message, frame []stream.Field) {
	s := o.style
	fmt.Fprintf(b, " %s %s", s.dim.Sprintf("[%d]", r.Index), s.name.Sprint(r.Title()))
	if text := r.Note(); text != "" {
		b.WriteString("  " + s.note.Sprintf("(%s)", terminal.Line(text)))
	}
	if text := p.ackedText(r); text != "" {
		b.WriteString("  " + s.dim.Sprint(text))
	}
	b.WriteByte('\n')
	o.spans(b, r.spans(frame))
	if r.Frame.Fragment && r.Whole {
		fmt.Fprintf(b, "  reassembled payload of %d bytes\n", len(r.Payload))
		o.spans(b, r.payloadSpans(0))
	}
}

// ackedText describes the message that an Ack acknowledges, if the input has it.
func (p *Packet) ackedText(r *Message) string {
	a := r.Acked
	roundTrip, known := p.RoundTrip(r)
	switch {
	case a.Acks > 1:
		return fmt.Sprintf("repeated: Ack %d of a message sent %s", a.Acks, terminal.Plural(a.Sends, "time"))
	case known:
		return fmt.Sprintf("round trip %v, least %v", roundTrip.Round(time.Millisecond), a.Least.Round(time.Millisecond))
	case a.Sends > 1:
		return fmt.Sprintf("of a message sent %d times", a.Sends)
	}
	return ""
}

// RoundTrip returns the time from a message to the Ack r of it. It reports false if the time is
// unknown; see [transport.Acked].
func (p *Packet) RoundTrip(r *Message) (time.Duration, bool) {
	return r.Acked.RoundTrip(Instant(p.Time))
}

// spanWidth is the number of bytes in a line.
const spanWidth = 8

func (o *byteOutput) spans(b *strings.Builder, list []span) {
	for _, x := range list {
		o.span(b, x)
	}
}

func (o *byteOutput) span(b *strings.Builder, x span) {
	s := o.style
	first := x.Raw[:min(spanWidth, len(x.Raw))]
	mark, value := "  ", s.value.Sprint(x.text)
	if x.Err != nil {
		mark, value = s.bad.Sprint("!!"), s.bad.Sprint(terminal.Line(x.Err.Error()))
	}
	line := fmt.Sprintf("  %s  %-*s %s %-20s %s", s.dim.Sprintf("%04x", x.Offset), 3*spanWidth-1, hexPairs(first), mark, terminal.Line(x.Path), value)
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	for at := spanWidth; at < len(x.Raw); at += spanWidth {
		next := x.Raw[at:min(at+spanWidth, len(x.Raw))]
		fmt.Fprintf(b, "  %s  %s\n", s.dim.Sprintf("%04x", x.Offset+at), hexPairs(next))
	}
}

func hexPairs(b []byte) string { return fmt.Sprintf("% x", b) }

// span is a field of a datagram or of a reassembled payload, and its value in text.
type span struct {
	stream.Field
	text string
}

// frame returns the fields of the framing: the fields before the messages, and the header
// fields of each message. It omits malformed bytes.
func (p *Packet) frame() (head []span, messages [][]stream.Field) {
	messages = make([][]stream.Field, len(p.Messages))
	i := -1
	for f := range transport.Dissect(p.Data) {
		_, name, inMessage := strings.Cut(f.Path, "].")
		if name == "Type" {
			i++
		}
		switch {
		case f.Err != nil || f.Path == "Trailing":
		case inMessage:
			f.Path = name
			messages[i] = append(messages[i], f)
		default:
			head = append(head, span{f, frameText(f)})
		}
	}
	return head, messages
}

// spans returns the fields of a message, given the fields of its frame. They include the fields
// of a payload that is not fragmented.
func (r *Message) spans(frame []stream.Field) (list []span) {
	if r.Type == "GameSpy" {
		return []span{{stream.Field{Path: "Text", Raw: r.Raw}, gamespyText(r)}}
	}
	at, end := r.Offset, r.Offset+len(r.Raw)
	payload := end - len(r.Frame.Body)
	split := !r.Frame.Fragment && len(r.parts) > 0 && payload < end
	for _, f := range frame {
		if split && f.Offset >= payload {
			break
		}
		if f.Path == "Payload" {
			f.Path = "Body"
		}
		list = append(list, span{f, frameText(f)})
		at = f.Offset + len(f.Raw)
	}
	if split {
		list = append(list, r.payloadSpans(payload)...)
		at = end
	}
	failed := len(list) > 0 && list[len(list)-1].Err != nil
	if at < end || r.Err != nil && !failed {
		list = append(list, span{Field: stream.Field{Offset: at, Raw: r.Raw[at-r.Offset:], Err: r.Err}})
	}
	return list
}

// payloadSpans returns the fields of a payload that begins at offset base.
func (r *Message) payloadSpans(base int) []span {
	list := make([]span, len(r.parts))
	for i, f := range r.parts {
		f.Offset += base
		x := span{Field: f}
		x.Path = strings.TrimPrefix(f.Path, subsystems+".")
		if f.Err == nil {
			x.text = short(f.Value)
			if more := detail(f.Value); i == 0 && f.Path == "Opcode" {
				x.text = r.Title()
			} else if more != "" {
				x.text += "  " + more
			}
		}
		if f.Bit >= 0 {
			x.text += fmt.Sprintf("  bit %d of 0x%04x", f.Bit, f.Offset)
		}
		list[i] = x
	}
	return list
}

// frameText returns the value of a field of the framing.
func frameText(f stream.Field) string {
	switch v := f.Value.(type) {
	case [4]byte:
		return netip.AddrFrom4(v).String()
	case objectid.PeerID, transport.UTF16Z:
		return short(v)
	case transport.AckFlags:
		return ackText(v)
	case []byte:
		if f.Path == "Fragment" {
			return terminal.Plural(len(v), "byte")
		}
		return ""
	}
	return fmt.Sprint(f.Value)
}

func ackText(f transport.AckFlags) string {
	text := "game channel"
	if f&transport.AckSystem != 0 {
		text = "system channel"
	}
	if f&transport.AckFragment != 0 {
		text += ", fragment"
	}
	return text
}
