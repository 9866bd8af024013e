package show

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// byteOutput prints every byte of each datagram once, with its field.
type byteOutput struct {
	style style
}

// NewBytes returns an output that prints every byte of each datagram with its field.
func NewBytes(colour bool) Output { return &byteOutput{style: newStyle(colour)} }

// Append appends the fields of a datagram.
func (o *byteOutput) Append(dst []byte, p *Packet) []byte {
	s := &o.style
	dst = s.name.Append(dst, fmt.Sprintf("packet %d  %.3f s  %d bytes", p.Number, p.Time, len(p.Data)))
	dst = fmt.Appendf(dst, "  %s ", p.Client)
	dst = s.appendArrow(dst, p.Dir)
	dst = fmt.Appendf(dst, " peer %s\n", strings.TrimSpace(string(p.appendPeer(nil))))
	all := p.Leaves()
	leaves := func(message int, reassembled bool) {
		for len(all) > 0 && all[0].Message == message && all[0].Payload > 0 == reassembled && all[0].Path != trailing {
			dst = o.leaf(dst, &all[0])
			all = all[1:]
		}
	}
	leaves(-1, false)
	for i, r := range p.Messages {
		dst = o.head(dst, r)
		leaves(i, false)
		if r.Frame.Fragment && r.Whole {
			dst = fmt.Appendf(dst, "  reassembled payload of %d bytes\n", len(r.Payload))
			leaves(i, true)
		}
	}
	for i := range all {
		dst = o.leaf(dst, &all[i])
	}
	return append(dst, '\n')
}

// head appends the line of a message.
func (o *byteOutput) head(dst []byte, r *Message) []byte {
	s := &o.style
	dst = s.dim.Append(append(dst, ' '), fmt.Sprintf("[%d]", r.Index))
	dst = s.name.Append(append(dst, ' '), r.Title())
	if text := r.Note(); text != "" {
		dst = s.note.Append(append(dst, "  "...), "("+terminal.Line(text)+")")
	}
	if text := r.ackedText(); text != "" {
		dst = s.dim.Append(append(dst, "  "...), text)
	}
	return append(dst, '\n')
}

