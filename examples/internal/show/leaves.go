package show

import (
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Leaf is a field of a datagram or of a payload, with its value as -x prints it. Bit is -1 except
// for a packed bool.
type Leaf struct {
	stream.Field
	Text string
	// Message is the index of the message that the field is in, or -1 for the fields of the
	// datagram itself.
	Message int
	// Payload is the number of the reassembled payload in the datagram that the field is in, from
	// 1. Its offset is that in the payload. 0 means the datagram itself.
	Payload int
}

// Leaves returns the fields of the datagram in the order of -x.
func (p *Packet) Leaves() (all []Leaf) {
	add := func(spans []span, message, payload int) {
		for _, x := range spans {
			text := x.text
			if x.Value == nil {
				x.Bit = -1 // a span of its own
			}
			if x.Bit >= 0 {
				text = short(x.Value)
			}
			all = append(all, Leaf{x.Field, text, message, payload})
		}
	}
	head, messages := p.frame()
	if !p.gamespy {
		add(head, -1, 0)
	}
	payloads := 0
	for i, r := range p.Messages {
		add(r.spans(messages[i]), i, 0)
		if r.Frame.Fragment && r.Whole {
			payloads++
			add(r.payloadSpans(0), i, payloads)
		}
	}
	if len(p.trailing) > 0 {
		add([]span{{Field: stream.Field{Path: "trailing", Offset: len(p.Data) - len(p.trailing), Raw: p.trailing, Bit: -1}}}, -1, 0)
	}
	return all
}

// Lines returns the complete payloads of the datagram as opcode.Line prints them.
func (p *Packet) Lines() (all []string) {
	for _, r := range p.Messages {
		if r.message != nil {
			all = append(all, opcode.Line(r.message))
		}
	}
	return all
}

// Subject returns the path of a field in its payload, without the group of the subsystems.
func (l *Leaf) Subject() string { return strings.TrimPrefix(l.Path, subsystems+".") }
