package show

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// object is a message, or a struct inside it, with its fields in the order of the wire. A
// value is an *object, a *list, or the value of a [stream.Field].
type object struct{ members []member }

type member struct {
	name  string
	value any
}

// list is a list inside a message. In a truncated message, it has fewer items than count.
type list struct {
	items []any
	count int // the number on the wire
}

// fields returns the fields of the message as a tree.
func (r *Message) fields() *object {
	tree := &object{}
	switch {
	case r.Body != nil:
		systemFields(tree, r.Body)
	case r.Type == "GameSpy":
		tree.put("Text", stream.Text(r.Raw))
	case r.Type != "Data" && len(r.Frame.Body) > 0:
		tree.put("Body", r.Frame.Body)
	}
	for i, f := range r.parts {
		if i == 0 && f.Path == "Opcode" || f.Err != nil {
			continue
		}
		tree.put(f.Path, f.Value)
	}
	// A bit group may continue in the opaque tail. Its byte is then part of an earlier field.
	if m, ok := r.message.(*opcode.StateUpdate); ok && r.class == nil && m.Bits != (stream.Bits{}) {
		tree.put("Bits.Byte", m.Bits.Byte)
		tree.put("Bits.Read", m.Bits.Read)
	}
	return tree
}

// systemFields puts the fields of a body into the tree.
func systemFields(tree *object, body transport.Body) {
	switch b := body.(type) {
	case *transport.Ack:
		tree.put("Seq", b.Seq)
		tree.put("Flags", uint8(b.Flags))
		if b.Flags&transport.AckFragment != 0 {
			tree.put("FragIndex", b.FragIndex)
		}
	case *transport.ConnectRequest:
		tree.put("LocalIP", netip.AddrFrom4(b.LocalIP))
		tree.put("ConnID", b.ConnID)
		tree.put("Password", b.Password)
	case *transport.ConnectReply:
		tree.put("PeerID", b.PeerID)
	case *transport.NameChange:
		tree.put("PeerID", b.PeerID)
		tree.put("IP", netip.AddrFrom4(b.IP))
		tree.put("Name", b.Name)
	case *transport.Boot:
		tree.put("Reason", b.Reason)
		tree.put("PeerID", b.PeerID)
	case *transport.Disconnect:
		tree.put("PeerID", b.PeerID)
		tree.put("IP", netip.AddrFrom4(b.IP))
	case *transport.DoNothing:
		tree.put("Raw", b.Raw)
	}
}

// put stores a value under a path such as "Damagers[2].Score".
func (o *object) put(path string, v any) {
	head, rest, nested := strings.Cut(path, ".")
	name, index, isElement := cutIndex(head)
	slot := o.slot(name)
	if isElement {
		slot = asList(slot).slot(index)
	}
	if nested {
		asObject(slot).put(rest, v)
		return
	}
	if n, ok := v.(int); ok { // only the count of a list is an int
		*slot = &list{count: n}
		return
	}
	*slot = v
}

// cutIndex splits "Damagers[2]" into its name and its index.
func cutIndex(s string) (name string, index int, ok bool) {
	name, digits, ok := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	if !ok {
		return s, 0, false
	}
	index, err := strconv.Atoi(digits)
	return name, index, err == nil && index >= 0
}

func (o *object) slot(name string) *any {
	for i := range o.members {
		if o.members[i].name == name {
			return &o.members[i].value
		}
	}
	o.members = append(o.members, member{name: name})
	return &o.members[len(o.members)-1].value
}

func (l *list) slot(index int) *any {
	for len(l.items) <= index {
		l.items = append(l.items, nil)
	}
	return &l.items[index]
}

func asList(slot *any) *list {
	l, ok := (*slot).(*list)
	if !ok {
		l = &list{}
		*slot = l
	}
	return l
}

func asObject(slot *any) *object {
	o, ok := (*slot).(*object)
	if !ok {
		o = &object{}
		*slot = o
	}
	return o
}

// MarshalJSON implements [json.Marshaler].
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(&b, m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := writeJSON(&b, m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON implements [json.Marshaler].
func (l *list) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range l.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(&b, v); err != nil {
			return nil, err
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// writeJSON writes a value without escapes for HTML.
func writeJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonValue(v)); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the newline
	return nil
}
