package show

import (
	"strings"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Packet is a decoded datagram.
type Packet struct {
	*Datagram
	peer     int8
	gamespy  bool
	records  []*record // at least one
	trailing []byte    // after the last message
}

// record is a decoded message.
type record struct {
	index    int
	typ      string // as in the JSON output
	name     string
	raw      []byte // the message in the datagram
	offset   int    // where that is
	msg      transport.Message
	body     transport.Body // of a system message
	code     opcode.Code    // of a payload
	hasCode  bool
	whole    bool                 // payload is a whole one
	payload  []byte               // of Data: the payload, or what is there of it
	parts    []stream.Field       // of the payload
	message  opcode.Message       // that the payload is
	trailing []byte               // of the payload: what is left after the last field
	class    *stateupdate.Class   // of the ship that the message is about, if its subsystems are told apart
	systems  []stateupdate.Status // that the message tells of
	unsplit  []byte               // what is left after the last of them
	power    []string             // power settings in words, if the class of the ship is known
	notes    []note
	err      error
}

// note is a remark on a message.
type note struct {
	kind string // under which -check counts it
	text string // in full; empty if kind says all
}

// kindFragment is the kind of notes that -check does not count: nothing is peculiar
// about a fragment.
const kindFragment = "fragment"

func (n note) String() string {
	if n.text != "" {
		return n.text
	}
	return n.kind
}

// note adds a remark.
func (r *record) note(kind, text string) {
	r.notes = append(r.notes, note{kind, text})
}

// remarks returns all notes in one line.
func (r *record) remarks() string {
	texts := make([]string, len(r.notes))
	for i, n := range r.notes {
		texts[i] = n.String()
	}
	return strings.Join(texts, "; ")
}

// label is the name under which tables count the message.
func (r *record) label() string {
	switch {
	case r.typ == "":
		return "(none)"
	case r.name == "Data" && r.msg.Fragment:
		return "Data (fragment)"
	}
	return r.title()
}

// fields returns the fields of the message as a tree.
func (r *record) fields() *object {
	tree := &object{}
	switch {
	case r.body != nil:
		systemFields(tree, r.body)
	case r.typ == "GameSpy":
		tree.put("Text", stream.Text(r.raw))
	case r.typ != "Data" && len(r.msg.Body) > 0:
		tree.put("Body", r.msg.Body)
	}
	for i, f := range r.parts {
		if i == 0 && f.Path == "Opcode" || f.Err != nil {
			continue
		}
		tree.put(f.Path, f.Value)
	}
	// The byte of a bit group that goes on in an opaque tail belongs to a field before it.
	if m, ok := r.message.(*opcode.StateUpdate); ok && r.class == nil && m.Bits != (stream.Bits{}) {
		tree.put("Bits.Byte", m.Bits.Byte)
		tree.put("Bits.Read", m.Bits.Read)
	}
	return tree
}