// ackedText describes the message that an Ack acknowledges, if the input has it.
func (r *Message) ackedText() string {
	a := r.Acked
	roundTrip, known := r.RoundTrip()
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

// leafWidth is the number of bytes in a line.
const leafWidth = 8

func (o *byteOutput) leaf(dst []byte, x *Leaf) []byte {
	s := &o.style
	first := fmt.Sprintf("% x", x.Raw[:min(leafWidth, len(x.Raw))])
	dst = s.dim.Append(append(dst, "  "...), fmt.Sprintf("%04x", x.Offset))
	dst = fmt.Appendf(dst, "  %-*s ", 3*leafWidth-1, first)
	value, text, mark := &s.value, x.Text, "  "
	if x.Err != nil {
		value, text, mark = &s.bad, terminal.Line(x.Err.Error()), string(s.bad.Append(nil, "!!"))
	} else if x.Bit >= 0 {
		text += fmt.Sprintf("  bit %d of 0x%04x", x.Bit, x.Offset)
	}
	dst = value.Append(fmt.Appendf(dst, "%s %-20s ", mark, terminal.Line(x.Path)), text)
	dst = append(bytes.TrimRight(dst, " "), '\n')
	for at := leafWidth; at < len(x.Raw); at += leafWidth {
		dst = s.dim.Append(append(dst, "  "...), fmt.Sprintf("%04x", x.Offset+at))
		dst = fmt.Appendf(dst, "  % x\n", x.Raw[at:min(at+leafWidth, len(x.Raw))])
	}
	return dst
}

// Leaf is a field of a datagram or of a payload, with its value as -x prints it.
type Leaf struct {
	Path   string // without the group of the subsystems
	Offset int
	Raw    []byte
	Bit    int // of a packed bool, or -1
	Err    error
	Text   string
	// Message is the index of the message that the field is in, or -1 for the fields of the
	// datagram itself.
	Message int
	// Payload is the number of the reassembled payload in the datagram that the field is in, from
	// 1. Its offset is that in the payload. 0 means the datagram itself.
	Payload int
}

// trailing is the path of the bytes after the last message.
const trailing = "trailing"

// Leaves returns the fields of the datagram in the order of -x.
func (p *Packet) Leaves() (all []Leaf) {
	frames := make([][]Leaf, len(p.Messages))
	i := -1
	for f := range transport.Dissect(p.Data) {
		inMessage := f.Group != nil
		if inMessage && f.Name == "Type" {
			i++
		}
		switch x := frameLeaf(&f); {
		case f.Err != nil || f.Name == "Trailing" || p.gamespy:
		case inMessage:
			x.Message = i
			if f.Name == "Password" && i < len(p.Messages) && p.Messages[i].masked {
				x.Text = "***"
			}
			frames[i] = append(frames[i], x)
		default:
			all = append(all, x)
		}
	}
	var v visitor
	payloads := 0
	for i, r := range p.Messages {
		all = append(all, r.leaves(&v, frames[i])...)
		if r.Frame.Fragment && r.Whole {
			payloads++
			all = append(all, r.payloadLeaves(&v, 0, payloads)...)
		}
	}
	if len(p.Trailing) > 0 {
		all = append(all, Leaf{Path: trailing, Offset: len(p.Data) - len(p.Trailing), Raw: p.Trailing, Bit: -1, Message: -1})
	}
	return all
}

// frameLeaf returns a field of the framing.
func frameLeaf(f *stream.Field) Leaf {
	text := string(appendShort(nil, f, nil))
	if _, isBytes := f.Type().([]byte); isBytes {
		if text = ""; f.Name == "Fragment" {
			text = terminal.Plural(len(f.Raw), "byte")
		}
	}
	return Leaf{Path: f.Name, Offset: f.Offset, Raw: f.Raw, Bit: -1, Message: -1, Text: text}
}

// leaves returns the fields of a message, given the fields of its frame. They include the fields
// of a payload that is not fragmented.
func (r *Message) leaves(v *visitor, frame []Leaf) (list []Leaf) {
	if r.Type == "GameSpy" {
		return []Leaf{{Path: "Text", Raw: r.Raw, Bit: -1, Message: r.Index, Text: gamespyText(r)}}
	}
	at, end := r.Offset, r.Offset+len(r.Raw)
	payload := end - len(r.Frame.Body)
	var parts []Leaf
	if !r.Frame.Fragment && payload < end && r.Payload != nil {
		parts = r.payloadLeaves(v, payload, 0)
	}
	for _, x := range frame {
		if len(parts) > 0 && x.Offset >= payload {
			break
		}
		if x.Path == "Payload" {
			x.Path = "Body"
		}
		list = append(list, x)
		at = x.Offset + len(x.Raw)
	}
	if len(parts) > 0 {
		list = append(list, parts...)
		at = end
	}
	failed := len(list) > 0 && list[len(list)-1].Err != nil
	if at < end || r.Err != nil && !failed {
		list = append(list, Leaf{Offset: at, Raw: r.Raw[at-r.Offset:], Bit: -1, Err: r.Err, Message: r.Index})
	}
	return list
}

// payloadLeaves returns the fields of a payload that begins at offset base. The number is that of a reassembled
// payload.
func (r *Message) payloadLeaves(v *visitor, base, number int) []Leaf {
	var list []Leaf
	v.visit(r, func(f *stream.Field) bool {
		x := Leaf{Offset: f.Offset + base, Raw: f.Raw, Bit: f.Bit, Err: f.Err, Message: r.Index, Payload: number}
		x.Path = pathOf(f)
		switch text, more := string(appendShort(nil, f, r.fleet)), detail(f); {
		case f.Err != nil:
		case isOpcode(f):
			x.Text = r.Title()
		case more != "":
			x.Text = text + "  " + more
		default:
			x.Text = text
		}
		list = append(list, x)
		return true
	})
	return list
}

// pathOf returns the path of a field, without the group of the subsystems.
func pathOf(f *stream.Field) string { return strings.TrimPrefix(f.Path(), subsystems+".") }
