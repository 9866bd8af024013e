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
	// Payload is the number of the reassembled payload in the datagram that the field is in, from
	// 1. Its offset is that in the payload. 0 means the datagram itself.
	Payload int
}

// Leaves returns the fields of the datagram in the order of -x.
func (p *Packet) Leaves() (all []Leaf) {
	add := func(spans []span, payload int) {
		for _, x := range spans {
			text := x.text
			if x.Value == nil {
				x.Bit = -1 // a span of its own
			}
			if x.Bit >= 0 {
				text = short(x.Value)
			}
			all = append(all, Leaf{x.Field, text, payload})
		}
	}
	head, messages := p.frame()
	if !p.gamespy {
		add(head, 0)
	}
	payloads := 0
	for i, r := range p.records {
		add(r.spans(messages[i]), 0)
		if r.msg.Fragment && r.whole {
			payloads++
			add(r.payloadSpans(0), payloads)
		}
	}
	if len(p.trailing) > 0 {
		add([]span{{Field: stream.Field{Path: "trailing", Offset: len(p.Data) - len(p.trailing), Size: len(p.trailing), Raw: p.trailing, Bit: -1}}}, 0)
	}
	return all
}

// Lines returns the complete payloads of the datagram as opcode.Line prints them.
func (p *Packet) Lines() (all []string) {
	for _, r := range p.records {
		if r.message != nil {
			all = append(all, opcode.Line(r.message))
		}
	}
	return all
}

// Subject returns the path of a field in its payload, without the group of the subsystems.
func (l *Leaf) Subject() string { return strings.TrimPrefix(l.Path, subsystems+".") }
