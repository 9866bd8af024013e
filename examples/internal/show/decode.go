package show

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Decoder decodes datagrams in the order of their arrival. The zero value is ready to use.
type Decoder struct {
	Plain    bool                  // the datagrams are not enciphered
	Classes  stateupdate.Catalogue // of ships, in addition to the classes of the game
	sessions sessions
}

// Pending returns the number of partial payloads.
func (d *Decoder) Pending() int { return d.sessions.pending() }

// Decode decodes a datagram. It deciphers the bytes in place, and the Packet aliases them. It sets
// the direction and the client if they are empty.
func (d *Decoder) Decode(dg *Datagram) *Packet {
	p := &Packet{Datagram: dg}
	s := d.sessions.find(dg)
	s.ships.tracker.Classes = d.Classes
	if transport.IsGameSpy(dg.Data) {
		p.gamespy = true
		p.add(&record{typ: "GameSpy", name: "GameSpy", raw: dg.Data})
		return p
	}
	if !d.Plain {
		cipher.Decrypt(dg.Data)
	}
	if len(dg.Data) > 0 {
		p.peer = objectid.PeerID(dg.Data[0])
	}
	end := d.messages(p, s)
	d.addNotes(p, end)
	return p
}

func (p *Packet) add(r *record) {
	r.index = len(p.records)
	p.records = append(p.records, r)
}

// messages decodes the messages of a datagram and returns the offset after the last one.
func (d *Decoder) messages(p *Packet, s *session) int {
	offset := min(2, len(p.Data))
	for m, err := range transport.Messages(p.Data) {
		raw := p.Data[offset:]
		raw = raw[:wireLen(raw, &m, err)]
		r := &record{typ: m.Type.String(), raw: raw, offset: offset, msg: m, err: err}
		r.name = r.typ
		if len(raw) == 0 {
			r.typ, r.name = "", ""
		}
		p.add(r)
		offset += len(raw)
		p.malformed = p.malformed || err != nil
		p.message(r, s)
	}
	return offset
}

// wireLen returns the length of a message at the beginning of raw, or all of raw if the length
// is unknown.
func wireLen(raw []byte, m *transport.Message, err error) int {
	var e *transport.Error
	switch {
	case err == nil:
		return min(m.Len(), len(raw))
	case errors.As(err, &e) && e.Len > 0:
		return min(e.Len, len(raw))
	}
	return len(raw)
}

// message decodes the content of a message.
func (p *Packet) message(r *record, s *session) {
	switch {
	case r.typ == "":
	case r.err != nil:
		r.dissectHead()
	case r.msg.Type == transport.TypeData:
		p.dataMessage(r, s)
	default:
		p.systemMessage(r, s)
	}
}

// addNotes adds notes about the datagram to its last message. The messages end at end.
func (d *Decoder) addNotes(p *Packet, end int) {
	if len(p.records) == 0 {
		p.add(&record{offset: end, notes: []note{{kind: "no messages"}}})
	}
	last := p.records[len(p.records)-1]
	if p.Note != "" {
		last.note(p.Note, "")
	}
	bad := slices.ContainsFunc(p.records, func(r *record) bool { return r.err != nil })
	if rest := p.Data[min(end, len(p.Data)):]; len(rest) > 0 {
		p.trailing = rest
		last.note("trailing bytes", trailingText(rest)+" after the last message")
	}
	if p.Missing > 0 {
		last.note("cut by the capture", fmt.Sprintf("the capture lacks %d bytes of the datagram", p.Missing))
	}
	if bad && d.plainIsWrong(p.Data) {
		last.note("cipher", d.advice())
	}
}

func (d *Decoder) advice() string {
	if d.Plain {
		return "reads well when deciphered: leave out -plain"
	}
	return "reads well as it is: try -plain"
}

// plainIsWrong reports whether a datagram that does not decode would decode with the other
// value of Plain.
func (d *Decoder) plainIsWrong(data []byte) bool {
	data = slices.Clone(data)
	if d.Plain {
		cipher.Decrypt(data)
	} else {
		cipher.Encrypt(data)
	}
	var p transport.Packet
	return p.UnmarshalBinary(data) == nil && len(p.Messages) > 0 && len(p.Trailing) == 0
}

// Packet is a decoded datagram.
type Packet struct {
	*Datagram
	peer      objectid.PeerID
	gamespy   bool
	malformed bool      // the framing of a message
	records   []*record // at least one
	trailing  []byte    // after the last message
}

// record is a decoded message.
type record struct {
	index           int
	typ             string // as in the JSON output
	name            string
	raw             []byte // the message in the datagram
	offset          int    // of raw in the datagram
	msg             transport.Message
	body            transport.Body // of a system message
	code            opcode.Code    // of a payload
	hasCode         bool
	whole           bool               // payload is complete
	payload         []byte             // of Data: the payload, or its beginning
	parts           []stream.Field     // of the payload
	message         opcode.Message     // decoded from the payload
	trailing        []byte             // bytes of the payload after the last field
	class           *stateupdate.Class // of the ship, if parts has its subsystems
	afterSubsystems []byte             // bytes of the payload after the last subsystem
	power           []string           // power settings in text, if the class of the ship is known
	notes           []note
	err             error
}

// note is a note about a message.
type note struct {
	kind string // -check counts notes by kind
	text string // the full text; empty: kind
}

// kindFragment is the kind of notes that -check does not count, because fragments are
// normal.
const kindFragment = "fragment"

func (n note) String() string {
	if n.text != "" {
		return n.text
	}
	return n.kind
}

// note adds a note.
func (r *record) note(kind, text string) {
	r.notes = append(r.notes, note{kind, text})
}

// noteText returns all notes in one line.
func (r *record) noteText() string {
	texts := make([]string, len(r.notes))
	for i, n := range r.notes {
		texts[i] = n.String()
	}
	return strings.Join(texts, "; ")
}

// label is the name of the message in tables.
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
